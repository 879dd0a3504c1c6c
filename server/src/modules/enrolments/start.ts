import type { Evidence, RunTimeData } from '../../../../standards/types.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { spend } from '../../platform/load/budgets.ts';
import { launchesPerMinute } from '../../platform/load/pools.ts';
import { countRejection } from '../../platform/operations/counters.ts';
import { eventType, insertEventAt, nextPositions } from '../events/write.ts';
import { cappedEnd } from './end.ts';
import { explain } from './explain.ts';
import type { EnrolmentRow } from './record.ts';
import { countingResult } from './result.ts';
import { statusAfter, statusAtSql } from './states.ts';

/**
 * The content of a started launch: the enrolment after the click with its effective result, its release and the
 * run-time data so far.
 */
export type StartedLaunch = EnrolmentRow & {
  launch_id: string;
  course_title: string;
  course_url: string | null;
  course_language: string | null;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  tree_state: string | null;
  last_unit_id: string | null;
  /** The started units; null if there are none, or more than this statement reads. */
  units: Record<string, { data: RunTimeData; evidence: Evidence }> | null;
  has_more_units: boolean;
};

/** Limits for the data read with the launch. Larger data is read afterwards, in the tenant's queue. */
const maxInline = { units: 50, bytes: 64 * 1024 };

/**
 * `explain` has just allowed the click, so these conditions only catch changes since then. An enrolment keeps the
 * release with which it was first launched.
 */
const text = `
with started as (
  update enrolment set launches = enrolment.launches + 1,
    release_id = coalesce(enrolment.release_id, course.release_id),
    status = ${statusAfter('enrolment', 'launch')},
    started_at = coalesce(enrolment.started_at, $3), last_accessed_at = $3, changed_at = $3,
    expires_at = case when enrolment.starts_on = 'launch' and enrolment.started_at is null and enrolment.expires_at is null
      then ${cappedEnd('$3::timestamptz', 'enrolment.duration')} else enrolment.expires_at end
  from course, "user" known
  where enrolment.tenant_id = $1 and enrolment.enroll_id = $2 and course.course_id = enrolment.course_id
    and known.tenant_id = $1 and known.user_id = enrolment.user_id and known.enabled
    and ${statusAtSql('enrolment', '$3::timestamptz')} not in ('withdrawn', 'expired')
    and (enrolment.expires_at is null or enrolment.expires_at > $3)
    and coalesce(enrolment.release_id::text, course.release_id::text, course.url) is not null
    and not exists (
      select from launch tenth where tenth.tenant_id = $1 and tenth.enroll_id = $2
        and tenth.number = enrolment.launches - ${launchesPerMinute - 1} and tenth.started_at > $3::timestamptz - interval '1 minute'
    )
  returning enrolment.*, course.title as course_title, course.url as course_url, course.language as course_language,
    known.login_id, known.first_name, known.last_name
), launched as (
  insert into launch (tenant_id, enroll_id, number, launch_id, started_at, last_seen_at, return_url, user_agent)
  select $1, started.enroll_id, started.launches, $7, $3, $3, $4, $5 from started
), log_end as (
  ${nextPositions('select $1, 1 from started')}
), written_events as (
  ${insertEventAt}
  select $1, $6, ${eventType('enrolment.launched')}, $3, started.user_id, started.enroll_id, started.course_id,
    jsonb_build_object('Launch', started.launches, 'Status', started.status), log_end.position from started, log_end
)
select started.*, $7::uuid as launch_id, attempt.tree_state, attempt.last_unit_id, begun.has_more_units,
  case when not begun.has_more_units then (
    select jsonb_object_agg(unit.unit_id, jsonb_build_object('data', unit.data, 'evidence', unit.evidence))
    from attempt_unit unit where unit.tenant_id = $1 and unit.enroll_id = $2
  ) end as units
from started
cross join lateral (
  select count(*) > ${maxInline.units} or coalesce(sum(greatest(first.bytes, first.stored)), 0) > ${maxInline.bytes} as has_more_units
  from (
    select unit.bytes, pg_column_size(unit.data) as stored from attempt_unit unit
    where unit.tenant_id = $1 and unit.enroll_id = $2 limit ${maxInline.units + 1}
  ) first
) begun
left join attempt on attempt.tenant_id = $1 and attempt.enroll_id = started.enroll_id`;

/** Starts a launch in one statement. */
export async function startLaunch(
  ctx: TenantContext,
  input: { enrollId: string; returnUrl: string | null; userAgent: string | null },
): Promise<StartedLaunch> {
  const now = ctx.now();
  // Counted here, because concurrent statements do not see each other's launches.
  const seconds = spend(ctx.admission.starts, `${ctx.tenantId}/${input.enrollId}`, now);
  if (seconds > 0) throw tooManyLaunches(ctx, seconds);
  const values = [
    ctx.tenantId,
    input.enrollId,
    now,
    input.returnUrl,
    input.userAgent,
    newId(now),
    newId(now),
  ];
  const [started] = await run<StartedLaunch>(ctx, { name: 'start_launch', text, values });
  if (started) {
    const { Completion, Success, Score } = countingResult(started);
    return { ...started, completion: Completion, success: Success, score: Score };
  }
  const { reason } = await explain(ctx, input);
  if (reason === null) await rejectTooMany(ctx, input.enrollId, now);
  throw new Problem('launch_refused', reason ?? 'The course cannot be started now. Open the link again.');
}

const recentLaunchesText = `
select extract(epoch from tenth.started_at + interval '1 minute' - $3::timestamptz)::float8 as seconds
from enrolment join launch tenth on tenth.tenant_id = $1 and tenth.enroll_id = $2
  and tenth.number = enrolment.launches - ${launchesPerMinute - 1}
where enrolment.tenant_id = $1 and enrolment.enroll_id = $2`;

async function rejectTooMany(ctx: TenantContext, enrollId: string, now: Date): Promise<void> {
  const values = [ctx.tenantId, enrollId, now];
  const [row] = await run<{ seconds: number }>(ctx, {
    name: 'pace_launches',
    text: recentLaunchesText,
    values,
  });
  if (row && row.seconds > 0) throw tooManyLaunches(ctx, Math.ceil(row.seconds));
}

function tooManyLaunches(ctx: TenantContext, retryAfter: number): Problem {
  countRejection(ctx, 'runTime', 'launch_rate');
  const detail = `This course was opened ${launchesPerMinute} times within a minute. Open it again in ${retryAfter} seconds.`;
  return new Problem('too_many_requests', detail, { retryAfter });
}
