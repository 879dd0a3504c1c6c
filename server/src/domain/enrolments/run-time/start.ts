import { traits } from '../../../../../standards/traits.ts';
import type { Evidence, RunTimeData } from '../../../../../standards/types.ts';
import { databaseFunction, functionForTenants } from '../../../db/functions.ts';
import { cappedEnd, run } from '../../../db/transaction.ts';
import { countWithin, perMinute } from '../../../infra/calls/limits.ts';
import { byTenant, coalesceReads, contextOf, openQueue, wantedRows } from '../../../infra/calls/queue.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { countRejection } from '../../../infra/context/counters.ts';
import { Problem } from '../../../lib/errors.ts';
import { isId, newId } from '../../../lib/ids.ts';
import { rulesOf } from '../../catalogue/attempt-rules.ts';
import { playableContent } from '../../catalogue/playable.ts';
import { eventBuffer, eventType } from '../../events/write.ts';
import { knownTenant } from '../../tenants/tenants.ts';
import { timeFactorOf } from '../../users/users.ts';
import { type EnrolmentRow, enrolmentNotFound } from '../record/record.ts';
import { decideAttempt, decideLaunch, mayReview } from '../record/rules.ts';
import type { Explanation } from '../record/schemas.ts';
import { countingResult, outcomeSql, startsAnotherSql, statusAfter, statusAtSql } from '../record/states.ts';
import { startAttempt } from './attempts.ts';
import { heartbeatDeadline, type SessionEnd, type SessionFacts, sessionEnd } from './progress-cache.ts';

export type LaunchDecision = Omit<Explanation, 'Claims' | 'Refused' | 'Unavailable' | 'Units' | 'Parts'> & {
  CourseTitle: string;
  reason: string | null;
  /** The release that a launch plays; null if the course is a web page at a URL. */
  releaseId: string | null;
  /** Whether a launch starts another attempt. */
  startsAttempt: boolean;
  /** How many attempts the rules permit. */
  attemptLimit: number;
  isCompleted: boolean;
  /** Whether the latest attempt may be opened for review even though the course cannot be launched. */
  mayReview: boolean;
  /** Whether the tenant or the course requires a sign-in. */
  requiresSignIn: boolean;
  /** Whether the course is made of other courses. */
  isPath: boolean;
  /** The enrolment on the path of which this is a part. */
  pathEnrollId: string | null;
};

type AttemptColumns = (typeof attemptColumns)[number];
type DecisionRow = Pick<EnrolmentRow, AttemptColumns> & {
  status: string;
  expires_at: Date | null;
  release_id: string | null;
  course_id: string;
  enabled: boolean;
  login_id: string;
  time_factor: number | null;
  user_time_factor: number;
  title: string;
  url: string | null;
  course_status: string;
  course_release_id: string | null;
  require_sign_in: boolean;
  is_path: boolean;
  path_enroll_id: string | null;
};

const attemptColumns = [
  'attempt_rules',
  'attempt_state',
  'completion',
  'success',
  'score',
  'progress',
  'total_seconds',
  'override',
] as const satisfies readonly (keyof EnrolmentRow)[];

const decisionText = `
select wanted.n, ${attemptColumns.map((column) => `enrolment.${column}`).join(', ')}, enrolment.status, enrolment.expires_at, enrolment.release_id, enrolment.course_id, enrolment.time_factor, known.enabled,
  known.user_time_factor,
  known.login_id, course.title, course.url, course.status as course_status, course.release_id as course_release_id, course.require_sign_in,
  course.path is not null as is_path, enrolment.path_enroll_id
from ${wantedRows('enroll_id uuid')}
cross join lateral (
  select own.* from enrolment own where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id limit 1
) enrolment
cross join lateral (
  select own.enabled, own.login_id, own.time_factor as user_time_factor from "user" own
  where own.tenant_id = $1 and own.user_id = enrolment.user_id limit 1
) known
cross join lateral (select own.* from course own where own.course_id = enrolment.course_id limit 1) course`;

const readFacts = coalesceReads<string, DecisionRow>({
  name: 'explain',
  text: decisionText,
  item: (enrollId) => ({ enroll_id: enrollId }),
});

/**
 * Decides in one statement whether the learner can start now, and why. If `loginId` is undefined,
 * the enrolment may belong to any user.
 */
