import type { ErrorCode } from '../../platform/errors.ts';
import { suspendedReason } from '../tenants/suspension.ts';

/** Why a launch's page can no longer load course files. `tenant_suspended` applies until the tenant is resumed. */
export const sessionEnds = {
  enrolment_withdrawn: 'This enrolment was withdrawn. Ask your administrator to enrol you again.',
  user_disabled: 'This account is disabled. Ask your administrator to enable it.',
  access_expired: 'Your access to this course has expired. Ask your administrator to extend it.',
  tenant_suspended: suspendedReason,
  session_superseded: 'The course was opened elsewhere. Continue there, or reopen it here.',
  session_ended: 'The session has ended. Open the course again.',
} as const satisfies Partial<Record<ErrorCode, string>>;
export type SessionEnd = keyof typeof sessionEnds;

/**
 * Codes for commits that are rejected permanently. When the page receives one of these codes, it deletes the
 * commit from its device and informs the learner.
 */
export const commitRejections = {
  enrolment_withdrawn: sessionEnds.enrolment_withdrawn,
  user_disabled: sessionEnds.user_disabled,
  results_too_late: 'The session ended too long ago for its results to be accepted.',
  session_exited: 'The learner left this session before the commit was made.',
  enrolment_erased: 'The data about this learner was erased.',
  validation_failed: 'The commit cannot be read, or its unit is not in the course.',
} as const satisfies Partial<Record<ErrorCode, string>>;
export type CommitRejection = keyof typeof commitRejections;

export type SessionFacts = {
  status: string;
  expires_at: Date | null;
  launches: number;
  /** Number of the last launch that belongs to an earlier attempt. */
  attempt_launch: number;
  enabled: boolean;
  last_seen_at: Date;
  exit_number: number | null;
};

/** A session without a heartbeat for this long has ended. */
const heartbeatTimeoutMilliseconds = 24 * 3_600_000;

/** A session last seen before this time has ended. */
export const heartbeatDeadline = (now: Date) => new Date(now.getTime() - heartbeatTimeoutMilliseconds);

/** Why the learner no longer has access to the course; null if they still do. */
export function accessEnd(
  facts: Pick<SessionFacts, 'status' | 'enabled' | 'expires_at'>,
  now: Date,
): SessionEnd | null {
  if (facts.status === 'withdrawn') return 'enrolment_withdrawn';
  if (!facts.enabled) return 'user_disabled';
  return facts.expires_at !== null && facts.expires_at <= now ? 'access_expired' : null;
}

/** Why a launch's session has ended; null if it is open. */
export function sessionEnd(facts: SessionFacts, launch: number, now: Date): SessionEnd | null {
  const ended = accessEnd(facts, now);
  if (ended !== null) return ended;
  if (facts.launches !== launch) return 'session_superseded';
  if (launch <= facts.attempt_launch) return 'session_ended';
  return facts.last_seen_at < heartbeatDeadline(now) || facts.exit_number !== null ? 'session_ended' : null;
}

/** Why a commit is rejected permanently; null if its results count. Being superseded is not a reason. */
export function commitRejection(
  facts: SessionFacts,
  commit: { number: number },
  { now, lateDays, resumedAt }: { now: Date; lateDays: number; resumedAt: Date | null },
): CommitRejection | null {
  if (facts.status === 'withdrawn') return 'enrolment_withdrawn';
  if (!facts.enabled) return 'user_disabled';
  if (facts.exit_number !== null && commit.number > facts.exit_number) return 'session_exited';
  const silentAt = facts.last_seen_at.getTime() + heartbeatTimeoutMilliseconds;
  const endedAt = Math.min(silentAt, facts.expires_at?.getTime() ?? silentAt);
  // A device cannot send anything while its tenant is suspended.
  const lateSince = Math.max(endedAt, resumedAt?.getTime() ?? endedAt);
  return now.getTime() - lateSince > lateDays * 86_400_000 ? 'results_too_late' : null;
}
