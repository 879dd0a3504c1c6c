import type { Context } from '../../../infra/context/context.ts';
import { signToken, verifyToken } from '../../../infra/keys/key-ring.ts';
import type { NewTicket, Ticket } from './tokens.ts';

/** A review ends after this time. The learner can then open it again with the LaunchURL. */
const reviewHours = 2;

/** An open review of an enrolment's latest attempt: the release whose files it may request, and its end. */
export type ReviewHandle = Pick<Ticket, 'tenantId' | 'enrollId' | 'courseId'> & {
  releaseId: string | null;
  until: number;
};

export const reviewUntil = ({ at }: Pick<Ticket, 'at'>) => at + reviewHours * 3_600_000;

export function writeReviewTicket(ctx: Context, ticket: NewTicket): string {
  return signToken(ctx.keys, 'review-ticket', { at: ctx.now().getTime(), ...ticket });
}

/** Returns null if the ticket is forged or has expired. The cast is safe, because only we can sign a ticket. */
export function readReviewTicket(ctx: Context, token: string): Ticket | null {
  const ticket = verifyToken(ctx.keys, 'review-ticket', token) as Ticket | null;
  return ticket && ctx.now().getTime() < reviewUntil(ticket) ? ticket : null;
}

export function writeReviewSession(ctx: Context, handle: ReviewHandle): string {
  return signToken(ctx.keys, 'review-session', handle);
}

export function readReviewSession(ctx: Context, token: string): ReviewHandle | null {
  return verifyToken(ctx.keys, 'review-session', token) as ReviewHandle | null;
}
