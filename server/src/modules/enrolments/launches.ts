import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { heartbeatDeadline, type SessionEnd, type SessionFacts, sessionEnd } from './session-end.ts';

type Row = SessionFacts & { release_id: string | null };

const columns = `played.exit_number, played.last_seen_at, enrolment.launches, enrolment.attempt_launch, enrolment.status, enrolment.expires_at, known.enabled,
  enrolment.release_id`;

/** Compares the ID too, because after a backup is restored, another launch may have the same number. */
const read = `
select ${columns} from launch played
join enrolment on enrolment.tenant_id = $1 and enrolment.enroll_id = $2
join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id
where played.tenant_id = $1 and played.enroll_id = $2 and played.number = $3 and played.launch_id = $4`;

/** Only the page of an open session updates its last-seen time, so an ended session stays ended. */
const recordHeartbeat = `
update launch played set last_seen_at = case
  when played.exit_number is null and played.last_seen_at >= $5 then $4 else played.last_seen_at end
from enrolment
join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id
where played.tenant_id = $1 and played.enroll_id = $2 and played.number = $3 and played.launch_id = $6
  and enrolment.tenant_id = $1 and enrolment.enroll_id = $2
returning ${columns}`;

/**
 * The release that a session plays. `ended` is the reason why the session can no longer request files, or
 * null.
 */
export type LaunchState = { ended: SessionEnd | null; releaseId: string | null };

type Handle = { enrollId: string; launch: number; launchId: string };

function stateOf(row: Row | undefined, launch: number, now: Date): LaunchState {
  if (!row) return { ended: 'session_ended', releaseId: null };
  return { ended: sessionEnd(row, launch, now), releaseId: row.release_id };
}

export async function readLaunchState(ctx: TenantContext, input: Handle): Promise<LaunchState> {
  const values = [ctx.tenantId, input.enrollId, input.launch, input.launchId];
  const [row] = await run<Row>(ctx, { name: 'read_launch', text: read, values });
  return stateOf(row, input.launch, tenantNow(ctx));
}

/** Records that a launch's page is still open. */
export async function keepLaunchAlive(ctx: TenantContext, input: Handle): Promise<LaunchState> {
  const now = tenantNow(ctx);
  const values = [ctx.tenantId, input.enrollId, input.launch, now, heartbeatDeadline(now), input.launchId];
  const [row] = await run<Row>(ctx, { name: 'touch_launch', text: recordHeartbeat, values });
  return stateOf(row, input.launch, now);
}
