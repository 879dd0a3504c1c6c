import { randomInt } from 'node:crypto';
import { fullName } from '../../../../standards/full-name.ts';
import { readByIndex } from '../../db/batches.ts';
import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { limitLockWaits, run, transaction } from '../../db/transaction.ts';
import { type Context, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { isServed, serveInTurns } from '../../infra/operations/jobs.ts';
import { dayOf } from '../../lib/days.ts';
import { lowestId, newId } from '../../lib/ids.ts';
import { textIn } from '../catalogue/certificate-rule.ts';
import { appendEvents, appendLastEvents, type NewEvent } from '../events/append.ts';
import type { Language } from '../tenants/schemas.ts';
import { listEntries } from './credential/status-list.ts';
import { isDrawable } from './drawable.ts';
import { newNumber, showNumber } from './record/number.ts';
import { verifyUrl } from './record/record.ts';
import type { Content, TemplateRule } from './record/schemas.ts';
import { isCounted, serialOf } from './record/serial.ts';
import { endOf, nextNotice } from './validity.ts';

/** What earns a certificate, with the rule that was valid then. */
export type Earned = {
  enroll_id: string;
  attempt: number;
  user_id: string;
  course_id: string;
  title: string;
  completed_at: Date;
  score: number | null;
  rule: TemplateRule;
  /** Counts corrections of the certificate of an attempt. */
  issue?: number;
  /** A correction keeps the dates. */
  valid_until?: Date | null;
};

/** How many entries of a list of revoked certificates are used. */
const usedEntries = listEntries / 2;

const maxEvents = 500;
const hourMilliseconds = 3_600_000;

const begin = `
insert into certificate_log (tenant_id, position)
select $1, coalesce(
  (select event.position - 1 from event where event.tenant_id = $1 and event.event_id >= $2 and event.position is not null
    order by event.event_id limit 1),
  (select event_log.position from event_log where event_log.tenant_id = $1), 0)
on conflict (tenant_id) do nothing`;

/** From now on, the tenant's events are read for results that earn certificates, beginning shortly before `since`. */
export async function beginIssuing(ctx: TenantContext, since: Date): Promise<void> {
  await run(ctx, begin, [ctx.tenantId, lowestId(new Date(since.getTime() - hourMilliseconds))]);
}

/** `wanted` is an SQL condition on `log`. */
const openText = (wanted: string, own = 'log.tenant_id') => `
select log.tenant_id from event_log log left join certificate_log own on own.tenant_id = ${own}
where ${wanted} and log.position > coalesce(own.position, 0)
  and (own.tenant_id is not null or exists (select from course where course.certificate is not null))`;

const openTenants = `/* across tenants: results of all tenants earn certificates */
${openText(`log.tenant_id <> all($1::text[]) and ${isServed('log.tenant_id', '$2')}`)}`;

/** Job: issues the certificates that results have earned. */
export const issueCertificates = (ctx: Context) =>
  serveInTurns(ctx, { name: 'issuing_tenants', text: openTenants, work: issueBatch });

const next = `
select own.position, own.issued, own.serials, least(log.position, own.position + ${maxEvents}) as until, log.position as last
from certificate_log own join event_log log on log.tenant_id = $1
where own.tenant_id = $1 and log.position > own.position`;

/** How many certificates have been issued, and how many of them have a counted serial. The row of the log is locked. */
type Counts = { issued: number; serials: number };
type Issued = Counts & { events: NewEvent[] };
type Place = Counts & { position: number; until: number; last: number };

/** Issues all that has been earned so far, so that a reader does not have to wait for the job. */
export async function issueDue(ctx: TenantContext): Promise<void> {
  const [open] = await run<{ tenant_id: string }>(ctx, openText('log.tenant_id = $1', '$1'), [ctx.tenantId]);
  if (open) while (await issueBatch(ctx)) {}
}

const isEarning = `(found.type = 'enrolment.' || (found.rule ->> 'On') or (found.type = 'enrolment.attempt_finished'
    and case found.rule ->> 'On' when 'passed' then found.data ->> 'Success' = 'passed'
      when 'completed' then found.data ->> 'Completion' = 'completed' end))`;

/**
 * The results in the events from $2 to $3 that earn certificates. The events of a commit have the same time, and that of
 * the end of an attempt has its number, which may not be the current one. A course of several units can pass with the
 * first and fail with the next: what the attempt has failed by now earns nothing until it is passed again.
 */
const earnedText = `
with found as (
  select event.position, event.type, event.occurred_at, event.user_id, event.enroll_id, event.course_id, event.data,
    course.title, coalesce(own.rule, course.certificate) as rule, coalesce(own.since, course.certificate_since) as since
  from event
  join course on course.course_id = event.course_id
  left join certificate_template own on own.tenant_id = $1 and own.course_id = event.course_id
  where event.tenant_id = $1 and event.position > $2 and event.position <= $3 and event.user_id is not null
    and event.type in ('enrolment.passed', 'enrolment.completed', 'enrolment.attempt_finished')
)
select found.enroll_id, found.user_id, found.course_id, found.title, found.rule, found.occurred_at as completed_at,
  (found.data ->> 'Score')::float8 as score,
  tried.attempt
from found
left join lateral (
  select (same.data ->> 'Attempt')::integer as attempt from event same
  where same.tenant_id = $1 and same.enroll_id = found.enroll_id and same.type = 'enrolment.attempt_finished'
    and same.occurred_at = found.occurred_at limit 1
) finished on true
left join lateral (
  select (earlier.data ->> 'Attempt')::integer as attempt from event earlier
  where earlier.tenant_id = $1 and earlier.enroll_id = found.enroll_id and earlier.position < found.position
    and earlier.type in ('enrolment.attempt_started', 'enrolment.reset')
  order by earlier.event_id desc limit 1
) started on true
cross join lateral (
  select coalesce((found.data ->> 'Attempt')::integer, finished.attempt, started.attempt, 1) as attempt
) tried
where found.occurred_at >= found.since and ${isEarning} and not (found.rule ->> 'On' = 'passed' and exists (
  select from enrolment own where own.tenant_id = $1 and own.enroll_id = found.enroll_id
    and own.attempt_number = tried.attempt and coalesce(own.override ->> 'Success', own.success) = 'failed'
))
order by found.position`;

/** Reads the next events of the tenant. Returns whether there are more. */
function issueBatch(ctx: TenantContext): Promise<boolean> {
  return transaction(ctx, async (ctx) => {
    await limitLockWaits(ctx);
    await readByIndex(ctx);
    const log = await lockLog(ctx);
    if (!log) return false;
    const earned = await run<Earned>(ctx, earnedText, [ctx.tenantId, log.position, log.until]);
    const { issued, serials, events } = await issueOnce(ctx, earned, log);
    await updateOwn(ctx, 'certificate_log').set({ position: log.until, issued, serials }).execute();
    await appendLastEvents(ctx, events);
    return log.until < log.last;
  });
}

/** The row stays locked until the transaction ends, so that nothing is issued twice. */
async function lockLog(ctx: TenantContext): Promise<Place | undefined> {
  const [course] = await run<{ since: Date | null }>(
    ctx,
    'select min(course.certificate_since) as since from course',
  );
  await beginIssuing(ctx, course?.since ?? tenantNow(ctx));
  await ownRows(ctx, 'certificate_log').select('tenant_id').forUpdate().execute();
  const [place] = await run<Place>(ctx, next, [ctx.tenantId]);
  return place;
}

/** Locks the tenant's certificates outside of the job, and issues these. */
export async function issueNow(ctx: TenantContext, earned: readonly Earned[]): Promise<number> {
  await beginIssuing(ctx, tenantNow(ctx));
  const before = await ownRows(ctx, 'certificate_log')
    .select(['issued', 'serials'])
    .forUpdate()
    .executeTakeFirstOrThrow();
  const { issued, serials, events } = await issueOnce(ctx, earned, before);
  await appendEvents(ctx, events);
  await updateOwn(ctx, 'certificate_log').set({ issued, serials }).execute();
  return issued - before.issued;
}

const known = `
select held.enroll_id, held.attempt, held.issue from certificate held
where held.tenant_id = $1 and held.enroll_id = any($2::uuid[])`;

const keyOf = ({ enroll_id, attempt, issue = 1 }: Pick<Earned, 'enroll_id' | 'attempt' | 'issue'>) =>
  `${enroll_id} ${attempt} ${issue}`;

/** Issues one certificate for each attempt, unless it has one. The caller writes the events. */
async function issueOnce(ctx: TenantContext, earned: readonly Earned[], before: Counts): Promise<Issued> {
  let counts: Issued = { ...before, events: [] };
  if (earned.length === 0) return counts;
  const rows = await run<Earned>(ctx, known, [ctx.tenantId, earned.map(({ enroll_id }) => enroll_id)]);
  const done = new Set(rows.map(keyOf));
  const open = earned.filter((one) => !done.has(keyOf(one)) && done.add(keyOf(one)));
  for (const wave of wavesOf(open)) counts = await insert(ctx, wave, counts);
  return counts;
}

/** In each wave, a person has at most one certificate for a course, so that the later one replaces it. */
function wavesOf(earned: readonly Earned[]): Earned[][] {
  const waves: Earned[][] = [];
  const count = new Map<string, number>();
  for (const one of earned) {
    const key = `${one.user_id} ${one.course_id}`;
    const wave = count.get(key) ?? 0;
    count.set(key, wave + 1);
    waves[wave] = [...(waves[wave] ?? []), one];
  }
  return waves;
}

type Person = { user_id: string; login_id: string; first_name: string | null; last_name: string | null };

/** Locks the people, so that an erasure waits and then finds the certificates. */
const people = `
select known.user_id, known.login_id, known.first_name, known.last_name from "user" known
where known.tenant_id = $1 and known.user_id = any($2::uuid[]) order by known.login_id for key share of known`;

type Issuer = {
  name: string;
  language: Language;
  time_zone: string;
  days_before: number[];
  colour: string | null;
  logo_name: string | null;
  domain: string | null;
};

const issuerText = `
select client.name, client.language, client.time_zone, client.reminders -> 'DaysBefore' as days_before,
  client.issuer_domains[1] as domain, own.colour, own.logo_name
from tenant client left join branding own on own.tenant_id = $1 where client.tenant_id = $1`;

const keepLogo = `
insert into certificate_image (tenant_id, name, type, width, height, content)
select $1, own.logo_name, own.logo_type, own.logo_width, own.logo_height, own.logo
from branding own where own.tenant_id = $1 and own.logo is not null on conflict do nothing`;

const insertText = `
insert into certificate (tenant_id, certificate_id, number, enroll_id, attempt, issue, user_id, course_id, issued_at,
  completed_at, valid_until, next_notice_at, status_list, status_index, name, is_name_incomplete, content)
select $1, made.certificate_id, made.number, made.enroll_id, made.attempt, made.issue, made.user_id, made.course_id, $3,
  made.completed_at, made.valid_until, made.next_notice_at, made.status_list, made.status_index, made.name, made.is_name_incomplete,
  made.content
from jsonb_to_recordset($2::jsonb) as made (certificate_id uuid, number text, enroll_id uuid, attempt integer,
  issue integer, user_id uuid, course_id text, completed_at timestamptz, valid_until timestamptz,
  next_notice_at timestamptz, status_list integer, status_index integer, name text,
  is_name_incomplete boolean, content jsonb)
on conflict do nothing returning certificate_id`;

const replaceText = `
update certificate older set replaced_by = newer.number, next_notice_at = null
from jsonb_to_recordset($2::jsonb) as newer (certificate_id uuid, number text, user_id uuid, course_id text)
where older.tenant_id = $1 and older.user_id = newer.user_id and older.course_id = newer.course_id
  and older.certificate_id <> newer.certificate_id and older.replaced_by is null
returning older.number as older, newer.number as newer`;

async function insert(ctx: TenantContext, earned: readonly Earned[], before: Issued): Promise<Issued> {
  const now = tenantNow(ctx);
  const users = earned.map(({ user_id }) => user_id);
  const found = await run<Person>(ctx, people, [ctx.tenantId, users]);
  const peopleById = new Map(found.map((person) => [person.user_id, person]));
  const [issuer] = await run<Issuer>(ctx, issuerText, [ctx.tenantId]);
  if (!issuer) return before;
  if (issuer.logo_name !== null) await run(ctx, keepLogo, [ctx.tenantId]);
  let { issued, serials } = before;
  const made = earned.flatMap((one) => {
    const person = peopleById.get(one.user_id);
    if (!person) return [];
    if (isCounted(one.rule.Serial)) serials++;
    return [rowOf(one, { person, issuer, now, list: Math.floor(issued++ / usedEntries), count: serials })];
  });
  for (let missing = made; missing.length > 0; ) {
    const values = [ctx.tenantId, JSON.stringify(missing), now];
    const stored = await run<{ certificate_id: string }>(ctx, insertText, values);
    const ids = new Set(stored.map(({ certificate_id }) => certificate_id));
    missing = missing.filter(({ certificate_id }) => !ids.has(certificate_id));
    // Another certificate has the entry in the list.
    for (const row of missing) row.status_index = randomInt(listEntries);
  }
  const replaced = await run<{ older: string; newer: string }>(ctx, replaceText, [
    ctx.tenantId,
    JSON.stringify(made),
  ]);
  const former = new Map(replaced.map(({ older, newer }) => [newer, older]));
  const events = made.map(
    (row): NewEvent => ({
      type: 'certificate.issued',
      userId: row.user_id,
      enrollId: row.enroll_id,
      courseId: row.course_id,
      data: {
        Number: showNumber(row.number),
        Attempt: row.attempt,
        ValidUntil: row.valid_until?.toISOString() ?? null,
        VerifyURL: verifyUrl(ctx, row.number),
        Replaces: former.has(row.number) ? showNumber(former.get(row.number) ?? '') : null,
      },
    }),
  );
  return { issued, serials, events: [...before.events, ...events] };
}

function rowOf(
  earned: Earned,
  {
    person,
    issuer,
    now,
    list,
    count,
  }: { person: Person; issuer: Issuer; now: Date } & Record<'list' | 'count', number>,
) {
  const { enroll_id, attempt, user_id, course_id, completed_at, rule, issue = 1 } = earned;
  const validUntil =
    earned.valid_until === undefined ? endOf(rule, completed_at, issuer.time_zone) : earned.valid_until;
  const content: Content = {
    Title: textIn(rule.Title, issuer.language),
    Text: textIn(rule.Text, issuer.language),
    Layout: rule.Layout ?? 'classic',
    PaperSize: rule.PaperSize ?? 'A4',
    Signatures: rule.Signatures ?? [],
    Serial: serialOf(rule.Serial ?? null, { courseId: course_id, day: dayOf(now, issuer.time_zone), count }),
    CourseTitle: earned.title,
    LoginID: person.login_id,
    Score: earned.score,
    Outcome: rule.On ?? 'passed',
    Issuer: issuer.name,
    Language: issuer.language,
    TimeZone: issuer.time_zone,
    Colour: issuer.colour,
    LogoName: issuer.logo_name,
    ...(issuer.domain !== null && { IssuerDomain: issuer.domain }),
  };
  const name = fullName(person.first_name, person.last_name) || person.login_id;
  return {
    certificate_id: newId(now),
    number: newNumber(),
    enroll_id,
    attempt,
    issue,
    user_id,
    course_id,
    completed_at,
    valid_until: validUntil,
    next_notice_at: nextNotice(validUntil, issuer.days_before, now),
    status_list: list,
    status_index: randomInt(listEntries),
    name,
    is_name_incomplete: !isDrawable(name),
    content,
  };
}
