import type { Actor, TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { type PageQuery, pageLimit, readCursor, toPage } from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import { enrolmentNotFound } from './record.ts';
import type { TimelineEntry } from './schemas.ts';
import { inOrder, readPosition, writePosition } from './timeline-order.ts';

type Row = {
  at: Date;
  kind: TimelineEntry['Kind'];
  event_id: string | null;
  type: string | null;
  launch: number | null;
  commit: number | null;
  unit_id: string | null;
  data: Record<string, unknown>;
  warnings: string[] | null;
  refused: string | null;
  claimed: TimelineEntry['Claimed'];
  actor: Actor['kind'] | null;
  actor_name: string | null;
};

/**
 * Each of the four logs is read in the order of an index, so the cost of a page does not depend on their length. Event
 * IDs are ordered by time, so events need no additional index.
 */
const text = `
with owner as materialized (
  select enrolment.enroll_id from enrolment
  join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id
  where enrolment.tenant_id = $1 and enrolment.enroll_id = $2 and known.login_id = $3
), launched as (
  select launch.started_at as at, 'launch' as kind, null::uuid as event_id, null::text as type,
    launch.number as launch, null::integer as commit, null::text as unit_id,
    jsonb_build_object('EndedAt', launch.ended_at, 'ReturnURL', launch.return_url,
      'UserAgent', launch.user_agent) as data,
    null::text[] as warnings, null::text as refused, null::jsonb as claimed
  from launch where launch.tenant_id = $1 and launch.enroll_id = $2 and launch.number > $4
  order by launch.number limit $9
), opened as (
  select opened.opened_at as at, 'unit' as kind, opened.session_id as event_id, null::text as type,
    opened.launch, null::integer as commit, opened.unit_id,
    jsonb_build_object('LaunchMode', opened.mode, 'Verbs', opened.verbs, 'EndedAt', opened.ended_at,
      'EndedBy', opened.ended_by) as data,
    null::text[] as warnings, null::text as refused, null::jsonb as claimed
  from au_session opened where opened.tenant_id = $1 and opened.enroll_id = $2 and opened.session_id > $10::uuid
  order by opened.session_id limit $9
), saved as (
  select entry.committed_at as at, 'commit' as kind, null::uuid as event_id, null::text as type,
    entry.launch, entry.number as commit, entry.unit_id, entry.evidence as data, entry.warnings, entry.refused, entry.claimed
  from run_time_commit entry where entry.tenant_id = $1 and entry.enroll_id = $2
    and (entry.committed_at, entry.number, entry.launch) > ($5::timestamptz, $6::integer, $7::integer)
  order by entry.committed_at, entry.number, entry.launch limit $9
), logged as (
  select event.occurred_at as at, 'event' as kind, event.event_id, event.type,
    null::integer as launch, null::integer as commit, null::text as unit_id, event.data,
    null::text[] as warnings, null::text as refused, null::jsonb as claimed
  from event where event.tenant_id = $1 and event.enroll_id = $2 and event.event_id > $8::uuid
  order by event.event_id limit $9
), entry as (
  select * from launched union all select * from opened union all select * from saved union all select * from logged
)
select entry.*, noted.actor, noted.actor_name from owner
left join entry on true
left join lateral (
  select decided.actor, coalesce(doer.login_id, used.name) as actor_name
  from audit_entry decided
  left join "user" doer on doer.tenant_id = $1 and doer.user_id = decided.actor_user_id
  left join api_key used on used.key_id = (case when decided.actor = 'key' then decided.actor_id end)::uuid
  where decided.tenant_id = $1 and decided.event_id = entry.event_id
  order by decided.audit_id limit 1
) noted on true
order by entry.kind, entry.event_id, case when entry.kind = 'commit' then entry.at end, entry.commit, entry.launch`;

/** An enrolment's launches, commits and events, oldest first. */
export async function readTimeline(
  ctx: TenantContext,
  input: PageQuery & { loginId: string; enrollId: string },
) {
  if (!isId(input.enrollId)) throw enrolmentNotFound();
  const limit = pageLimit(input);
  const after = readPosition(readCursor(input));
  const { launch, at, commit, commitLaunch, event, unit } = after;
  const values = [
    ctx.tenantId,
    input.enrollId,
    input.loginId,
    launch,
    at,
    commit,
    commitLaunch,
    event,
    limit + 1,
    unit,
  ];
  const rows = await run<Row>(ctx, { name: 'timeline', text, values });
  if (!rows[0]) throw enrolmentNotFound();
  const entries = rows.filter((row) => row.at !== null);
  return toPage(
    inOrder(entries, after, limit + 1),
    limit,
    ({ place }) => writePosition(place),
    ({ row }) => toEntry(row, ctx.actor.kind !== 'learner'),
  );
}

/** Learners see that an administrator made the change, but not which one. */
function toEntry(row: Row, namesActor: boolean): TimelineEntry {
  return {
    At: row.at.toISOString(),
    Kind: row.kind,
    Type: row.type,
    Launch: row.launch !== null && row.launch < 0 ? null : row.launch,
    // Refused reports have negative numbers, which mean nothing to clients.
    Commit: row.commit !== null && row.commit < 0 ? null : row.commit,
    UnitID: row.unit_id,
    Data: row.data,
    Warnings: row.warnings ?? [],
    Refused: row.refused,
    Claimed: row.claimed,
    Actor: row.actor,
    ActorName: namesActor ? row.actor_name : null,
  };
}
