import type { Actor, TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { isId } from '../../platform/ids.ts';
import { isInstant } from '../../platform/instants.ts';
import { foreignCursor, type PageQuery, pageLimit, readCursor, toPage } from '../../platform/pagination.ts';
import { enrolmentNotFound } from './record.ts';
import type { TimelineEntry } from './schemas.ts';

type Row = {
  at: Date;
  kind: TimelineEntry['Kind'];
  id: string;
  type: string | null;
  launch: number | null;
  commit: number | null;
  unit_id: string | null;
  data: Record<string, unknown>;
  warnings: string[] | null;
  refused: string | null;
  actor: Actor['kind'] | null;
  actor_name: string | null;
};

const text = `
with owner as materialized (
  select held.enroll_id from enrolment held
  join "user" known on known.tenant_id = $1 and known.user_id = held.user_id
  where held.tenant_id = $1 and held.enroll_id = $2 and known.login_id = $3
), entry as (
  select launch.started_at as at, 'launch' as kind, 'launch ' || lpad(launch.number::text, 10, '0') as id,
    null::text as type, launch.number as launch, null::integer as commit, null::text as unit_id,
    jsonb_build_object('EndedAt', launch.ended_at, 'ReturnURL', launch.return_url,
      'UserAgent', launch.user_agent) as data,
    null::text[] as warnings, null::text as refused
  from launch join owner on true where launch.tenant_id = $1 and launch.enroll_id = $2
  union all
  select saved.committed_at, 'commit', 'commit ' || lpad(saved.number::text, 10, '0') || ' ' || saved.launch,
    null, saved.launch, saved.number, saved.unit_id, saved.evidence, saved.warnings, saved.refused
  from run_time_commit saved join owner on true where saved.tenant_id = $1 and saved.enroll_id = $2
  union all
  select told.occurred_at, 'event', 'event ' || told.event_id, told.type, null, null, null, told.data, null, null
  from event told join owner on true where told.tenant_id = $1 and told.enroll_id = $2
), noted as (
  select distinct on (decided.event_id) 'event ' || decided.event_id as id, decided.actor,
    coalesce(doer.login_id, used.name) as actor_name
  from audit_entry decided
  left join "user" doer on doer.tenant_id = $1 and doer.user_id = decided.actor_user_id
  left join api_key used on used.key_id = (case when decided.actor = 'key' then decided.actor_id end)::uuid
  where decided.tenant_id = $1 and decided.target_id = $2::uuid::text
)
select (select count(*) from owner) as owners, entry.*, noted.actor, noted.actor_name from (select 1) one
left join (
  select * from entry where $4::timestamptz is null or (at, id) > ($4::timestamptz, $5::text)
  order by at, id limit $6
) entry on true left join noted on noted.id = entry.id order by entry.at, entry.id`;

/** Launches, commits and events of an enrolment, oldest first. */
export async function readTimeline(
  ctx: TenantContext,
  input: PageQuery & { loginId: string; enrollId: string },
) {
  if (!isId(input.enrollId)) throw enrolmentNotFound();
  const limit = pageLimit(input);
  const after = readCursor(input);
  const [at, id] = after === null ? [null, null] : placeOf(after);
  const values = [ctx.tenantId, input.enrollId, input.loginId, at, id, limit + 1];
  const rows = await run<Row & { owners: number }>(ctx, { name: 'timeline', text, values });
  if (!rows[0]?.owners) throw enrolmentNotFound();
  return toPage(
    rows.filter((row) => row.at !== null),
    limit,
    (row) => `${row.at.toISOString()}|${row.id}`,
    (row) => toEntry(row, ctx.actor.kind !== 'learner'),
  );
}

function placeOf(cursor: string): [Date, string] {
  const cut = cursor.indexOf('|');
  const at = cursor.slice(0, Math.max(cut, 0));
  if (!isInstant(at)) throw foreignCursor();
  return [new Date(at), cursor.slice(cut + 1)];
}

/** Learners are told that an administrator decided, and not which. */
function toEntry(row: Row, namesActor: boolean): TimelineEntry {
  return {
    At: row.at.toISOString(),
    Kind: row.kind,
    Type: row.type,
    Launch: row.launch !== null && row.launch < 0 ? null : row.launch,
    Commit: row.commit,
    UnitID: row.unit_id,
    Data: row.data,
    Warnings: row.warnings ?? [],
    Refused: row.refused,
    Actor: row.actor,
    ActorName: namesActor ? row.actor_name : null,
  };
}
