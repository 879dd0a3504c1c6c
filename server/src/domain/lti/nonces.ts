import { run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { Rejected } from './verify.ts';

const useNonce = `
insert into lti_nonce (tenant_id, nonce, used_at) values ($1, $2, $3) on conflict do nothing returning 1`;

export const replayed = () => new Rejected('replayed', 'The nonce was used before.');

/** Uses a nonce, or the ID of an assertion (`jti`). The constraint holds on every node. */
export async function rejectReplay(ctx: TenantContext, nonce: string): Promise<void> {
  const used = await run(ctx, useNonce, [ctx.tenantId, nonce, ctx.now()]);
  if (used.length === 0) throw replayed();
}