export async function explain(
  ctx: TenantContext,
  input: { enrollId: string; loginId?: string },
): Promise<LaunchDecision> {
  const row = isId(input.enrollId) ? await readFacts(ctx, input.enrollId) : null;
  if (!row || (input.loginId !== undefined && row.login_id !== input.loginId)) throw enrolmentNotFound();
  const tenant = await knownTenant.get(ctx, ctx.tenantId);
  const requiresSignIn = row.require_sign_in || (tenant?.RequireSignIn ?? false);
  const now = tenantNow(ctx);
  const attempt = decideAttempt(row, now);
  const decision = decideLaunch(
    {
      userEnabled: row.enabled,
      withdrawn: row.status === 'withdrawn',
      expiresAt: row.expires_at,
      courseStatus: row.course_status,
      requiresSignIn,
      canSignIn: tenant?.canSignIn ?? false,
      playable: row.is_path || (row.release_id ?? row.course_release_id ?? row.url) !== null,
      attempt,
    },
    now,
  );
  return {
    EnrollID: input.enrollId,
    LoginID: row.login_id,
    CourseID: row.course_id,
    CourseTitle: row.title,
    ...decision,
    TimeFactor: timeFactorOf(row.time_factor ?? row.user_time_factor),
    TimeFactorFrom: row.time_factor === null ? 'user' : 'enrolment',
    releaseId: (attempt.startsAnother ? null : row.release_id) ?? row.course_release_id,
    startsAttempt: attempt.startsAnother,
    attemptLimit: attempt.limit,
    isCompleted: row.status === 'completed',
    requiresSignIn,
    isPath: row.is_path,
    pathEnrollId: row.path_enroll_id,
    mayReview: mayReview(decision, rulesOf(row.attempt_rules)) && (await canReview(ctx, row.release_id)),
  };
}

/** AICC has no way to tell content that it is being reviewed. */
async function canReview(ctx: TenantContext, releaseId: string | null): Promise<boolean> {
  return releaseId === null || traits[(await playableContent(ctx, releaseId)).standard].canReview;
}

type LaunchRow = SessionFacts & { release_id: string | null };

const launchColumns = `played.exit_number, played.last_seen_at, enrolment.launches, enrolment.attempt_launch, enrolment.status, enrolment.expires_at, known.enabled,
  enrolment.release_id`;

/** Compares the ID too, because after a backup is restored, another launch may have the same number. */
const read = `
select ${launchColumns} from launch played
join enrolment on enrolment.tenant_id = $1 and enrolment.enroll_id = $2
join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id
where played.tenant_id = $1 and played.enroll_id = $2 and played.number = $3 and played.launch_id = $4`;

const readLatest = `
select ${launchColumns} from enrolment
join launch played on played.tenant_id = $1 and played.enroll_id = $2 and played.number = enrolment.launches
join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id
where enrolment.tenant_id = $1 and enrolment.enroll_id = $2`;

/** Only the page of an open session updates its last-seen time, so an ended session stays ended. */
const recordHeartbeat = `
update launch played set last_seen_at = case
  when played.exit_number is null and played.last_seen_at >= $5 then $4 else played.last_seen_at end
from enrolment
join "user" known on known.tenant_id = $1 and known.user_id = enrolment.user_id
where played.tenant_id = $1 and played.enroll_id = $2 and played.number = $3 and played.launch_id = $6
  and enrolment.tenant_id = $1 and enrolment.enroll_id = $2
returning ${launchColumns}`;

/** The release that a session plays. `ended` is the reason why the session can no longer request files, or null. */
export type LaunchState = { ended: SessionEnd | null; releaseId: string | null };

type Handle = { enrollId: string; launch: number; launchId: string };

function stateOf(row: LaunchRow | undefined, launch: number, now: Date): LaunchState {
  if (!row) return { ended: 'session_ended', releaseId: null };
  return { ended: sessionEnd(row, launch, now), releaseId: row.release_id };
}

export async function readLaunchState(ctx: TenantContext, input: Handle): Promise<LaunchState> {
  const [row] = await run<LaunchRow>(ctx, read, [ctx.tenantId, input.enrollId, input.launch, input.launchId]);
  return stateOf(row, input.launch, tenantNow(ctx));
}

/** The state of the enrolment's latest launch; no other launch can be open. */
export async function readLatestLaunch(ctx: TenantContext, enrollId: string): Promise<LaunchState> {
  const [row] = await run<LaunchRow>(ctx, readLatest, [ctx.tenantId, enrollId]);
  return stateOf(row, row?.launches ?? 0, tenantNow(ctx));
}

/** Records that a launch's page is still open. */
export async function keepLaunchAlive(ctx: TenantContext, input: Handle): Promise<LaunchState> {
  const now = tenantNow(ctx);
  const values = [ctx.tenantId, input.enrollId, input.launch, now, heartbeatDeadline(now), input.launchId];
  const [row] = await run<LaunchRow>(ctx, recordHeartbeat, values);
  return stateOf(row, input.launch, now);
}

