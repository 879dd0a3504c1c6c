import { run, transaction } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { appendAudit } from '../audit/chain.ts';
import { recountAlone } from './counts.ts';
import { keepEarlier } from './earlier.ts';
import { obligationNotFound, presentObligation, toObligation } from './obligations.ts';
import type { Exemption, Obligation } from './schemas.ts';

const exemptText = `
update obligation held set exempt_at = $3, exempt_reason = $4, follows = false, announced = 'exempt',
  next_change_at = case when $3::timestamptz is null then $5::timestamptz end, changed_at = $5
where held.tenant_id = $1 and held.obligation_id = $2`;

/** Exempts a user from a requirement, or ends the exemption. The audit trail names who did it. */
export function exempt(
  ctx: TenantContext,
  { loginId, requirementId, Exempt, Reason }: Exemption & { loginId: string; requirementId: string },
): Promise<Obligation> {
  return transaction(ctx, async (ctx) => {
    const row = await presentObligation(ctx, { loginId, requirementId });
    if (!row || row.closed_at !== null) throw obligationNotFound();
    if (Exempt && Reason === undefined)
      throw new Problem('validation_failed', 'Reason is missing. Say why the user is exempt.', {
        param: 'Reason',
      });
    if (Exempt === (row.exempt_at !== null)) return toObligation(row, tenantNow(ctx));
    const now = tenantNow(ctx);
    const { user_id, obligation_id, cycle } = row;
    const changed = {
      ...row,
      exempt_at: Exempt ? now : null,
      exempt_reason: Exempt ? (Reason ?? null) : null,
    };
    const values = [ctx.tenantId, obligation_id, changed.exempt_at, changed.exempt_reason, now];
    const shown = await ctx.db
      .selectFrom('obligation')
      .select('obligation_id')
      .where('tenant_id', '=', ctx.tenantId)
      .where('user_id', '=', user_id)
      .where('requirement_id', '=', requirementId)
      .where('closed_at', 'is', null)
      .execute();
    const ids = shown.map(({ obligation_id }) => obligation_id);
    await recountAlone(ctx, ids, async () => {
      await keepEarlier(ctx, Exempt ? ids : [obligation_id]);
      // Earlier cycles that are still shown end with the exemption.
      if (Exempt)
        await ctx.db
          .updateTable('obligation')
          .set({
            closed_at: now,
            closed_reason: 'exempt',
            next_change_at: null,
            announced: 'closed',
            changed_at: now,
          })
          .where('tenant_id', '=', ctx.tenantId)
          .where('user_id', '=', user_id)
          .where('requirement_id', '=', requirementId)
          .where('cycle', '<', cycle)
          .where('closed_at', 'is', null)
          .execute();
      await run(ctx, exemptText, values);
    });
    await appendAudit(ctx, ctx.tenantId, {
      action: Exempt ? 'obligation.exempted' : 'obligation.exemption_ended',
      targetId: obligation_id,
      data: { RequirementID: requirementId },
    });
    return toObligation(changed, now);
  });
}
