import type { Context } from '../../platform/context.ts';
import type { Session } from './schemas.ts';

export const sessionHours = 12;
const idleMinutes = 30;
/** A session's last use is recorded at most this often, so most requests only read. */
const recordingIntervalSeconds = 60;

export type Times = { signed_in_at: Date; expires_at: Date };

/** The current time, and the time at which a session that starts now expires at the latest. */
export function newSessionTimes(ctx: Context): [Date, Date] {
  const now = ctx.now();
  return [now, new Date(now.getTime() + sessionHours * 3_600_000)];
}

/**
 * Returns the current time, the earliest last use of a session that is not idle, and the time
 * before which a last use must be recorded again.
 */
export function sessionTimes(ctx: Context): [Date, Date, Date] {
  const now = ctx.now();
  const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);
  return [now, before(idleMinutes * 60), before(recordingIntervalSeconds)];
}

export function toTimes(ctx: Context, row: Times): Pick<Session, 'SignedInAt' | 'IdleUntil' | 'ExpiresAt'> {
  const idleUntil = ctx.now().getTime() + idleMinutes * 60_000;
  return {
    SignedInAt: row.signed_in_at.toISOString(),
    IdleUntil: new Date(Math.min(idleUntil, row.expires_at.getTime())).toISOString(),
    ExpiresAt: row.expires_at.toISOString(),
  };
}
