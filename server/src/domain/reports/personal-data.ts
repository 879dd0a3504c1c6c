import { sql } from 'kysely';
import { ownRows } from '../../db/own-rows.ts';
import { countTenantRows, countUpToSql } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import type { Person, PersonalData } from '../../infra/context/personal-data.ts';
import { storeEndsText } from './count-access.ts';
import { storeFlowText } from './count-completion.ts';
import { lockFigures } from './event-counter.ts';

const flowText = `
  select own.course_id, gone.group_names, $3::date as day, figure.name, -1 as number
  from gone join enrolment own on own.tenant_id = $1 and own.enroll_id = gone.enroll_id
  cross join lateral (values (gone.access), (gone.outcome)) figure (name)`;

const forgetText = `
with gone as (
  delete from counted_enrolment counted where counted.tenant_id = $1 and counted.enroll_id = $2
  returning counted.enroll_id, counted.group_names, counted.access, counted.outcome
), flow as (${flowText}), ${storeFlowText}
select count(*)::integer as forgotten from gone`;

/** From this day on, the figures do not include the enrolment. */
async function forget(ctx: TenantContext, enrollId: string): Promise<number> {
  if (!(await lockFigures(ctx, 'completion_log'))) return 0;
  const day = tenantNow(ctx).toISOString().slice(0, 10);
  const [row] = await run<{ forgotten: number }>(ctx, forgetText, [ctx.tenantId, enrollId, day]);
  return row?.forgotten ?? 0;
}

async function* readCounted(ctx: TenantContext, person: Person) {
  for await (const enrollId of person.enrolments()) {
    const row = await ownRows(ctx, 'counted_enrolment', { enroll_id: enrollId })
      .select(['group_names', 'access', 'outcome'])
      .executeTakeFirst();
    if (row)
      yield {
        EnrollID: enrollId,
        Groups: row.group_names.filter((name) => name !== ''),
        Access: row.access,
        Outcome: row.outcome,
      };
  }
}

const ofEnrolments = {
  table: 'counted_enrolment',
  column: 'enroll_id',
  key: 'enroll_id',
  where: `held.outcome <> 'erased'`,
};

const forgetEndText = `
with gone as (
  delete from counted_end counted where counted.tenant_id = $1 and counted.enroll_id = $2
  returning counted.enroll_id, counted.group_names, counted.day
), flow as (
  select own.course_id, gone.group_names, gone.day, -1 as number
  from gone join enrolment own on own.tenant_id = $1 and own.enroll_id = gone.enroll_id
), ${storeEndsText}
select count(*)::integer as forgotten from gone`;

async function forgetEnd(ctx: TenantContext, enrollId: string): Promise<number> {
  if (!(await lockFigures(ctx, 'access_log'))) return 0;
  const [row] = await run<{ forgotten: number }>(ctx, forgetEndText, [ctx.tenantId, enrollId]);
  return row?.forgotten ?? 0;
}

async function* readEnds(ctx: TenantContext, person: Person) {
  for await (const enrollId of person.enrolments()) {
    const row = await ownRows(ctx, 'counted_end', { enroll_id: enrollId })
      .select(['group_names', sql<string>`day::text`.as('day')])
      .executeTakeFirst();
    if (row)
      yield { EnrollID: enrollId, Groups: row.group_names.filter((name) => name !== ''), EndsOn: row.day };
  }
}

async function* readAll(ctx: TenantContext, person: Person) {
  yield* readCounted(ctx, person);
  yield* readEnds(ctx, person);
}

const ends = { table: 'counted_end', column: 'enroll_id', key: 'enroll_id' };

/**
 * Both tables are one step of an erasure, because nodes of two versions share the number of the step. The logs are always
 * locked in the same order.
 */
export const countedData: PersonalData = {
  name: 'Reports',
  tables: ['counted_enrolment', 'counted_end'],
  erased:
    'How the enrolments count in reports, and when their access ends. The figures of earlier days are kept; they do not identify anyone.',
  retained: null,
  eraseForEnrolment: async (ctx, { enrollId }) => ({
    records: (await forget(ctx, enrollId)) + (await forgetEnd(ctx, enrollId)),
    next: null,
  }),
  count: async (ctx, { enrollIds, max }) =>
    (await countTenantRows(ctx, countUpToSql(ofEnrolments), [enrollIds, max])) +
    (await countTenantRows(ctx, countUpToSql(ends), [enrollIds, max])),
  read: readAll,
};