/**
 * What starting a launch returns: the updated enrolment with its effective result, its release, and the
 * run-time data stored so far.
 */
export type StartedLaunch = EnrolmentRow & {
  launch_id: string;
  course_title: string;
  course_url: string | null;
  course_language: string | null;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  user_time_factor: number;
  tree_state: string | null;
  last_unit_id: string | null;
  /** The started units; null if there are none, or more than this statement reads. */
  units: Record<string, { data: RunTimeData; evidence: Evidence }> | null;
  has_more_units: boolean;
};

/** Limits for the data read with the launch. Larger data is read afterwards. */
const maxInline = { units: 50, bytes: 64 * 1024 };

/**
 * Starts launches of different enrolments of the tenant `$1` at `$3`. `$2` is an array of `Start`, each with its number
 * `n` and IDs for its event and its launch. `explain` has just allowed the clicks, so the conditions only catch later
 * changes. If one is not met, there is no row with this number. An enrolment keeps the release with which it was first
 * launched.
 */
export const startFunction = databaseFunction({
  name: 'start_launch',
  parameters: 'text, jsonb, timestamptz',
  returns: `table (n integer, started enrolment, course_title text, course_url text, course_language text, login_id text,
  first_name text, last_name text, user_time_factor double precision, launch_id uuid, tree_state text, last_unit_id text, has_more_units boolean,
  units json)`,
  body: `
declare
  request record;
  own enrolment;
  played record;
  known record;
  bookmark record;
  new_end timestamptz;
  ${eventBuffer.declare}
begin
  for request in
    select r.* from jsonb_to_recordset($2) as r (n integer, "enrollId" uuid, "returnUrl" text, "userAgent" text,
      "eventId" uuid, "launchId" uuid)
    order by r."enrollId"
  loop
    select held.* into own from enrolment held
    where held.tenant_id = $1 and held.enroll_id = request."enrollId" for no key update;
    continue when not found or ${statusAtSql('own', '$3')} in ('withdrawn', 'expired') or own.expires_at <= $3
      or ${startsAnotherSql('own')};
    select course.title, course.url, course.language, course.release_id, course.path is not null as is_path into played
    from course where course.course_id = own.course_id;
    select person.login_id, person.first_name, person.last_name, person.time_factor into known
    from "user" person where person.tenant_id = $1 and person.user_id = own.user_id and person.enabled;
    continue when not found
      or (coalesce(own.release_id::text, played.release_id::text, played.url) is null and not played.is_path);
    perform from launch tenth where tenth.tenant_id = $1 and tenth.enroll_id = own.enroll_id
      and tenth.number = own.launches - ${perMinute.launches.max - 1} and tenth.started_at > $3 - interval '1 minute';
    continue when found;
    new_end := (case when own.starts_on = 'launch' and own.started_at is null and own.expires_at is null
      then ${cappedEnd('$3', 'own.duration')} else own.expires_at end);
    update enrolment set launches = enrolment.launches + 1,
      release_id = coalesce(enrolment.release_id, played.release_id), status = ${statusAfter('enrolment', 'launch')},
      started_at = coalesce(enrolment.started_at, $3), last_accessed_at = $3, changed_at = $3, expires_at = new_end
    where enrolment.tenant_id = $1 and enrolment.enroll_id = own.enroll_id
    returning enrolment.* into started;
    insert into launch (tenant_id, enroll_id, number, launch_id, started_at, last_seen_at, return_url, user_agent)
    values ($1, own.enroll_id, started.launches, request."launchId", $3, $3, request."returnUrl", request."userAgent");
    select attempt.tree_state, attempt.last_unit_id into bookmark
    from attempt where attempt.tenant_id = $1 and attempt.enroll_id = own.enroll_id;
    n := request.n;
    course_title := played.title;
    course_url := played.url;
    course_language := played.language;
    login_id := known.login_id;
    first_name := known.first_name;
    last_name := known.last_name;
    user_time_factor := known.time_factor;
    launch_id := request."launchId";
    tree_state := bookmark.tree_state;
    last_unit_id := bookmark.last_unit_id;
    units := null;
    select count(*) > ${maxInline.units} or coalesce(sum(greatest(first.bytes, first.stored)), 0) > ${maxInline.bytes}
    into has_more_units from (
      select unit.bytes, pg_column_size(unit.data) as stored from attempt_unit unit
      where unit.tenant_id = $1 and unit.enroll_id = own.enroll_id limit ${maxInline.units + 1}
    ) first;
    if not has_more_units then
      select json_object_agg(unit.unit_id, json_build_object('data', unit.data, 'evidence', unit.evidence)) into units
      from attempt_unit unit where unit.tenant_id = $1 and unit.enroll_id = own.enroll_id;
    end if;
    ${eventBuffer.add({
      id: 'request."eventId"',
      type: eventType('enrolment.launched'),
      user: 'started.user_id',
      enrolment: 'own.enroll_id',
      course: 'started.course_id',
      data: `jsonb_build_object('Launch', started.launches, 'Status', started.status,
      'Outcome', ${outcomeSql('started')})`,
    })}
    return next;
  end loop;
  ${eventBuffer.write('true')}
end`,
});

