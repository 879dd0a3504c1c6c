import type { Reached } from '../../../../standards/reached.ts';
import type { Player } from '../../platform/admission.ts';
import type { Context } from '../../platform/context.ts';
import type { SigningPurpose } from '../../platform/keys/key-ring.ts';
import { seal, unseal } from '../../platform/signing.ts';
import { operatorLine } from '../../platform/turns.ts';

/** What a preview shows. `tenantId` null: to the operator. `at`: when it was asked for. */
export type PreviewLink = { courseId: string; release: number | null; tenantId: string | null; at: number };

/** An opened link: it opens sittings until the preview is over. */
export type PreviewTicket = PreviewLink & { returnUrl: string | null };

/** One sitting: which files it may have, and until when. */
export type PreviewHandle = Pick<PreviewLink, 'courseId' | 'tenantId'> & {
  releaseId: string | null;
  until: number;
};

const openMinutes = 15;
const playMinutes = 120;

const after = (at: number, minutes: number) => at + minutes * 60_000;

/** Until when a preview's link can be opened. */
export const openUntil = (link: PreviewLink) => after(link.at, openMinutes);
/** When a preview is over, whenever it was opened. */
export const playUntil = (link: PreviewLink) => after(link.at, playMinutes);

/** All previews of a course share their budgets, apart for each tenant. */
export function previewPlayerOf({ tenantId, courseId }: Pick<PreviewLink, 'tenantId' | 'courseId'>): Player {
  return { tenantId, sitting: `${tenantId ?? operatorLine} preview ${courseId}` };
}

/** What we sealed for a purpose has the shape that we gave it. */
function read<Shape>(ctx: Context, purpose: SigningPurpose, token: string): Shape | null {
  return unseal(ctx.keys, purpose, token) as Shape | null;
}

export function writePreviewLink(ctx: Context, link: PreviewLink): string {
  return seal(ctx.keys, 'preview', link);
}

export function readPreviewLink(ctx: Context, token: string): PreviewLink | null {
  return read(ctx, 'preview', token);
}

export function writePreviewTicket(ctx: Context, ticket: PreviewTicket): string {
  return seal(ctx.keys, 'preview-ticket', ticket);
}

export function readPreviewTicket(ctx: Context, token: string): PreviewTicket | null {
  const ticket = read<PreviewTicket>(ctx, 'preview-ticket', token);
  return ticket && ctx.now().getTime() < playUntil(ticket) ? ticket : null;
}

export function writePreviewSession(ctx: Context, handle: PreviewHandle): string {
  return seal(ctx.keys, 'preview-session', handle);
}

export function readPreviewSession(ctx: Context, token: string): PreviewHandle | null {
  return read(ctx, 'preview-session', token);
}

/** What a preview has reached travels with its commits, because nothing here keeps it. */
export function writeReached(ctx: Context, reached: Reached): string {
  return seal(ctx.keys, 'preview-state', reached);
}

export function readReached(ctx: Context, token: string): Reached | null {
  return read(ctx, 'preview-state', token);
}
