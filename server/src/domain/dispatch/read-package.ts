import { path } from '../../http/routes.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { readDispatch } from './dispatches.ts';
import { openPath, writeKey } from './open.ts';
import { writePackage } from './package/package.ts';

/** The package of a dispatch, with the current title of its course. */
export async function readPackage(ctx: TenantContext, input: { dispatchId: string }) {
  const { DispatchID: id, Standard: standard, CourseID } = await readDispatch(ctx, input);
  const course = await ctx.db
    .selectFrom('course')
    .select('title')
    .where('course_id', '=', CourseID)
    .executeTakeFirst();
  const title = course?.title ?? CourseID;
  const url = `${ctx.config.baseUrl}${openPath}`;
  const content = await writePackage({ id, standard, title, url, key: writeKey(ctx, id) });
  return { name: path`${CourseID}-${standard}.zip`, content };
}
