import type { Context } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import type { OriginOwner } from './content-origins.ts';
import { launchOpening, launchSitting } from './launch-sitting.ts';
import { previewOpening, previewSitting } from './preview-sitting.ts';
import { readPreviewLink, readPreviewSession, readPreviewTicket } from './preview-tokens.ts';
import type { Opening, Sitting } from './sitting.ts';
import { readSession, readTicket } from './tokens.ts';

/** Whose content a link, ticket or session stands for; null: it is not one of ours, or too old. */
export function ownerOf(ctx: Context, token: string): OriginOwner | null {
  const launch = readTicket(ctx, token) ?? readSession(ctx, token);
  if (launch) return { ...launch, use: 'launch' };
  const preview =
    readPreviewTicket(ctx, token) ?? readPreviewSession(ctx, token) ?? readPreviewLink(ctx, token);
  return preview && { ...preview, use: 'preview' };
}

/** The kind is in the purpose for which a token was sealed; null: not one of ours, or too old. */
export function openingOf(ctx: Context, token: string): Opening | null {
  const ticket = readTicket(ctx, token);
  if (ticket) return launchOpening(ctx, ticket);
  const preview = readPreviewTicket(ctx, token);
  return preview && previewOpening(ctx, preview);
}

export function sittingOf(ctx: Context, token: string): Sitting {
  const launch = readSession(ctx, token);
  if (launch) return launchSitting(ctx, launch);
  const preview = readPreviewSession(ctx, token);
  if (preview) return previewSitting(ctx, preview);
  throw new Problem('session_ended', 'This is not a session of the player. Open the course again.');
}
