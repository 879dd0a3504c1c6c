import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { transaction } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { endOfSentDay } from '../../lib/days.ts';
import { invalid } from '../../lib/errors.ts';
import { appendAudit } from '../audit/chain.ts';
import { timeZoneOf } from '../tenants/time-zone.ts';
import { recountAlone } from './counts.ts';
import { keepEarlier } from './earlier.ts';
import { afterLastSecond, type ObligationRow } from './evaluate.ts';
import { obligationNotFound, presentObligation, toObligation } from './obligations.ts';
import type { Exemption, Obligation } from './schemas.ts';

type Input = Exemption & { loginId: string; requirementId: string };

/** What the exemption will be; null: none. Of one that exists, what is not sent stays. */
async function exemptionOf(
  ctx: TenantContext,
  { Exempt, Reason, Until }: Input,
  row: ObligationRow,
): Promise<{ at: Date; reason: string; until: Date | null } | null> {
  if (!Exempt) {
    if (Until != null) throw invalid('Until', 'Until needs Exempt=true. Leave it out to end the exemption.');
    return null;
  }
  const now = tenantNow(ctx);
  const reason = Reason ?? row.exempt_reason;
  if (reason === null) throw invalid('Reason', 'Reason is missing. Say why the user is exempt.');
  if (Until == null)
    return { at: row.exempt_at ?? now, reason, until: Until === null ? null : row.exempt_until };
  const until = endOfSentDay(Until, await timeZoneOf(ctx));
  if (until < now) throw invalid('Until', 'Until is in the past. Send today or a later day.');
  return { at: row.exempt_at ?? now, reason, until };
}

/** Exempts a user from a requirement, or ends the exemption. The audit trail names who did it. */
export function exempt(ctx: TenantContext, input: Input): Promise<Obligation> {
  const { loginId, requirementId } = input;
  return transaction(ctx, async (ctx) => {
    const row = await presentObligation(ctx, { loginId, requirementId });
    if (!row || row.closed_at !== null) throw obligationNotFound();
    const now = tenantNow(ctx);
    const wanted = await exemptionOf(ctx, input, row);
    const { user_id, obligation_id, cycle } = row;
    const exemption = {
      exempt_at: wanted?.at ?? null,
      exempt_reason: wanted?.reason ?? null,
      exempt_until: wanted?.until ?? null,
    };
    const isSame =
      row.exempt_reason === exemption.exempt_reason &&
      Number(row.exempt_at) === Number(exemption.exempt_at) &&
      Number(row.exempt_until) === Number(exemption.exempt_until);
    if (isSame) return toObligation(row, now);
    const shown = await ownRows(ctx, 'obligation', {
      user_id,
      requirement_id: requirementId,
      closed_at: null,
    })
      .select('obligation_id')
      .execute();
    const ids = shown.map(({ obligation_id }) => obligation_id);
    await recountAlone(ctx, ids, async () => {
      await keepEarlier(ctx, wanted ? ids : [obligation_id]);
      // Earlier cycles that are still shown end with the exemption.
      if (wanted)
        await updateOwn(ctx, 'obligation', { user_id, requirement_id: requirementId, closed_at: null })
          .set({
            closed_at: now,
            closed_reason: 'exempt',
            next_change_at: null,
            announced: 'closed',
            changed_at: now,
          })
          .where('cycle', '<', cycle)
          .execute();
      await updateOwn(ctx, 'obligation', { obligation_id })
        .set({
          ...{ ...exemption, follows: false, announced: 'exempt', changed_at: now },
          next_change_at: wanted ? afterLastSecond(wanted.until) : now,
        })
        .execute();
    });
    await appendAudit(ctx, ctx.tenantId, {
      action: wanted ? 'obligation.exempted' : 'obligation.exemption_ended',
      targetId: obligation_id,
      data: {
        RequirementID: requirementId,
        ...(wanted?.until && { Until: wanted.until.toISOString() }),
      },
    });
    return toObligation({ ...row, ...exemption }, now);
  });
}
