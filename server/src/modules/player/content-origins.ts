import type { Context } from '../../platform/context.ts';
import { mark } from '../../platform/signing.ts';

/**
 * Whose content an origin holds. Previews have origins of their own: a draft that nobody has approved must not read what
 * learners stored.
 */
export type OriginOwner = { use: 'launch' | 'preview'; tenantId: string | null; courseId: string };

function digest(ctx: Context, text: string, bytes: number): string {
  return Buffer.from(mark(ctx.keys, 'origin', text), 'base64url')
    .subarray(0, bytes)
    .toString('hex');
}

/** 128 bits that nobody can guess, and 32 that show that we made them. */
function labelOf(ctx: Context, { use, tenantId, courseId }: OriginOwner): string {
  const name = digest(ctx, JSON.stringify([use, tenantId, courseId]), 16);
  return name + digest(ctx, name, 4);
}

function isLabel(ctx: Context, label: string): boolean {
  const name = label.slice(0, 32);
  return label === name + digest(ctx, name, 4);
}

/** Whether `CONTENT_URL` has a `*`, which stands for the label of each owner. */
export function separatesCourses({ config }: Context): boolean {
  return config.contentUrl.includes('*');
}

/** Where the owner's content is served, without a trailing slash. */
export function contentOrigin(ctx: Context, owner: OriginOwner): string {
  const { contentUrl } = ctx.config;
  return separatesCourses(ctx) ? contentUrl.replace('*', labelOf(ctx, owner)) : contentUrl;
}

/** Whether the host name is the owner's; without an owner, whether it is anyone's. */
export function isHostOf(ctx: Context, hostname: string, owner: OriginOwner | null): boolean {
  const [label = '', ...parents] = hostname.toLowerCase().split('.');
  const isExpected = owner ? label === labelOf(ctx, owner) : isLabel(ctx, label);
  return isExpected && `*.${parents.join('.')}` === new URL(ctx.config.contentUrl).hostname;
}
