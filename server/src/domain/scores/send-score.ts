import type { TenantContext } from '../../infra/context/context.ts';
import { nothingSent, sendWithToken } from '../events/webhooks/access-token.ts';
import type { Message, Outcome } from '../events/webhooks/send.ts';
import type { SendingDelivery } from '../events/webhooks/source.ts';
import { accessToken, forgetToken, type Scope } from '../lti/access-token.ts';
import { type Link, readLink, recordAccepted, recordAttempt, recordRejected } from './links.ts';
import { isSame, maximum, readResult, type Score, scoreBody, scoreOf, serviceUrl } from './score.ts';

function request(
  ctx: TenantContext,
  { sender, stop }: SendingDelivery,
  platformId: string,
  scope: Scope,
  message: Message,
): Promise<Outcome> {
  const tokens = {
    get: () => accessToken(ctx, platformId, scope),
    forget: () => forgetToken(ctx, platformId, scope),
  };
  return sendWithToken(message, tokens, (message) => sender.send(message, stop));
}

/** The score that the platform has, `unknown` if it does not say, or the outcome of a request to repeat later. */
async function readGrade(
  ctx: TenantContext,
  sending: SendingDelivery,
  link: Link,
): Promise<number | 'none' | 'unknown' | Outcome> {
  const url = serviceUrl(link.line_item, 'results');
  url.searchParams.set('user_id', link.subject);
  const outcome = await request(ctx, sending, link.platform_id, 'result.readonly', {
    method: 'GET',
    url: url.href,
    headers: { accept: 'application/vnd.ims.lis.v2.resultcontainer+json' },
    body: '',
  });
  if (outcome.delivered) return readResult(outcome.body ?? '', link.subject) ?? 'none';
  const isOver = outcome.status !== null && outcome.status !== 429 && outcome.status < 500;
  return isOver ? 'unknown' : outcome;
}

/** What a response about this score, not about the platform as a whole, means for administrators. */
const rejections: Record<number, string> = {
  400: 'The platform does not accept the score. Check that the person is still enrolled there as a learner.',
  403: 'The platform does not let this tool grade the person. Check that they are still enrolled there as a learner.',
  404: 'The grade column no longer exists in the platform.',
  410: 'The grade column no longer exists in the platform.',
  412: 'The platform does not accept the score.',
  422: 'The platform does not accept the score.',
};

const rounded = (score: number | null) => (score === null ? 'no score' : Math.round(score * 100) / 100);

/** Sends the current result of an enrolment, unless the platform has it, or has a grade that did not come from here. */
export async function sendScore(ctx: TenantContext, sending: SendingDelivery): Promise<Outcome> {
  const { delivery, sender: _, ...rest } = sending;
  const link = await readLink(ctx, delivery.lane);
  if (!link) return nothingSent;
  const score = scoreOf(link);
  const isKnown = link.sent_activity === score.activity && link.sent_score === score.given;
  if (isKnown && !delivery.isReplay) return nothingSent;
  // Without a score, a grade in the platform is removed. This is safe only if that grade can be read before.
  if (score.given === null && !link.may_read) return nothingSent;
  if (link.may_read && !delivery.isReplay) {
    const grade = await readGrade(ctx, sending, link);
    if (typeof grade === 'object') return grade;
    if (isChangedByOthers(link, grade)) return reject(ctx, link, score, held(grade, link));
  }
  const { at, isRepeated } = timestampOf(link, score, { now: rest.at, isReplay: delivery.isReplay });
  if (!isRepeated) await recordAttempt(ctx, link, { ...score, at });
  const outcome = await request(ctx, sending, link.platform_id, 'score', {
    url: serviceUrl(link.line_item, 'scores').href,
    headers: { 'content-type': 'application/vnd.ims.lis.v1.score+json' },
    body: JSON.stringify(scoreBody(score, { subject: link.subject, at })),
  });
  const isThere = outcome.status === 409 && (isRepeated || outcome.isRepeated);
  if (outcome.delivered || isThere) {
    await recordAccepted(ctx, link, score);
    return { ...outcome, delivered: true, body: null, error: null };
  }
  if (outcome.status === 409) await recordAttempt(ctx, link, null);
  const rejection = outcome.status === null ? undefined : rejections[outcome.status];
  if (rejection === undefined) return { ...outcome, body: null };
  return reject(ctx, link, score, {
    problem: String(outcome.status),
    detail: rejection,
    status: outcome.status,
  });
}

/**
 * The time of a request, which is newer than that of the score before also in whole seconds, as some platforms need it.
 * A request whose outcome is not known is repeated with its time: if the platform has the score, it responds with 409.
 */
function timestampOf(link: Link, score: Score, { now, isReplay }: { now: Date; isReplay: boolean }) {
  const isSameScore = link.attempt_score === score.given && link.attempt_activity === score.activity;
  if (link.attempt_at !== null && isSameScore && !isReplay) return { at: link.attempt_at, isRepeated: true };
  const next = (link.sent_at?.getTime() ?? 0) + 1_000;
  return { at: new Date(Math.max(now.getTime(), next)), isRepeated: false };
}

/** A grade that is neither the score sent last nor one that may have arrived is one that a teacher has given. */
function isChangedByOthers(link: Link, grade: number | 'none' | 'unknown'): grade is number {
  const { last_score, attempt_at, attempt_score } = link;
  if (typeof grade !== 'number') return false;
  if (attempt_at !== null && attempt_score !== null && isSame(grade, attempt_score)) return false;
  return last_score === null ? grade > 0 : !isSame(grade, last_score);
}

const held = (grade: number, { last_score }: Link) => ({
  problem: 'changed_there',
  status: null,
  detail: `The platform has ${rounded(grade)} of ${maximum} instead of ${rounded(last_score)}, so a teacher has graded it. Replay the delivery to replace that grade.`,
});

async function reject(
  ctx: TenantContext,
  link: Link,
  score: Score,
  { problem, detail, status }: { problem: string; detail: string; status: number | null },
): Promise<Outcome> {
  await recordRejected(ctx, link, { score, problem, detail });
  return { ...nothingSent, delivered: false, isRefused: true, status, error: detail };
}
