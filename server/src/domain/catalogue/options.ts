import { type Selectable, sql } from 'kysely';
import type { Standard } from '../../../../standards/types.ts';
import type { EnrolOptionTable } from '../../db/engine/generated.ts';
import { transaction } from '../../db/transaction.ts';
import { recordOf } from '../../http/records.ts';
import { createCache } from '../../infra/context/cache.ts';
import type { Context } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { differences } from '../../lib/tables.ts';
import { appendAudit, deployment } from '../audit/chain.ts';
import { rejectRules, rulesOf, withDefaultRules } from './attempt-rules.ts';
import { courseNotFound, translateInUse } from './problems.ts';
import { EnrolOption, type EnrolOptionChange } from './schemas.ts';
import { recountSeats, seatsLeft } from './seats.ts';

export type OptionRow = Selectable<EnrolOptionTable>;

/** Does not use the time columns, because they have a different type in a row that was read as JSON. */
export function toOption(row: Omit<OptionRow, 'created_at' | 'updated_at' | 'course_id'>): EnrolOption {
  return recordOf(EnrolOption, row, {
    Price:
      row.price_amount !== null && row.price_currency !== null
        ? { Amount: row.price_amount, Currency: row.price_currency }
        : null,
    Attempts: rulesOf(row.attempts),
    SeatsLeft: seatsLeft(row),
  });
}

type OptionKey = { courseId: string; durationId: string };

export async function putOption(
  ctx: Context,
  input: EnrolOptionChange & OptionKey,
): Promise<{ option: EnrolOption; isNew: boolean }> {
  const course = await ctx.db
    .selectFrom('course')
    .select(['release_id'])
    .where('course_id', '=', input.courseId)
    .executeTakeFirst();
  if (!course) throw courseNotFound();
  if (input.Attempts) rejectRules(await standardOf(ctx, course.release_id));
  const written = await transaction(ctx, (ctx) => writeOption(ctx, input));
  knownPeriods.forget(ctx, input.courseId);
  return written;
}

/** Returns null if the course has no package. */
async function standardOf(ctx: Context, releaseId: string | null): Promise<Standard | null> {
  const release = await ctx.db
    .selectFrom('release')
    .select('standard')
    .where('release_id', '=', releaseId)
    .executeTakeFirst();
  // The cast is safe, because imports write only these names.
  return (release?.standard ?? null) as Standard | null;
}

async function writeOption(
  ctx: Context,
  input: EnrolOptionChange & OptionKey,
): Promise<{ option: EnrolOption; isNew: boolean }> {
  const now = ctx.now();
  const key = { course_id: input.courseId, duration_id: input.durationId };
  const sent = {
    ...(input.Name !== undefined && { name: input.Name }),
    ...(input.Duration !== undefined && { duration: input.Duration }),
    ...(input.StartsOn !== undefined && { starts_on: input.StartsOn }),
    ...(input.DueAfter !== undefined && { due_after: input.DueAfter }),
    ...(input.Seats !== undefined && { seats: input.Seats }),
    ...(typeof input.Seats === 'number' && { seats_taken: await recountSeats(ctx, key) }),
    ...(input.Groups !== undefined && { groups: input.Groups }),
    ...(input.Attempts !== undefined && {
      attempts: input.Attempts && JSON.stringify(withDefaultRules(input.Attempts)),
    }),
    ...(input.Status !== undefined && { status: input.Status }),
    ...(input.Price !== undefined && {
      price_amount: input.Price?.Amount ?? null,
      price_currency: input.Price?.Currency ?? null,
    }),
    updated_at: now,
  };
  const before = await ctx.db
    .selectFrom('enrol_option')
    .selectAll()
    .where('course_id', '=', key.course_id)
    .where('duration_id', '=', key.duration_id)
    .forUpdate()
    .executeTakeFirst();
  const row = await ctx.db
    .insertInto('enrol_option')
    .values({ name: input.durationId, ...sent, ...key, created_at: now })
    .onConflict((conflict) => conflict.columns(['course_id', 'duration_id']).doUpdateSet(sent))
    .returningAll()
    // `xmax` is 0 only in rows that this statement inserted.
    .returning(sql<boolean>`xmax = 0`.as('is_new'))
    .executeTakeFirstOrThrow();
  const option = toOption(row);
  await auditOption(ctx, input, option, before ?? null);
  return { option, isNew: row.is_new };
}

async function auditOption(
  ctx: Context,
  key: OptionKey,
  option: EnrolOption,
  before: OptionRow | null,
): Promise<void> {
  const DurationID = key.durationId;
  const about = { targetId: key.courseId };
  if (before === null) {
    await appendAudit(ctx, deployment, { action: 'option.created', data: { DurationID }, ...about });
    return;
  }
  const Changed = differences(option, toOption(before)).filter((name) => name !== 'SeatsLeft');
  if (Changed.length === 0) return;
  const data = { DurationID, Changed, ...(Changed.includes('Status') && { Status: option.Status }) };
  await appendAudit(ctx, deployment, { action: 'option.changed', data, ...about });
}

/**
 * The DueAfter of a course's options by their IDs. Cached, because each enrolment asks for it: a change applies within
 * 3 s on other nodes.
 */
export const knownPeriods = createCache<ReadonlyMap<string, string>>({
  name: 'due_periods',
  milliseconds: 3_000,
  max: 10_000,
  load: async (ctx, courseId) => {
    const rows = await ctx.db
      .selectFrom('enrol_option')
      .select(['duration_id', 'due_after'])
      .where('course_id', '=', courseId)
      .execute();
    return new Map(
      rows.flatMap(({ duration_id, due_after }) => (due_after === null ? [] : [[duration_id, due_after]])),
    );
  },
});

/** Deletes an option that has never been used to enrol anyone. */
export function deleteOption(ctx: Context, input: OptionKey): Promise<void> {
  return transaction(ctx, (ctx) => deleteRow(ctx, input));
}

async function deleteRow(ctx: Context, input: OptionKey): Promise<void> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('enrol_option')
    .where('course_id', '=', input.courseId)
    .where('duration_id', '=', input.durationId)
    .executeTakeFirst()
    .catch(
      translateInUse(
        new Problem(
          'option_in_use',
          'Users are enrolled with this option. Set its Status to retired instead.',
        ),
      ),
    );
  if (numDeletedRows === 0n)
    throw new Problem(
      'option_not_found',
      'The course has no option with this DurationID. See GET /course/{CourseID}.',
    );
  await appendAudit(ctx, deployment, {
    action: 'option.deleted',
    targetId: input.courseId,
    data: { DurationID: input.durationId },
  });
}
