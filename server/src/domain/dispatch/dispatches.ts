import type { Selectable } from 'kysely';
import type { DispatchTable } from '../../db/engine/generated.ts';
import { updateOwn } from '../../db/own-rows.ts';
import type { Condition } from '../../db/page.ts';
import { run, transaction } from '../../db/transaction.ts';
import { type PageQuery, pageById } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { isId, newId } from '../../lib/ids.ts';
import { differences } from '../../lib/tables.ts';
import { appendAudit } from '../audit/chain.ts';
import { isOffered } from '../catalogue/offers.ts';
import { releaseNotFound } from '../catalogue/problems.ts';
import { Dispatch, type DispatchChange, DispatchLearner, type NewDispatch } from './schemas.ts';

export type DispatchRow = Selectable<DispatchTable>;

const toDispatch = (row: DispatchRow): Dispatch => recordOf(Dispatch, row, {});

const notFound = () =>
  new Problem('dispatch_not_found', 'The dispatch does not exist. List dispatches and check the DispatchID.');

type Handle = { dispatchId: string };

export async function findDispatch(
  ctx: TenantContext,
  { dispatchId }: Handle,
  lock: '' | 'for update' = '',
): Promise<DispatchRow | undefined> {
  const [row] = await run<DispatchRow>(
    ctx,
    `select held.* from dispatch held where held.tenant_id = $1 and held.dispatch_id = $2 ${lock}`,
    [ctx.tenantId, dispatchId],
  );
  return row;
}

export async function readDispatch(ctx: TenantContext, input: Handle, lock: '' | 'for update' = '') {
  const row = isId(input.dispatchId) ? await findDispatch(ctx, input, lock) : undefined;
  if (!row) throw notFound();
  return toDispatch(row);
}

export const listDispatches = (ctx: TenantContext, input: PageQuery) =>
  pageById<DispatchRow, Dispatch>(ctx, input, { table: 'dispatch', key: 'dispatch_id' }, toDispatch);

/** The ID of a release of the course. */
export async function findRelease(
  ctx: TenantContext,
  { courseId, release }: { courseId: string; release: number },
): Promise<string> {
  const row = await ctx.db
    .selectFrom('release')
    .select('release_id')
    .where('course_id', '=', courseId)
    .where('number', '=', release)
    .executeTakeFirst();
  if (!row) throw releaseNotFound();
  return row.release_id;
}

const offerText = `
select course.title, course.path is not null as is_path from course join enrol_option option on option.course_id = course.course_id
where course.course_id = $2 and option.duration_id = $3 and option.status = 'published' and ${isOffered('course', '$1')}`;

const insertText = `
insert into dispatch (tenant_id, dispatch_id, course_id, duration_id, standard, name, seats, release, ends_at, enabled, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11) returning *`;

export async function createDispatch(ctx: TenantContext, input: NewDispatch): Promise<Dispatch> {
  const now = tenantNow(ctx);
  const {
    CourseID: courseId,
    DurationID: durationId,
    Standard,
    Seats = null,
    Release = null,
    EndsAt = null,
  } = input;
  const [option] = await run<{ title: string; is_path: boolean }>(ctx, offerText, [
    ctx.tenantId,
    courseId,
    durationId,
  ]);
  if (!option)
    throw new Problem(
      'option_not_found',
      'The course is not offered to you with this DurationID. List courses and check CourseID and DurationID.',
      { param: 'DurationID' },
    );
  if (option.is_path)
    throw invalid(
      'CourseID',
      'The course is a path, which a package cannot play. Dispatch each of its courses instead.',
    );
  if (Release !== null) await findRelease(ctx, { courseId, release: Release });
  const values = [
    ...[ctx.tenantId, newId(now), courseId, durationId, Standard, input.Name ?? option.title.slice(0, 100)],
    ...[Seats, Release, EndsAt, input.Enabled ?? true, now],
  ];
  return transaction(ctx, async (ctx) => {
    const [row] = await run<DispatchRow>(ctx, insertText, values);
    if (!row) throw notFound();
    const targetId = row.dispatch_id;
    await appendAudit(ctx, ctx.tenantId, { action: 'dispatch.created', targetId, data: {} });
    return toDispatch(row);
  });
}

/** Changes the given fields; the others keep their values. */
export function updateDispatch(
  ctx: TenantContext,
  { dispatchId, ...input }: DispatchChange & Handle,
): Promise<Dispatch> {
  return transaction(ctx, async (ctx) => {
    const before = await readDispatch(ctx, { dispatchId }, 'for update');
    const after = { ...before, ...input };
    if (input.Release != null) await findRelease(ctx, { courseId: before.CourseID, release: input.Release });
    const row = await updateOwn(ctx, 'dispatch', { dispatch_id: dispatchId })
      .set({
        name: after.Name,
        seats: after.Seats,
        release: after.Release,
        ends_at: after.EndsAt === null ? null : new Date(after.EndsAt),
        enabled: after.Enabled,
        updated_at: tenantNow(ctx),
      })
      .returning('updated_at')
      .executeTakeFirstOrThrow();
    const Changed = differences(after, before);
    if (Changed.length > 0)
      await appendAudit(ctx, ctx.tenantId, {
        action: 'dispatch.changed',
        targetId: dispatchId,
        data: { Changed },
      });
    return { ...after, UpdatedAt: row.updated_at.toISOString() };
  });
}

/** Deletes the dispatch. Its packages stop working; users, enrolments and results stay. */
export function deleteDispatch(ctx: TenantContext, { dispatchId }: Handle): Promise<Dispatch> {
  return transaction(ctx, async (ctx) => {
    const dispatch = await readDispatch(ctx, { dispatchId }, 'for update');
    for (const table of ['dispatch_learner', 'dispatch'] as const)
      await ctx.db
        .deleteFrom(table)
        .where('tenant_id', '=', ctx.tenantId)
        .where('dispatch_id', '=', dispatchId)
        .execute();
    await appendAudit(ctx, ctx.tenantId, { action: 'dispatch.deleted', targetId: dispatchId, data: {} });
    return dispatch;
  });
}

type LearnerRow = {
  user_id: string;
  login_id: string;
  enroll_id: string;
  first_opened_at: Date;
  last_opened_at: Date;
};

const withLogin = (page: string) => `select held.*, known.login_id from (${page}) held
join "user" known on known.tenant_id = $1 and known.user_id = held.user_id`;

const toLearner = (row: LearnerRow): DispatchLearner => recordOf(DispatchLearner, row, {});

export async function listLearners(ctx: TenantContext, input: PageQuery & Handle) {
  const { DispatchID } = await readDispatch(ctx, input);
  const where: Condition[] = [({ add }) => `held.dispatch_id = ${add(DispatchID)}`];
  const list = { table: 'dispatch_learner', key: 'user_id', where, show: withLogin } as const;
  return pageById<LearnerRow, DispatchLearner>(ctx, input, list, toLearner);
}
