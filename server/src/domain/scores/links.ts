import { run, transaction } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { appendEvents } from '../events/append.ts';
import type { EventType } from '../events/types.ts';
import type { NewDelivery } from '../events/webhooks/source.ts';
import type { Score } from './score.ts';

/** Events after which a score may have to be sent. */
export const scoreTypes: EventType[] = [
  'enrolment.launched',
  'enrolment.updated',
  'enrolment.reset',
  'enrolment.progressed',
  'enrolment.completed',
  'enrolment.passed',
  'enrolment.failed',
];

type Concerned = { eventId: string; enrollId: string; type: string };

/** A launch matters only if the enrolment had a result before it was linked. */
const concernedText = `
select link.link_id, made.event_id, made.type
from unnest($3::uuid[], $4::uuid[], $5::text[]) with ordinality made (event_id, enroll_id, type, n)
join lti_link link on link.tenant_id = $1 and link.platform_id = $2 and link.enroll_id = made.enroll_id
where link.line_item is not null and (made.type <> 'enrolment.launched'
  or not exists (select from lti_score sent where sent.tenant_id = $1 and sent.link_id = link.link_id))
order by made.n`;

/**
 * A delivery for each link to the platform, after the last of these events. Each link is a lane, so a line item that
 * fails does not block another one.
 */
export async function deliveriesFor(
  ctx: TenantContext,
  platformId: string,
  events: readonly Concerned[],
): Promise<NewDelivery[]> {
  if (events.length === 0) return [];
  const rows = await run<{ link_id: string; event_id: string; type: string }>(ctx, concernedText, [
    ...[ctx.tenantId, platformId, events.map(({ eventId }) => eventId)],
    ...[events.map(({ enrollId }) => enrollId), events.map(({ type }) => type)],
  ]);
  const last = new Map(rows.map((row) => [row.link_id, row]));
  return [...last.values()].map(({ link_id, event_id, type }) => ({ event_id, type, lane: link_id }));
}

export type Link = {
  link_id: string;
  platform_id: string;
  platform_name: string;
  enroll_id: string;
  user_id: string;
  course_id: string;
  subject: string;
  line_item: string;
  may_read: boolean;
  completion: 'unknown' | 'incomplete' | 'completed';
  success: 'unknown' | 'passed' | 'failed';
  score: number | null;
  override: unknown;
  started_at: Date | null;
  sent_score: number | null;
  sent_activity: Score['activity'] | null;
  sent_at: Date | null;
  attempt_score: number | null;
  attempt_activity: Score['activity'] | null;
  attempt_at: Date | null;
  problem: string | null;
  /** The score that was sent last for this place and person, also for an earlier enrolment. */
  last_score: number | null;
};

const readText = `
select link.link_id, link.platform_id, platform.name as platform_name, link.enroll_id, link.user_id, own.course_id,
  link.subject, link.line_item, link.may_read, own.completion, own.success, own.score, own.override, own.started_at,
  sent.score as sent_score, sent.activity as sent_activity, sent.sent_at, sent.problem, sent.attempt_score,
  sent.attempt_activity, sent.attempt_at, before.score as last_score
from lti_link link
join lti_platform platform on platform.tenant_id = $1 and platform.platform_id = link.platform_id
join enrolment own on own.tenant_id = $1 and own.enroll_id = link.enroll_id
left join lti_score sent on sent.tenant_id = $1 and sent.link_id = link.link_id
left join lateral (
  select earlier.score from lti_link other
  join lti_score earlier on earlier.tenant_id = $1 and earlier.link_id = other.link_id
  where other.tenant_id = $1 and other.user_id = link.user_id and other.platform_id = link.platform_id
    and other.resource_link_id = link.resource_link_id and earlier.sent_at is not null
  order by earlier.sent_at desc limit 1
) before on true
where link.tenant_id = $1 and link.link_id = $2 and link.line_item is not null`;

/** Undefined if the person was erased, the platform deleted, or the place has no grade column any more. */
export async function readLink(ctx: TenantContext, linkId: string): Promise<Link | undefined> {
  const [link] = await run<Link>(ctx, readText, [ctx.tenantId, linkId]);
  return link;
}

const acceptText = `
insert into lti_score (tenant_id, link_id, score, activity, sent_at) select $1, link_id, $3, $4, $5
from lti_link where tenant_id = $1 and link_id = $2 for key share
on conflict (tenant_id, link_id) do update
set score = excluded.score, activity = excluded.activity, sent_at = excluded.sent_at, problem = null, attempt_at = null
returning 1`;

const attemptText = `
insert into lti_score (tenant_id, link_id, attempt_score, attempt_activity, attempt_at) select $1, link_id, $3, $4, $5
from lti_link where tenant_id = $1 and link_id = $2 for key share
on conflict (tenant_id, link_id) do update set attempt_score = excluded.attempt_score,
  attempt_activity = excluded.attempt_activity, attempt_at = excluded.attempt_at`;

const rejectText = `
insert into lti_score (tenant_id, link_id, problem) select $1, link_id, $3
from lti_link where tenant_id = $1 and link_id = $2 for key share
on conflict (tenant_id, link_id) do update set problem = excluded.problem returning 1`;

const subjectOf = ({ user_id, enroll_id, course_id }: Link) => ({
  userId: user_id,
  enrollId: enroll_id,
  courseId: course_id,
});

const placeOf = (link: Link) => ({ PlatformID: link.platform_id, Platform: link.platform_name });

/**
 * Remembers what is about to be sent, so that a request whose response was lost is repeated with its timestamp, and the
 * platform can tell that it is the same one. Null: the outcome is known.
 */
export async function recordAttempt(
  ctx: TenantContext,
  link: Link,
  attempt: (Score & { at: Date }) | null,
): Promise<void> {
  const { given = null, activity = null, at = null } = attempt ?? {};
  await run(ctx, attemptText, [ctx.tenantId, link.link_id, given, activity, at]);
}

/** Does nothing if the person has been erased in the meantime. */
export function recordAccepted(ctx: TenantContext, link: Link, score: Score): Promise<void> {
  return transaction(ctx, async (ctx) => {
    const values = [ctx.tenantId, link.link_id, score.given, score.activity, ctx.now()];
    const kept = await run(ctx, acceptText, values);
    if (kept.length === 0) return;
    const data = { ...placeOf(link), Score: score.given, Activity: score.activity };
    await appendEvents(ctx, [{ type: 'score.accepted', ...subjectOf(link), data }]);
  });
}

/** The same problem is reported once, until a score is accepted. */
export async function recordRejected(
  ctx: TenantContext,
  link: Link,
  { score, problem, detail }: { score: Score; problem: string; detail: string },
): Promise<void> {
  if (link.problem === problem) return;
  await transaction(ctx, async (ctx) => {
    const kept = await run(ctx, rejectText, [ctx.tenantId, link.link_id, problem]);
    if (kept.length === 0) return;
    const data = { ...placeOf(link), Score: score.given, Problem: problem, Detail: detail };
    await appendEvents(ctx, [{ type: 'score.rejected', ...subjectOf(link), data }]);
  });
}
