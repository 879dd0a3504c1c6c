import { encryptSecrets } from '../domain/events/webhooks/secrets.ts';
import { encryptTenantKeys } from '../domain/identity/tenant-keys.ts';
import { encryptMails } from '../domain/mail/queue.ts';
import { encryptClientSecrets } from '../domain/sign-in/providers/providers.ts';
import type { Context } from '../infra/context/context.ts';

/**
 * Re-encrypts all encrypted data with the ring's first key. Throws if the key of any stored data is
 * missing from the ring.
 */
export async function encryptStored(ctx: Context): Promise<void> {
  await encryptSecrets(ctx);
  await encryptMails(ctx);
  await encryptTenantKeys(ctx);
  await encryptClientSecrets(ctx);
}
