import type { Context } from '../../../infra/context/context.ts';
import { keyedHash } from '../../../infra/keys/key-ring.ts';

/**
 * The owner of the content on an origin. Previews have their own origins, because an unapproved
 * draft must not read the data that learners' browsers store.
 */
export type OriginOwner = { use: 'launch' | 'preview'; tenantId: string | null; courseId: string };

function digest(ctx: Context, text: string, bytes: number): string {
  return Buffer.from(keyedHash(ctx.keys, 'origin', text), 'base64url')
    .subarray(0, bytes)
    .toString('hex');
}

/** Returns 128 unguessable bits, followed by 32 bits that prove that this service created the label. */
function labelOf(ctx: Context, { use, tenantId, courseId }: OriginOwner): string {
  const name = digest(ctx, JSON.stringify([use, tenantId, courseId]), 16);
  return name + digest(ctx, name, 4);
}

function isLabel(ctx: Context, label: string): boolean {
  const name = label.slice(0, 32);
  return label === name + digest(ctx, name, 4);
}

/** Whether `CONTENT_URL` has a `*`, which is replaced by each owner's label. */
export function hasOriginPerCourse({ config }: Context): boolean {
  return config.contentUrl.includes('*');
}

/** Returns the origin of the owner's content, without a trailing slash. */
export function contentOrigin(ctx: Context, owner: OriginOwner): string {
  const { contentUrl } = ctx.config;
  return hasOriginPerCourse(ctx) ? contentUrl.replace('*', labelOf(ctx, owner)) : contentUrl;
}

/** Whether the host name belongs to the owner or, without an owner, to any owner. */
export function isHostOf(ctx: Context, hostname: string, owner: OriginOwner | null): boolean {
  const [label = '', ...parents] = hostname.toLowerCase().split('.');
  const isExpected = owner ? label === labelOf(ctx, owner) : isLabel(ctx, label);
  return isExpected && `*.${parents.join('.')}` === new URL(ctx.config.contentUrl).hostname;
}
