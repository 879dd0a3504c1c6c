import { run } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';

/** Counts the courses whose list of tenants includes this one. */
export async function countOffers(ctx: Context, tenantId: string): Promise<number> {
  const text = 'select count(*)::integer as offers from course where $1 = any(course.tenants)';
  const [row] = await run<{ offers: number }>(ctx, text, [tenantId]);
  return row?.offers ?? 0;
}

/** Deletes the courses that the tenant made. Nobody is enrolled on them any more. */
export async function deleteOwnCourses(ctx: Context, tenantId: string): Promise<void> {
  await ctx.db.deleteFrom('course').where('owner_tenant_id', '=', tenantId).execute();
}

/** Afterwards, a course that was offered only to this tenant is offered to nobody, not to everyone. */
export async function withdrawOffers(ctx: Context, tenantId: string): Promise<void> {
  const text = 'update course set tenants = array_remove(tenants, $1) where $1 = any(course.tenants)';
  await run(ctx, text, [tenantId]);
}
