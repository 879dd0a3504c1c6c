import { setTimeout as delay } from 'node:timers/promises';
import { transaction, useShardsInTurn } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { noticeBatch } from '../certificates/notices.ts';
import { expireBatchOfTenant } from '../enrolments/expire.ts';
import { beginReminders } from '../reminders/choose.ts';
import { remindNow } from '../reminders/job.ts';
import { runDue } from '../reports/schedules/run-schedules.ts';
import { passTime } from '../requirements/follow.ts';
import { advanceClock, clocksKnownMilliseconds, readClocks, requireTestTenant } from '../tenants/clock.ts';
import type { Clock, ClockMove } from './schemas.ts';

export async function readClock(ctx: TenantContext): Promise<Clock> {
  await requireTestTenant(ctx);
  return { Now: tenantNow(ctx).toISOString() };
}

/** Moves the clock of a test tenant forward. */
export async function moveClock(ctx: TenantContext, { Advance }: ClockMove): Promise<Clock> {
  await requireTestTenant(ctx);
  return transaction(ctx, async (ctx) => {
    await useShardsInTurn(ctx);
    await beginReminders(ctx);
    return { Now: (await advanceClock(ctx, Advance)).toISOString() };
  });
}

/**
 * Processes what has become due, once the move has been committed. With a PostgreSQL server, waits until all
 * processes know the new time, because the caller's next request may reach any of them.
 */
export async function runDueJobs(ctx: TenantContext): Promise<void> {
  await readClocks(ctx);
  await transaction(ctx, expireBatchOfTenant);
  await noticeBatch(ctx);
  await passTime(ctx);
  await remindNow(ctx);
  await runDue(ctx);
  if (ctx.engine.kind === 'postgres') await delay(clocksKnownMilliseconds);
}
