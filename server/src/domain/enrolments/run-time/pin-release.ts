import { updateOwn } from '../../../db/own-rows.ts';
import type { TenantContext } from '../../../infra/context/context.ts';

/** Lets an enrolment that was not started yet play this release instead of the current one. */
export async function pinRelease(
  ctx: TenantContext,
  { enrollId, releaseId }: { enrollId: string; releaseId: string },
): Promise<void> {
  await updateOwn(ctx, 'enrolment', { enroll_id: enrollId, started_at: null })
    .set({ release_id: releaseId })
    .execute();
}
