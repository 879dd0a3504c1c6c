import type { TenantContext } from '../../../infra/context/context.ts';

/** Lets an enrolment that was not started yet play this release instead of the current one. */
export async function pinRelease(
  ctx: TenantContext,
  { enrollId, releaseId }: { enrollId: string; releaseId: string },
): Promise<void> {
  await ctx.db
    .updateTable('enrolment')
    .set({ release_id: releaseId })
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enrollId)
    .where('started_at', 'is', null)
    .execute();
}
