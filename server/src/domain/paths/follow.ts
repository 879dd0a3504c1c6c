import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { limitLockWaits, run, transaction } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { asService } from '../../infra/context/scopes.ts';
import { isServed, serveInTurns } from '../../infra/operations/jobs.ts';
import { lowestId } from '../../lib/ids.ts';
import { isOffered } from '../catalogue/offers.ts';
import { partsSql } from '../catalogue/path-parts.ts';
import { changePart, changeWithPath, recordPathResult, withPathResult } from '../enrolments/record-path.ts';
import { type KnownPath, readPathState } from './read-path.ts';

const resultAfter = ({ path, state }: KnownPath) =>
  path.status === 'withdrawn' ? null : withPathResult(path, state.result, state.completedAt);

const hasChanges = (known: KnownPath) =>
  resultAfter(known) !== null || known.own.some((part) => changeWithPath(known.path, part) !== null);

async function apply(ctx: TenantContext, known: KnownPath): Promise<boolean> {
  let hasChanged = false;
  for (const part of known.own) {
    const change = changeWithPath(known.path, part);
    if (change) hasChanged = (await changePart(ctx, known.path, part, change)) || hasChanged;
  }
  const after = resultAfter(known);
  if (after) await recordPathResult(ctx, known.path, after);
  return hasChanged || after !== null;
}

async function pathOfPart(ctx: TenantContext, enrollId: string): Promise<string | null> {
  const part = await ownRows(ctx, 'enrolment', { enroll_id: enrollId })
    .select('path_enroll_id')
    .executeTakeFirst();
  return part?.path_enroll_id ?? null;
}

/**
 * Brings an enrolment on a path up to date: its result follows from its courses, and their end follows from its own. For
 * a part, brings the enrolment on its path up to date. It depends on nothing but the present state, so it may run at any
 * time. Returns whether anything has changed.
 */
export async function followPath(ctx: TenantContext, enrollId: string): Promise<boolean> {
  const known = await readPathState(ctx, { enrollId });
  const hasChanged =
    known !== null &&
    hasChanges(known) &&
    (await transaction(asService(ctx), async (ctx) => {
      const locked = await readPathState(ctx, { enrollId, isLocked: true });
      return locked !== null && (await apply(ctx, locked));
    }));
  const outer = known ? known.path.path_enroll_id : await pathOfPart(ctx, enrollId);
  return (outer !== null && (await followPath(ctx, outer))) || hasChanged;
}

const maxEvents = 500;
/** Enrolments on a changed path per transaction. */
const maxSwept = 100;
const hourMilliseconds = 3_600_000;

const isPathOffered = (tenant: string) => `course.path is not null and ${isOffered('course', tenant)}`;

const openText = `/* across tenants: enrolments on paths in all tenants */
select log.tenant_id from event_log log left join path_log own on own.tenant_id = log.tenant_id
where log.tenant_id <> all($1::text[]) and ${isServed('log.tenant_id', '$2')} and (
  log.position > own.position
  or own.swept_after is not null
  or exists (select from course where ${isPathOffered('log.tenant_id')}
    and (own.tenant_id is null or (course.updated_at, course.course_id) > (own.swept_at, own.swept_course)))
)`;

/** Job: rolls up the results of all paths. */
export const followPaths = (ctx: Context) =>
  serveInTurns(ctx, { name: 'tenants_with_paths', text: openText, work: followNext });

const beginText = `
insert into path_log (tenant_id, position, swept_at, swept_course)
select $1, coalesce(
  (select event.position - 1 from event where event.tenant_id = $1 and event.event_id >= $2 and event.position is not null
    order by event.event_id limit 1),
  (select event_log.position from event_log where event_log.tenant_id = $1), 0), $3, ''
on conflict (tenant_id) do nothing`;

const sinceText = `select min(course.created_at) as since from course where ${isPathOffered('$1')}`;

