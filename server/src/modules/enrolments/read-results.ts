import type { Evidence } from '../../../../standards/types.ts';
import type { TenantContext } from '../../platform/context.ts';
import { type CommitReceipt, receiptOf } from './progress.ts';
import { enrolmentNotFound } from './record.ts';
import { latestRefusal } from './refused-reports.ts';
import { readUnits } from './units.ts';

/**
 * Returns the current results of an enrolment, for pages whose content reports directly to the
 * service.
 */
export async function readResults(
  ctx: TenantContext,
  { enrollId, launch }: { enrollId: string; launch: number },
): Promise<{
  Receipt: CommitReceipt;
  Evidence: Record<string, Evidence>;
  Refused: { UnitID: string; Code: string } | null;
}> {
  const row = await ctx.db
    .selectFrom('enrolment')
    .select(['commits', 'status', 'completion', 'success', 'score', 'progress', 'total_seconds', 'override'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enrollId)
    .executeTakeFirst();
  if (!row) throw enrolmentNotFound();
  const { status, override, completion, success, score, progress, total_seconds } = row;
  const course: Evidence = {
    ...{ Completion: completion, Success: success, Score: score },
    ...{ Progress: progress, TotalSeconds: total_seconds },
  };
  const units = await readUnits(ctx, enrollId);
  return {
    Receipt: receiptOf({ status, course, override }, row.commits, null),
    Evidence: Object.fromEntries(units.map(({ unit_id, evidence }) => [unit_id, evidence])),
    Refused: await latestRefusal(ctx, { enrollId, launch }),
  };
}
