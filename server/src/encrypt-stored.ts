import { encryptMails } from './modules/mail/content.ts';
import { encryptSecrets } from './modules/webhooks/secrets.ts';
import type { Context } from './platform/context.ts';

/** Encrypts everything that is stored encrypted with the ring's first key. Throws if the ring lacks a key that is needed. */
export async function encryptStored(ctx: Context): Promise<void> {
  await encryptSecrets(ctx);
  await encryptMails(ctx);
}
