import type { Context } from '../../platform/context.ts';
import { recordRotation } from '../../platform/keys/open-keys.ts';
import { appendAudit, deployment } from './append.ts';

/**
 * The command line rotates the key file without access to the database, so the first node that loads the new key
 * records the rotation.
 */
export function auditRotation(ctx: Context): Promise<void> {
  return recordRotation(ctx, (ctx, KeyID) =>
    appendAudit(ctx, deployment, { action: 'signing_keys.rotated', targetId: null, data: { KeyID } }),
  );
}
