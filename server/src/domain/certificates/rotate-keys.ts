import { transaction } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { appendAudit } from '../audit/chain.ts';
import { readPublicKeys, rotateTenantKeys } from '../identity/tenant-keys.ts';
import type { SigningKeys } from './record/schemas.ts';

/** Longer than verifiers cache the document with the keys. */
const overlapMilliseconds = 24 * 3_600_000;

/** Creates the tenant's next signing keys. The former ones sign until the overlap has passed. */
export function rotateKeys(ctx: TenantContext): Promise<SigningKeys> {
  return transaction(ctx, async (ctx) => {
    const from = new Date(tenantNow(ctx).getTime() + overlapMilliseconds);
    await rotateTenantKeys(ctx, from);
    const SignsFrom = from.toISOString();
    await appendAudit(ctx, ctx.tenantId, {
      action: 'certificate_key.rotated',
      targetId: ctx.tenantId,
      data: { SignsFrom },
    });
    const keys = await readPublicKeys(ctx);
    return { SignsFrom, Keys: keys.map(({ keyId, algorithm }) => ({ KeyID: keyId, Algorithm: algorithm })) };
  });
}