/** The tenant's events are followed from shortly before its first path on. */
async function begin(ctx: TenantContext): Promise<void> {
  const [first] = await run<{ since: Date | null }>(ctx, sinceText, [ctx.tenantId]);
  const since = first?.since ?? ctx.now();
  const from = lowestId(new Date(since.getTime() - hourMilliseconds));
  await run(ctx, beginText, [ctx.tenantId, from, new Date(0)]);
}

/** The enrolments on paths that the events after $2 up to $3 concern. */
const concernedText = `
with next as (
  select event.enroll_id, event.user_id, event.course_id from event
  where event.tenant_id = $1 and event.position > $2 and event.position <= $3 and event.user_id is not null
    and (event.type like 'enrolment.%' or event.type in ('completion.recorded', 'completion.deleted'))
)
select next.enroll_id from next join course on course.course_id = next.course_id and course.path is not null
where next.enroll_id is not null
union
select held.enroll_id from next
join enrolment held on held.tenant_id = $1 and held.user_id = next.user_id and held.ended_at is null
join course on course.course_id = held.course_id and course.path is not null
where next.course_id in ${partsSql('course.path')}`;

/** The last path whose change has been applied, and up to which enrolment; null: to all of them. */
type Swept = { swept_at: Date; swept_course: string; swept_after: string | null };
type Log = Swept & { position: number; until: number };

const logText = `
select own.position, least(log.position, own.position + ${maxEvents}) as until, own.swept_at, own.swept_course, own.swept_after
from path_log own join event_log log on log.tenant_id = $1 where own.tenant_id = $1`;

/** Follows the next events of the tenant, unless another node does, and applies changed paths to the next enrolments. */
async function followNext(ctx: TenantContext): Promise<void> {
  await begin(ctx);
  await transaction(ctx, async (ctx) => {
    await limitLockWaits(ctx);
    const locked = await ownRows(ctx, 'path_log').select('tenant_id').forUpdate().execute();
    const [log] = await run<Log>(ctx, logText, [ctx.tenantId]);
    if (locked.length === 0 || !log) return;
    const values = [ctx.tenantId, log.position, log.until];
    const rows = await run<{ enroll_id: string }>(ctx, concernedText, values);
    for (const { enroll_id } of rows) await followPath(ctx, enroll_id);
    const swept = await sweep(ctx, log);
    await updateOwn(ctx, 'path_log')
      .set({ position: log.until, ...swept })
      .execute();
  });
}

const changedText = `
select course.updated_at as swept_at, course.course_id as swept_course from course
where ${isPathOffered('$1')} and (course.updated_at, course.course_id) > ($2, $3)
order by course.updated_at, course.course_id limit 1`;

const enrolledText = `
select held.enroll_id from enrolment held
where held.tenant_id = $1 and held.course_id = $2 and held.ended_at is null and held.status <> 'completed'
  and held.enroll_id > $3 order by held.enroll_id limit ${maxSwept}`;

/** Applies the path that changed first to the next enrolments on it. */
async function sweep(ctx: TenantContext, log: Swept): Promise<Swept | null> {
  const next = log.swept_after === null ? await changedPath(ctx, log) : log;
  if (!next) return null;
  const values = [ctx.tenantId, next.swept_course, log.swept_after ?? lowestId(new Date(0))];
  const rows = await run<{ enroll_id: string }>(ctx, enrolledText, values);
  for (const { enroll_id } of rows) await followPath(ctx, enroll_id);
  const { swept_at, swept_course } = next;
  return {
    swept_at,
    swept_course,
    swept_after: rows.length < maxSwept ? null : (rows.at(-1)?.enroll_id ?? null),
  };
}

async function changedPath(ctx: TenantContext, { swept_at, swept_course }: Swept) {
  const values = [ctx.tenantId, swept_at, swept_course];
  const [next] = await run<Omit<Swept, 'swept_after'>>(ctx, changedText, values);
  return next;
}
