import Type from 'typebox';
import { Check } from 'typebox/value';
import {
  type CourseResult,
  courseStatement,
  type ProfileVerb,
} from '../../../../../standards/xapi/scorm-profile.ts';
import type { Statement } from '../../../../../standards/xapi/types.ts';
import { ownRows } from '../../../db/own-rows.ts';
import { run, transaction } from '../../../db/transaction.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { keyedHash } from '../../../infra/keys/key-ring.ts';
import { derivedId } from '../../../lib/ids.ts';
import { type LoggedEvent, readLog } from '../../events/log.ts';
import { courseResult, type EventType } from '../../events/types.ts';
import { accountOf, courseActivity, lmsAuthority } from '../identity.ts';
import { storeStatements } from '../store-statements.ts';

/** The number of events read at a time. */
const maxEvents = 100;

const launched = 'enrolment.launched';
export const verbOf: Partial<Record<EventType, ProfileVerb>> = {
  'enrolment.progressed': 'progressed',
  'enrolment.completed': 'completed',
  'enrolment.passed': 'passed',
  'enrolment.failed': 'failed',
};
const types = [launched, ...Object.keys(verbOf)];

const newest = 'coalesce((select event_log.position from event_log where event_log.tenant_id = $1), 0)';

/**
 * Derivation begins with the events that follow the newest event. These are two statements, because Citus rejects a
 * parameter in `on conflict`.
 */
const moveToNewest = `
update statement_log log set event_position = ${newest}
where log.tenant_id = $1 and (log.event_position is null
  or not exists (select from webhook hook where hook.tenant_id = $1 and hook.kind = 'xapi'))`;
const startAtNewest = `
insert into statement_log (tenant_id, position, event_position) select $1, 0, ${newest}
on conflict (tenant_id) do nothing`;

/**
 * Must be called before an endpoint is created. If there is no other endpoint, skips all earlier
 * events, because a new endpoint receives only later statements.
 */
export async function beginDeriving(ctx: TenantContext): Promise<void> {
  const values = [ctx.tenantId];
  await run(ctx, moveToNewest, values);
  await run(ctx, startAtNewest, values);
}

/** SQL: whether there are events from which no statements have been derived yet. */
export const hasUnderivedEvents = `exists (
    select from event_log left join statement_log log on log.tenant_id = hook.tenant_id
    where event_log.tenant_id = hook.tenant_id and event_log.position > coalesce(log.event_position, 0))`;

const moveText = `
update statement_log set event_position = greatest(event_position, $2) where tenant_id = $1`;

/**
 * Derives statements from the tenant's events, for courses that send no statements themselves.
 * Repeating it has no effect, because the ID of a statement depends only on its event. Returns
 * whether there are more events.
 */
export async function deriveStatements(ctx: TenantContext): Promise<boolean> {
  const log = await ownRows(ctx, 'statement_log').select('event_position').executeTakeFirst();
  const after = log?.event_position ?? null;
  // Null if there is no endpoint for statements.
  if (after === null) return false;
  const { events, position, hasMore } = await readLog(ctx, {
    after: { position: after, eventId: null },
    types,
    limit: maxEvents,
  });
  if (events.length > 0) await transaction(ctx, (ctx) => store(ctx, events));
  if (position.position > after) await run(ctx, moveText, [ctx.tenantId, position.position]);
  return hasMore || events.length === maxEvents;
}

type Known = { statement_id: string; event_id: string; login_id: string; course_id: string; title: string };

/**
 * Selects the events whose statement is not stored yet, whose person exists, and whose course sends no
 * statements itself. Locks the user, so that an erasure waits and then finds the statement.
 */
const knownText = `
select made.statement_id, event.event_id, known.login_id, course.course_id, course.title
from unnest($2::uuid[], $3::uuid[]) made (event_id, statement_id)
join event on event.tenant_id = $1 and event.event_id = made.event_id
join "user" known on known.tenant_id = $1 and known.user_id = event.user_id
join enrolment on enrolment.tenant_id = $1 and enrolment.enroll_id = event.enroll_id
join course on course.course_id = enrolment.course_id
left join release on release.release_id = coalesce(enrolment.release_id, course.release_id)
where coalesce(release.standard, '') not in ('cmi5', 'xapi')
  and not exists (select from statement where statement.tenant_id = $1 and statement.statement_id = made.statement_id)
order by known.login_id for key share of known`;

/**
 * The ID must be secret. Learners see the IDs of their events, and their units can store
 * statements, so they could otherwise store a statement with this ID first.
 */
const statementIdOf = (ctx: TenantContext, eventId: string) =>
  derivedId(keyedHash(ctx.keys, 'statement', `${ctx.tenantId} ${eventId}`));

async function store(ctx: TenantContext, events: readonly LoggedEvent[]): Promise<void> {
  const rows = await run<Known>(ctx, knownText, [
    ctx.tenantId,
    events.map(({ event }) => event.EventID),
    events.map(({ event }) => statementIdOf(ctx, event.EventID)),
  ]);
  const known = new Map(rows.map((row) => [row.event_id, row]));
  const statements = events.flatMap(({ event }) => {
    const row = known.get(event.EventID);
    const statement = row && statementOf(ctx, event, row);
    return statement ? [statement] : [];
  });
  await storeStatements(ctx, { statements, authority: lmsAuthority(ctx), edition: '1.0.3' });
}

const launch = Type.Object({ Launch: Type.Integer() });

function statementOf(ctx: TenantContext, event: LoggedEvent['event'], row: Known): Statement | null {
  const { Data, EnrollID } = event;
  const result = Check(courseResult, Data) ? resultOf(Data) : null;
  const verb = Check(launch, Data) && event.Type === launched ? verbOfLaunch(Data) : verbOf[event.Type];
  if (!verb || EnrollID === null) return null;
  return courseStatement({
    id: row.statement_id,
    at: new Date(event.OccurredAt),
    learner: { account: accountOf(ctx, row.login_id) },
    verb,
    course: { id: courseActivity(ctx, row.course_id), title: row.title },
    registration: EnrollID,
    result,
  });
}

const verbOfLaunch = ({ Launch }: Type.Static<typeof launch>): ProfileVerb =>
  Launch > 1 ? 'resumed' : 'initialized';

export function resultOf(data: Type.Static<typeof courseResult>): CourseResult {
  return {
    completion: data.Completion,
    success: data.Success,
    score: data.Score,
    progress: data.Progress,
    totalSeconds: data.TotalSeconds,
  };
}
