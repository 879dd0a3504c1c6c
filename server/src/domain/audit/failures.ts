import { limitLockWaits, run, transaction } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import { appendAudit } from './chain.ts';

/**
 * Anyone can cause failures, so after this many in a time window, a chain only counts further failures. The
 * first failure for each known user is always recorded, so other failures cannot hide an attack on one
 * account.
 */
const maxRecorded = 200;
const windowMinutes = 15;

const count = `
update audit_chain head set
  failures = case when head.failures_from > $3::timestamptz then head.failures + 1 else 1 end,
  failures_from = case when head.failures_from > $3::timestamptz then head.failures_from else $2 end
where head.tenant_id = $1
returning head.failures,
  (select before.failures from audit_chain before where before.tenant_id = $1) as earlier`;

const recordedOfUser = `
select exists (
  select from audit_entry known
  where known.tenant_id = $1 and known.target_id = $2 and known.action = 'sign_in.failed' and known.at > $3
) as found`;

/** `userId` is null if no user has the given name. In that case, the name is not stored. */
export async function recordFailedSignIn(
  ctx: Context,
  tenantId: string,
  input: {
    method: 'link' | 'password' | 'invitation' | 'reset' | 'passkey' | 'provider' | 'check';
    userId: string | null;
    cause?: string | undefined;
  },
): Promise<void> {
  const { userId, cause } = input;
  await transaction(ctx, async (ctx) => {
    // The caller may be anonymous, and other callers from its network wait for this transaction.
    await limitLockWaits(ctx);
    const now = ctx.now();
    const since = new Date(now.getTime() - windowMinutes * 60_000);
    const [row] = await run<{ failures: number; earlier: number }>(ctx, count, [tenantId, now, since]);
    // If the head was removed, the failure is recorded anyway, and the entry reports the missing head.
    const { failures, earlier } = row ?? { failures: 1, earlier: 0 };
    if (failures > maxRecorded && !(await isFirstFailure(ctx, { tenantId, userId, since }))) return;
    const unrecorded = failures === 1 ? Math.max(0, earlier - maxRecorded) : 0;
    await appendAudit(ctx, tenantId, {
      action: 'sign_in.failed',
      targetId: userId,
      data: {
        Method: input.method,
        ...(cause && { Cause: cause }),
        ...(unrecorded > 0 ? { NonRecordingMode: unrecorded } : {}),
      },
    });
  });
}

async function isFirstFailure(
  ctx: Context,
  { tenantId, userId, since }: { tenantId: string; userId: string | null; since: Date },
): Promise<boolean> {
  if (userId === null) return false;
  const [row] = await run<{ found: boolean }>(ctx, recordedOfUser, [tenantId, userId, since]);
  return row?.found === false;
}
