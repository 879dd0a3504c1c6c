import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';

export type LaunchState = 'live' | 'superseded' | 'ended';

/** How long after its last sign of life the page of a launch may still ask for course files. */
const silentHours = 24;

type Row = {
  release_id: string | null;
  newest: boolean;
  ended_at: Date | null;
  last_seen_at: Date;
  withdrawn: boolean;
  enabled: boolean;
};

function stateOf(row: Row | undefined, now: Date): LaunchState {
  if (!row || row.withdrawn || !row.enabled) return 'ended';
  if (!row.newest) return 'superseded';
  const silent = now.getTime() - row.last_seen_at.getTime() > silentHours * 3_600_000;
  return row.ended_at || silent ? 'ended' : 'live';
}

const columns = `played.number = held.launches as newest, played.ended_at, played.last_seen_at,
  held.status = 'withdrawn' as withdrawn, known.enabled, held.release_id`;

const read = `
select ${columns} from launch played
join enrolment held on held.tenant_id = $1 and held.enroll_id = $2
join "user" known on known.tenant_id = $1 and known.user_id = held.user_id
where played.tenant_id = $1 and played.enroll_id = $2 and played.number = $3`;

const touch = `
update launch played set last_seen_at = $4 from enrolment held
join "user" known on known.tenant_id = $1 and known.user_id = held.user_id
where played.tenant_id = $1 and played.enroll_id = $2 and played.number = $3
  and held.tenant_id = $1 and held.enroll_id = $2
returning ${columns}`;

export type LaunchStanding = { state: LaunchState; releaseId: string | null };

type Handle = { enrollId: string; launch: number };

export async function readLaunchState(ctx: TenantContext, input: Handle): Promise<LaunchStanding> {
  const values = [ctx.tenantId, input.enrollId, input.launch];
  const [row] = await run<Row>(ctx, { name: 'read_launch', text: read, values });
  return { state: stateOf(row, ctx.now()), releaseId: row?.release_id ?? null };
}

/** Notes that the page of a launch is still open. */
export async function keepLaunchAlive(ctx: TenantContext, input: Handle): Promise<LaunchStanding> {
  const values = [ctx.tenantId, input.enrollId, input.launch, ctx.now()];
  const [row] = await run<Row>(ctx, { name: 'touch_launch', text: touch, values });
  return { state: stateOf(row, ctx.now()), releaseId: row?.release_id ?? null };
}
