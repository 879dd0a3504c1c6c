import type { FastifyRequest } from 'fastify';
import type { TenantContext } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { explain, type LaunchDecision } from '../../enrolments/run-time/start.ts';
import { type Language, languageOf, textsIn } from './page-texts.ts';
import { reviewUntil, writeReviewTicket } from './review-tokens.ts';
import { type Ticket, writeTicket } from './tokens.ts';

/**
 * Explains to the learner why the course was not opened. If no rule failed, the learner requested a
 * review of a course that can be started.
 */
export function refusalText(language: Language, decision: LaunchDecision) {
  const { Rules, NextAttemptAt, CourseTitle, attemptLimit: limit, isCompleted } = decision;
  const texts = textsIn(language);
  const failed = Rules.find((rule) => !rule.Passed);
  if (!failed) return texts.startable(CourseTitle);
  const { Rule: rule, Detail: detail } = failed;
  const title = texts[rule === 'attempts_left' && isCompleted ? 'completed' : 'refused'](CourseTitle);
  const until = NextAttemptAt === null ? null : new Date(NextAttemptAt);
  return { title, reason: texts.refusal({ rule, detail, until, limit }) };
}

/**
 * Adds a page for the learner to a rejected request. The page shows the reason in the learner's language and
 * a link: to a review or, if a review was rejected, to the course. The link expires at the same time as the
 * click.
 */
export async function withPage<T>(
  ctx: TenantContext,
  request: FastifyRequest,
  ticket: Ticket,
  opening: Promise<T>,
): Promise<T> {
  return opening.catch(async (error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'launch_refused') throw error;
    const decision = await explain(ctx, ticket);
    const language = languageOf(request);
    const { review, start } = textsIn(language);
    const { title: Title, reason: Reason } = refusalText(language, decision);
    const Link = decision.MayLaunch
      ? { Text: start, URL: `/play/${writeTicket(ctx, ticket)}` }
      : decision.mayReview && ctx.now().getTime() < reviewUntil(ticket)
        ? { Text: review, URL: `/play/${writeReviewTicket(ctx, ticket)}` }
        : null;
    throw new Problem(error.code, error.message, { ...error.extras, Page: { Title, Reason, Link } });
  });
}
