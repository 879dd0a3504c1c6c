import { limitLockWaits, run, useShardsInTurn } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';

type OptionKey = { course_id: string; duration_id: string };

export function seatsLeft(option: { seats: number | null; seats_taken: number }): number | null {
  return option.seats === null ? null : Math.max(0, option.seats - option.seats_taken);
}

/** SQL that takes a seat of the option that `isOption` selects. No row changes if no seat is left. */
export const takeSeatSql = (isOption: string): string => `update enrol_option option
      set seats_taken = option.seats_taken + 1
      where ${isOption} and (option.seats is null or option.seats_taken < option.seats)`;

/** SQL that returns a seat that was taken in the same transaction. */
export const returnSeatSql = (isOption: string): string => `update enrol_option option
      set seats_taken = option.seats_taken - 1 where ${isOption}`;

const takeText = `${takeSeatSql('option.course_id = $1 and option.duration_id = $2')} returning true as taken`;

/**
 * Whether the option has no seat limit. If it has none, no limit can be set until the transaction ends. The
 * seats of unlimited options are not counted. A limited option is not locked here, because two transactions that
 * share such a lock could not both take a seat.
 */
async function isUnlimited(ctx: Context, option: OptionKey): Promise<boolean> {
  const unlimited = ctx.db
    .selectFrom('enrol_option')
    .select('duration_id')
    .where('course_id', '=', option.course_id)
    .where('duration_id', '=', option.duration_id)
    .where('seats', 'is', null);
  if (!(await unlimited.executeTakeFirst())) return false;
  return (await unlimited.forKeyShare().executeTakeFirst()) !== undefined;
}

/** Takes one seat in the transaction of its enrolment. Returns false if none is left. */
export async function takeSeat(ctx: Context, option: OptionKey): Promise<boolean> {
  if (await isUnlimited(ctx, option)) return true;
  const isTaken = (await run(ctx, takeText, [option.course_id, option.duration_id])).length > 0;
  await limitLockWaits(ctx);
  return isTaken;
}

const freeText = `
update enrol_option set seats_taken = greatest(seats_taken - $3, 0) where course_id = $1 and duration_id = $2`;

export async function freeSeats(ctx: Context, option: OptionKey, count: number): Promise<void> {
  if (await isUnlimited(ctx, option)) return;
  await run(ctx, freeText, [option.course_id, option.duration_id, count]);
  await limitLockWaits(ctx);
}

/**
 * Waits for enrolments in progress and blocks new ones, so that the following count is complete. The foreign key of a
 * new enrolment locks the key of its option, and this statement changes a column of a unique index, which needs
 * that lock. A row lock alone would be in only one of the copies that Citus keeps of the table.
 */
const lockText = `
update enrol_option set limits_set = limits_set + 1 where course_id = $1 and duration_id = $2`;

const countText = `/* across tenants: seats are counted across the deployment */
select count(*)::integer as taken from enrolment where course_id = $1 and duration_id = $2 and holds_seat`;

/** Counts the taken seats when an option gets a limit. Without a limit they are not counted. */
export async function recountSeats(ctx: Context, option: OptionKey): Promise<number> {
  const values = [option.course_id, option.duration_id];
  await useShardsInTurn(ctx);
  await run(ctx, lockText, values);
  const [row] = await run<{ taken: number }>(ctx, countText, values);
  return row?.taken ?? 0;
}
