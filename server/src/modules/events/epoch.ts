import type { Context } from '../../platform/context.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { codeOf } from '../../platform/error-code.ts';

/**
 * Starts a new epoch of the log if the database is no longer the same instance, because it was restored from a dump,
 * upgraded, failed over or recovered to a point in time. Called before a node writes.
 */
export async function ensureEpoch(ctx: Context): Promise<void> {
  const life = await identity(ctx);
  await transaction(ctx, async (ctx) => {
    await run(ctx, { text: 'select pg_advisory_xact_lock(5119244004)', values: [] });
    const [known] = await run<{ life: string | null; epoch: number; foreign: boolean }>(ctx, {
      text: `/* across tenants: all tenants share the order of the log */
        select (select value from setting where name = 'event_life') as life,
          (select value::bigint from setting where name = 'event_epoch') as epoch,
          exists (select 1 from event where epoch = (select value::bigint from setting where name = 'event_epoch')
            and transaction >= pg_snapshot_xmax(pg_current_snapshot())) as foreign`,
      values: [],
    });
    if (!known || (known.life === life && !known.foreign)) return;
    await writeIdentity(ctx, life);
    if (known.life === null && !known.foreign) return;
    await beginEpoch(ctx, Math.max(known.epoch + 1, Math.floor(ctx.now().getTime() / 1000)));
  });
}

/**
 * Called after restoring a backup: the next start begins a new epoch, even if the copy has the identity of the
 * original. The original may have continued after the backup and handed out cursors that would skip events in the copy.
 */
export async function requireNewEpoch(ctx: Context): Promise<void> {
  await writeIdentity(ctx, 'restored');
}

async function writeIdentity(ctx: Context, value: string): Promise<void> {
  await ctx.db
    .insertInto('setting')
    .values({ name: 'event_life', value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/**
 * The epoch contains the time, so that it differs from those of other copies of the database, whose cursors may still
 * be in use.
 */
async function beginEpoch(ctx: Context, epoch: number): Promise<void> {
  await run(ctx, {
    text: `/* across tenants: definition */ alter table event alter column epoch set default ${epoch}`,
    values: [],
  });
  await ctx.db
    .updateTable('setting')
    .set({ value: String(epoch) })
    .where('name', '=', 'event_epoch')
    .execute();
  ctx.log.warn({ epoch }, 'the database was restored or failed over; the event log continues in a new epoch');
}

/** Some hosting providers do not allow this to be read. Then transaction numbers from the future are the only sign. */
async function identity(ctx: Context): Promise<string> {
  try {
    const [row] = await run<{ life: string }>(ctx, {
      text: `select (select system_identifier from pg_control_system()) || '/' ||
        (select timeline_id from pg_control_checkpoint()) as life`,
      values: [],
    });
    return row?.life ?? 'unknown';
  } catch (error) {
    if (codeOf(error) === insufficientPrivilege) return 'unknown';
    throw error;
  }
}

const insufficientPrivilege = '42501';
