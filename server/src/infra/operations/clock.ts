import type { Engine } from '../../db/engine/engine.ts';

/** More than this breaks signatures of other systems, such as those of webhooks. */
const maxSeconds = 30;

/** How many seconds this machine's clock is ahead of the server's, and behind the last job's end. */
export type Clock = { ahead: number; behindLastJob: number };

/** `hasJobs` is false for a database without tables. */
export async function readClock(engine: Engine, hasJobs = true): Promise<Clock> {
  const last = hasJobs ? '(select max(succeeded_at) from scheduled_job)' : 'null::timestamptz';
  const began = Date.now();
  const { rows } = await engine.query<{ server: number; last: number | null }>({
    text: `select extract(epoch from clock_timestamp())::float8 as server, extract(epoch from ${last})::float8 as last`,
    values: [],
  });
  const now = (began + Date.now()) / 2_000;
  const { server = now, last: ended = null } = rows[0] ?? {};
  return { ahead: now - server, behindLastJob: ended === null ? 0 : ended - now };
}

/** What is wrong with the clock, and the cure; null if nothing is. */
export function clockProblem({ ahead, behindLastJob }: Clock): string | null {
  const cure = 'Synchronise both, such as with chrony or systemd-timesyncd.';
  if (Math.abs(ahead) > maxSeconds)
    return `The clock differs by ${Math.abs(ahead).toFixed(1)} s from the database server's. ${cure}`;
  if (behindLastJob > maxSeconds)
    return `The clock is ${durationOf(behindLastJob)} behind the end of the last job in the database, so it is wrong now or was wrong then. Synchronise it, such as with chrony or systemd-timesyncd.`;
  return null;
}

function durationOf(seconds: number): string {
  if (seconds >= 2 * 86_400) return `${Math.round(seconds / 86_400)} days`;
  return seconds >= 2 * 3_600
    ? `${Math.round(seconds / 3_600)} hours`
    : `${Math.round(seconds / 60)} minutes`;
}
