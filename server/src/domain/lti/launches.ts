import type { Condition } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { type PageQuery, pageById } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { newId } from '../../lib/ids.ts';
import { storable } from '../../lib/unicode.ts';
import { replayed } from './nonces.ts';
import { readPlatform } from './platforms.ts';
import { type LaunchProblem, PlatformLaunch } from './schemas.ts';

export type Launched = {
  /** From the nonce, which was used before if the log has this ID. */
  launchId?: string;
  platformId: string;
  deploymentId: string | null;
  message: PlatformLaunch['Message'];
  problem?: LaunchProblem;
  detail?: string;
  userId?: string | null;
  courseId?: string | null;
  enrollId?: string | null;
  resourceLinkId?: string | null;
};

/** Adds an entry to the log. It names nobody but the user. */
export async function logLaunch(ctx: TenantContext, launched: Launched): Promise<void> {
  const now = ctx.now();
  const inserted = await ctx.db
    .insertInto('lti_launch')
    .values({
      tenant_id: ctx.tenantId,
      launch_id: launched.launchId ?? newId(now),
      platform_id: launched.platformId,
      deployment_id: launched.deploymentId?.slice(0, 255) ?? null,
      message: launched.message,
      problem: launched.problem ?? null,
      detail: launched.detail === undefined ? null : storable(launched.detail.slice(0, 500)),
      user_id: launched.userId ?? null,
      course_id: launched.courseId ?? null,
      enroll_id: launched.enrollId ?? null,
      resource_link_id: launched.resourceLinkId ?? null,
      launched_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 0n) throw replayed();
}

type Row = {
  launch_id: string;
  launched_at: Date;
  message: PlatformLaunch['Message'];
  deployment_id: string | null;
  problem: LaunchProblem | null;
  detail: string | null;
  login_id: string | null;
  course_id: string | null;
  enroll_id: string | null;
  resource_link_id: string | null;
};

export const toLaunch = (row: Row): PlatformLaunch => recordOf(PlatformLaunch, row, {});

const withLogin = (page: string) => `select held.*, known.login_id from (${page}) held
left join "user" known on known.tenant_id = $1 and known.user_id = held.user_id`;

/** The newest first. */
export async function listLaunches(ctx: TenantContext, input: PageQuery & { platformId: string }) {
  const { PlatformID } = await readPlatform(ctx, input);
  const where: Condition[] = [({ add }) => `held.platform_id = ${add(PlatformID)}`];
  const list = { table: 'lti_launch', key: 'launch_id', where, newest: true, show: withLogin } as const;
  return pageById<Row, PlatformLaunch>(ctx, input, list, toLaunch);
}

const nonceHours = 1;
const logDays = 90;

/** Job: nonces are kept longer than their tokens are valid, and the log of launches for 90 days. */
export async function purgeLaunches(ctx: Context): Promise<void> {
  const before = (hours: number) => new Date(ctx.now().getTime() - hours * 3_600_000);
  const across = '/* across tenants: old launches of all tenants */';
  await run(ctx, `${across} delete from lti_nonce where used_at < $1`, [before(nonceHours)]);
  await run(ctx, `${across} delete from lti_launch where launched_at < $1`, [before(24 * logDays)]);
}
