import { encryptMails } from './modules/mail/content.ts';
import { encryptSecrets } from './modules/webhooks/secrets.ts';
import type { Context } from './platform/context.ts';

/**
 * Re-encrypts all encrypted data with the ring's first key. Throws if the key of any stored data is
 * missing from the ring.
 */
export async function encryptStored(ctx: Context): Promise<void> {
  await encryptSecrets(ctx);
  await encryptMails(ctx);
}
