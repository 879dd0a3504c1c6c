import type { Results } from '../../../../../standards/results.ts';
import type { Player } from '../../../infra/calls/limits.ts';
import type { Context } from '../../../infra/context/context.ts';
import { type SigningPurpose, signToken, verifyToken } from '../../../infra/keys/key-ring.ts';

/** The data of a preview link. `at` is the time of the request. `tenantId` is null for the operator. */
export type PreviewLink = { courseId: string; release: number | null; tenantId: string | null; at: number };

/** A preview link that was opened. It can open sessions until the preview expires. */
export type PreviewTicket = PreviewLink & { returnUrl: string | null };

/** One preview session, with the files that it may request and its expiry time. */
export type PreviewHandle = Pick<PreviewLink, 'courseId' | 'tenantId'> & {
  releaseId: string | null;
  until: number;
};

const openMinutes = 15;
const playMinutes = 120;

const after = (at: number, minutes: number) => at + minutes * 60_000;

/** How long a preview link can be opened. */
export const openUntil = (link: PreviewLink) => after(link.at, openMinutes);
/** When a preview ends, regardless of when it was opened. */
export const previewEndsAt = (link: PreviewLink) => after(link.at, playMinutes);

/** All previews of a course in a tenant share their budgets. */
export function previewPlayerOf({ tenantId, courseId }: Pick<PreviewLink, 'tenantId' | 'courseId'>): Player {
  return { tenantId, enrollId: null, budget: `${tenantId ?? ''} preview ${courseId}` };
}

/** The cast is safe, because only we can sign values, and each purpose has one type. */
function read<Shape>(ctx: Context, purpose: SigningPurpose, token: string): Shape | null {
  return verifyToken(ctx.keys, purpose, token) as Shape | null;
}

export function writePreviewLink(ctx: Context, link: PreviewLink): string {
  return signToken(ctx.keys, 'preview', link);
}

export function readPreviewLink(ctx: Context, token: string): PreviewLink | null {
  return read(ctx, 'preview', token);
}

export function writePreviewTicket(ctx: Context, ticket: PreviewTicket): string {
  return signToken(ctx.keys, 'preview-ticket', ticket);
}

export function readPreviewTicket(ctx: Context, token: string): PreviewTicket | null {
  const ticket = read<PreviewTicket>(ctx, 'preview-ticket', token);
  return ticket && ctx.now().getTime() < previewEndsAt(ticket) ? ticket : null;
}

export function writePreviewSession(ctx: Context, handle: PreviewHandle): string {
  return signToken(ctx.keys, 'preview-session', handle);
}

export function readPreviewSession(ctx: Context, token: string): PreviewHandle | null {
  return read(ctx, 'preview-session', token);
}

/** Nothing is stored on the server, so the page sends a preview's results with each commit. */
export function writeResults(ctx: Context, results: Results): string {
  return signToken(ctx.keys, 'preview-state', results);
}

export function readResults(ctx: Context, token: string): Results | null {
  return read(ctx, 'preview-state', token);
}