export const startForTenants = functionForTenants(
  startFunction,
  `outcome.n, (outcome.started).*, outcome.course_title, outcome.course_url, outcome.course_language, outcome.login_id,
  outcome.first_name, outcome.last_name, outcome.user_time_factor, outcome.launch_id, outcome.tree_state,
  outcome.last_unit_id, outcome.has_more_units, outcome.units`,
);

type Start = { enrollId: string; returnUrl: string | null; userAgent: string | null };

/** Maximum launches per statement. Each can return `maxInline.bytes`. */
const maxStarts = 25;

/** When thousands of people click within a minute, their launches share statements. */
const starts = openQueue<TenantContext, Start, StartedLaunch | null>({
  name: 'start_launch',
  isShared: true,
  key: ({ enrollId }) => enrollId,
  max: maxStarts,
  run: async (calls) => {
    const own = byTenant(calls.map((call, n) => ({ ...call, n })));
    const requests = own.map((rows) => {
      const { ctx } = rows[0] as (typeof rows)[0];
      const now = tenantNow(ctx);
      const items = rows.map(({ row, n }) => ({ ...row, n, eventId: newId(now), launchId: newId(now) }));
      return { ctx, values: [JSON.stringify(items), now] };
    });
    const { rows, isLeftOut } = await startForTenants.call<StartedLaunch & { n: number }>(
      contextOf(calls),
      requests,
    );
    const started = new Map(rows.map(({ n, ...launch }) => [n, launch]));
    return calls.map(({ ctx }, n) => (isLeftOut(ctx.tenantId) ? undefined : (started.get(n) ?? null)));
  },
});

/**
 * Limits how often this node opens an enrolment, for a launch or a review. The database cannot enforce this
 * limit, because the statement does not see concurrent launches, and reviews are not recorded.
 */
export function admitLaunch(ctx: TenantContext, { enrollId }: { enrollId: string }): void {
  countWithin(ctx, 'launches', `${ctx.tenantId} ${enrollId}`);
}

/** Starts a launch in one statement, unless another attempt has to be started first. */
export async function startLaunch(ctx: TenantContext, input: Start): Promise<StartedLaunch> {
  const now = tenantNow(ctx);
  admitLaunch(ctx, input);
  const started = await start(ctx, input);
  if (started) return started;
  const decision = await explain(ctx, input);
  if (decision.reason === null && decision.startsAttempt) {
    await startAttempt(ctx, input);
    const again = await start(ctx, input);
    if (again) return again;
  }
  if (decision.reason === null) await rejectTooMany(ctx, input.enrollId, now);
  throw new Problem(
    'launch_refused',
    decision.reason ?? 'The course cannot be started now. Open the link again.',
  );
}

async function start(ctx: TenantContext, input: Start): Promise<StartedLaunch | null> {
  const started = await starts.add(ctx, input);
  if (!started) return null;
  const { Completion, Success, Score } = countingResult(started);
  return { ...started, completion: Completion, success: Success, score: Score };
}

const recentLaunchesText = `
select extract(epoch from tenth.started_at + interval '1 minute' - $3::timestamptz)::float8 as seconds
from enrolment join launch tenth on tenth.tenant_id = $1 and tenth.enroll_id = $2
  and tenth.number = enrolment.launches - ${perMinute.launches.max - 1}
where enrolment.tenant_id = $1 and enrolment.enroll_id = $2`;

async function rejectTooMany(ctx: TenantContext, enrollId: string, now: Date): Promise<void> {
  const [row] = await run<{ seconds: number }>(ctx, recentLaunchesText, [ctx.tenantId, enrollId, now]);
  if (row && row.seconds > 0) throw tooManyLaunches(ctx, Math.ceil(row.seconds));
}

function tooManyLaunches(ctx: TenantContext, retryAfter: number): Problem {
  countRejection(ctx, 'launches');
  const detail = `This course was opened ${perMinute.launches.max} times within a minute. Open it again in ${retryAfter} seconds.`;
  return new Problem('too_many_requests', detail, { retryAfter });
}
