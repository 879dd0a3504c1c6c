import { encryptMails } from './modules/mail/content.ts';
import { encryptSecrets } from './modules/webhooks/secrets.ts';
import type { Context } from './platform/context.ts';

/** Re-encrypts all encrypted data with the ring's first key. Throws if the ring lacks a key that was used for it. */
export async function encryptStored(ctx: Context): Promise<void> {
  await encryptSecrets(ctx);
  await encryptMails(ctx);
}
