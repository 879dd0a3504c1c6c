import { type Selectable, sql } from 'kysely';
import type { Context } from '../../platform/context.ts';
import type { EnrolOptionTable } from '../../platform/db/generated.ts';
import { Problem } from '../../platform/errors.ts';
import { courseNotFound, whenInUse } from './problems.ts';
import type { EnrolOption, EnrolOptionChange } from './schemas.ts';

export type OptionRow = Selectable<EnrolOptionTable>;

/** What a record of an option needs of its row; a row read as JSON has no other times. */
export function toOption(row: Omit<OptionRow, 'created_at' | 'updated_at' | 'course_id'>): EnrolOption {
  return {
    DurationID: row.duration_id,
    Name: row.name,
    Duration: row.duration,
    StartsOn: row.starts_on as EnrolOption['StartsOn'],
    Groups: row.groups,
    Price:
      row.price_amount !== null && row.price_currency !== null
        ? { Amount: row.price_amount, Currency: row.price_currency }
        : null,
    Status: row.status as EnrolOption['Status'],
    Seats: row.seats,
    SeatsLeft: null,
  };
}

type OptionKey = { courseId: string; durationId: string };

/** Creates an option, or changes what is sent of it. */
export async function putOption(
  ctx: Context,
  input: EnrolOptionChange & OptionKey,
): Promise<{ option: EnrolOption; isNew: boolean }> {
  const course = await ctx.db
    .selectFrom('course')
    .select('course_id')
    .where('course_id', '=', input.courseId)
    .executeTakeFirst();
  if (!course) throw courseNotFound();
  const now = ctx.now();
  const sent = {
    ...(input.Name !== undefined && { name: input.Name }),
    ...(input.Duration !== undefined && { duration: input.Duration }),
    ...(input.StartsOn !== undefined && { starts_on: input.StartsOn }),
    ...(input.Groups !== undefined && { groups: input.Groups }),
    ...(input.Status !== undefined && { status: input.Status }),
    ...(input.Price !== undefined && {
      price_amount: input.Price?.Amount ?? null,
      price_currency: input.Price?.Currency ?? null,
    }),
    updated_at: now,
  };
  const row = await ctx.db
    .insertInto('enrol_option')
    .values({
      name: input.durationId,
      ...sent,
      course_id: input.courseId,
      duration_id: input.durationId,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(['course_id', 'duration_id']).doUpdateSet(sent))
    .returningAll()
    // A row that this statement inserted was updated by no transaction yet.
    .returning(sql<boolean>`xmax = 0`.as('is_new'))
    .executeTakeFirstOrThrow();
  return { option: toOption(row), isNew: row.is_new };
}

/** Deletes an option that nobody enrolled with. */
export async function deleteOption(ctx: Context, input: OptionKey): Promise<void> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('enrol_option')
    .where('course_id', '=', input.courseId)
    .where('duration_id', '=', input.durationId)
    .executeTakeFirst()
    .catch(
      whenInUse(
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
}
