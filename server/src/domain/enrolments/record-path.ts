import type { Evidence } from '../../../../standards/types.ts';
import { updateOwn } from '../../db/own-rows.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { appendEvents } from '../events/append.ts';
import type { EnrolmentWithNames } from './record/record.ts';
import {
  columnsOf,
  countingResult,
  eventsFor,
  resultData,
  resultIn,
  statusFollowing,
} from './record/states.ts';
import { updateEnrolment } from './update.ts';

/** What is completed stays completed, and later results only improve it. */
function merged(before: Evidence, after: Evidence): Evidence {
  if (before.Completion !== 'completed') return after;
  const scores = [before.Score, after.Score].flatMap((score) => score ?? []);
  return {
    Completion: 'completed',
    Success: before.Success === 'passed' || after.Success === 'passed' ? 'passed' : before.Success,
    Score: scores.length === 0 ? null : Math.max(...scores),
    Progress: 100,
    TotalSeconds: Math.max(before.TotalSeconds, after.TotalSeconds),
  };
}

/** The enrolment on a path with the result of its courses; null if nothing changes. */
export function withPathResult(
  before: EnrolmentWithNames,
  result: Evidence,
  completedAt: Date | null,
): EnrolmentWithNames | null {
  const [stored, next] = [resultIn(before), merged(resultIn(before), result)];
  const names = ['Completion', 'Success', 'Score', 'Progress', 'TotalSeconds'] as const;
  if (names.every((name) => stored[name] === next[name])) return null;
  const after = { ...before, ...columnsOf(next) };
  after.status = statusFollowing(after, countingResult(after).Completion);
  if (completedAt !== null)
    after.completed_at ??= completedAt > before.enrolled_at ? completedAt : before.enrolled_at;
  return after;
}

/** Stores the result of a path with its events. The caller has locked the enrolment. */
export async function recordPathResult(
  ctx: TenantContext,
  before: EnrolmentWithNames,
  after: EnrolmentWithNames,
): Promise<void> {
  await updateOwn(ctx, 'enrolment', { enroll_id: after.enroll_id })
    .set({
      ...columnsOf(resultIn(after)),
      status: after.status,
      completed_at: after.completed_at,
      changed_at: tenantNow(ctx),
      revision: after.revision + 1,
    })
    .execute();
  const completed = after.status !== before.status && after.status === 'completed';
  const progress = (row: EnrolmentWithNames) => ({ ...countingResult(row), Progress: row.progress });
  const types = eventsFor(progress(before), progress(after), completed);
  const about = { userId: after.user_id, enrollId: after.enroll_id, courseId: after.course_id };
  await appendEvents(
    ctx,
    types.map((type) => ({ type, ...about, data: resultData(after) })),
  );
}

/** An enrolment on a course of a path, as far as it follows the path. */
export type PartEnrolment = {
  enroll_id: string;
  status: string;
  expires_at: Date | null;
  ended_at: Date | null;
  withdrawn_with_path: boolean;
};
type PathEnrolment = Pick<EnrolmentWithNames, 'login_id' | 'status' | 'expires_at' | 'ended_at'>;

type Change = { ExpiresAt?: string | null; Withdrawn?: boolean };

/** What the end of the path changes in the end of its part; null if nothing. */
export function changeWithPath(path: PathEnrolment, part: PartEnrolment): Change | null {
  if (path.status === 'withdrawn')
    return part.status === 'withdrawn' || part.ended_at !== null ? null : { Withdrawn: true };
  const restore = part.withdrawn_with_path ? { Withdrawn: false } : {};
  const isMoved = part.expires_at?.getTime() !== path.expires_at?.getTime();
  const move =
    isMoved && (part.status !== 'withdrawn' || part.withdrawn_with_path)
      ? { ExpiresAt: path.expires_at?.toISOString() ?? null }
      : {};
  const change = { ...restore, ...move };
  return Object.keys(change).length === 0 ? null : change;
}

/** Ends, withdraws, reinstates or extends a part with its path. Without a seat, it stays withdrawn. */
export async function changePart(
  ctx: TenantContext,
  { login_id: loginId }: PathEnrolment,
  { enroll_id: enrollId }: PartEnrolment,
  change: Change,
): Promise<boolean> {
  try {
    await updateEnrolment(ctx, { loginId, enrollId, ...change });
  } catch (error) {
    if (error instanceof Problem && ['no_seats_left', 'already_enrolled'].includes(error.code)) return false;
    throw error;
  }
  if (change.Withdrawn !== undefined)
    await updateOwn(ctx, 'enrolment', { enroll_id: enrollId })
      .set({ withdrawn_with_path: change.Withdrawn })
      .execute();
  return true;
}
