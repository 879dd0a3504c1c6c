import { run } from '../../../db/transaction.ts';
import { foreignCursor, type PageQuery, pageLimit, readCursor, toPage } from '../../../http/pagination.ts';
import { recordOf } from '../../../http/records.ts';
import type { Actor, TenantContext } from '../../../infra/context/context.ts';
import { isId } from '../../../lib/ids.ts';
import { isInstant } from '../../../lib/instants.ts';
import { enrolmentNotFound } from '../record/record.ts';
import { TimelineEntry } from '../record/schemas.ts';

/** How far each of the four logs has been read. A commit is identified by its time, number and launch. */
type TimelinePosition = {
  launch: number;
  at: string;
  commit: number;
  commitLaunch: number;
  event: string;
  /** The ID of a unit's session. */
  unit: string;
};

type Logged = {
  at: Date;
  kind: 'launch' | 'unit' | 'commit' | 'event';
  /** The ID of an event or of a unit's session. */
  event_id: string | null;
  launch: number | null;
  commit: number | null;
};

/** The order of entries from the same millisecond. */
const kinds = ['commit', 'event', 'launch', 'unit'] as const;

const start: TimelinePosition = {
  launch: 0,
  at: '0001-01-01T00:00:00.000Z',
  commit: 0,
  commitLaunch: 0,
  event: '00000000-0000-0000-0000-000000000000',
  unit: '00000000-0000-0000-0000-000000000000',
};

function writePosition(position: TimelinePosition): string {
  const { launch, at, commit, commitLaunch, event, unit } = position;
  return [launch, at, commit, commitLaunch, event, unit].join('|');
}

function readPosition(cursor: string | null): TimelinePosition {
  if (cursor === null) return start;
  const [launch = '', at = '', commit = '', commitLaunch = '', event = '', unit = start.unit] =
    cursor.split('|');
  if (![launch, commit, commitLaunch].every(isNumber) || !isInstant(at) || !isId(event) || !isId(unit))
    throw foreignCursor();
  return {
    launch: Number(launch),
    at,
    commit: Number(commit),
    commitLaunch: Number(commitLaunch),
    event,
    unit,
  };
}

const isNumber = (text: string) => /^-?\d{1,10}$/.test(text) && Math.abs(Number(text)) < 2 ** 31;

/**
 * Merges the logs by time and returns the first entries, each with the position after it. Entries
 * of the same log keep their order.
 */
function inOrder<Row extends Logged>(
  rows: Row[],
  after: TimelinePosition,
  limit: number,
): { row: Row; place: TimelinePosition }[] {
  const logs = kinds.map((kind) => rows.filter((row) => row.kind === kind));
  const ordered: { row: Row; place: TimelinePosition }[] = [];
  let place = after;
  while (ordered.length < limit) {
    const [first] = logs.filter(([head]) => head).sort(([a], [b]) => timeOf(a) - timeOf(b));
    const row = first?.shift();
    if (!row) break;
    place = positionAfter(place, row);
    ordered.push({ row, place });
  }
  return ordered;
}

const timeOf = (row: Logged | undefined): number => row?.at.getTime() ?? 0;

function positionAfter(
  place: TimelinePosition,
  { kind, at, launch, commit, event_id }: Logged,
): TimelinePosition {
  if (kind === 'launch') return { ...place, launch: launch ?? place.launch };
  if (kind === 'unit') return { ...place, unit: event_id ?? place.unit };
  if (kind === 'event') return { ...place, event: event_id ?? place.event };
  return {
    ...place,
    at: at.toISOString(),
    commit: commit ?? place.commit,
    commitLaunch: launch ?? place.commitLaunch,
  };
}

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
  const rows = await run<Row>(ctx, text, values);
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
  return recordOf(TimelineEntry, row, {
    Launch: row.launch !== null && row.launch < 0 ? null : row.launch,
    // Refused reports have negative numbers, which mean nothing to clients.
    Commit: row.commit !== null && row.commit < 0 ? null : row.commit,
    Warnings: row.warnings ?? [],
    ActorName: namesActor ? row.actor_name : null,
  });
}
