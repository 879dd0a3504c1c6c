import type { Selectable } from 'kysely';
import type { ProvisioningLogTable } from '../../db/engine/generated.ts';
import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { forTenant, run, transaction } from '../../db/transaction.ts';
import { type PageQuery, pageById } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import { createCache } from '../../infra/context/cache.ts';
import { type Context, serviceActor, type TenantContext } from '../../infra/context/context.ts';
import { differences } from '../../lib/tables.ts';
import { appendAudit, audit } from '../audit/chain.ts';
import { scimPath } from './protocol.ts';
import { type modes, type Provisioning, type ProvisioningChange, ProvisioningEntry } from './schemas.ts';

const confirmedHours = 24;
const warningDays = 30;
const keptDays = 30;

const findSettings = (ctx: TenantContext) => ownRows(ctx, 'provisioning').selectAll().executeTakeFirst();

/** The mode of a tenant. Cached for less than the 5 s within which a change must take effect on every node. */
export const knownMode = createCache<string>({
  name: 'provisioning modes',
  milliseconds: 3_000,
  max: 10_000,
  load: async (ctx, tenantId) => (await findSettings(forTenant(ctx, tenantId)))?.mode ?? 'live',
});

const findKeys = `
select own.key_id, own.name, own.scopes, own.expires_at, own.last_used_at from api_key own
where own.tenant_id = $1 and own.revoked_at is null and coalesce(own.expires_at, 'infinity') > $2
  and 'scim:write' = any(own.scopes)
order by own.key_id limit 100`;

type KeyRow = {
  key_id: string;
  name: string;
  scopes: string[];
  expires_at: Date | null;
  last_used_at: Date | null;
};

export async function readProvisioning(ctx: TenantContext): Promise<Provisioning> {
  const row = await findSettings(ctx);
  const now = ctx.now();
  const keys = await run<KeyRow>(ctx, findKeys, [ctx.tenantId, now]);
  const soon = now.getTime() + warningDays * 86_400_000;
  const isRecent = row?.window_from && now.getTime() - row.window_from.getTime() < 86_400_000;
  const isConfirmed = row?.confirmed_until && row.confirmed_until > now;
  return {
    // The cast is safe, because only `changeProvisioning` writes the mode.
    Mode: (row?.mode ?? 'live') as (typeof modes)[number],
    GuardPercent: row?.guard_percent ?? 10,
    BaseURL: ctx.config.baseUrl + scimPath,
    Disabled: isRecent ? row.disabled : 0,
    StoppedAt: isConfirmed ? null : (row?.stopped_at?.toISOString() ?? null),
    ConfirmedUntil: isConfirmed ? (row.confirmed_until?.toISOString() ?? null) : null,
    Keys: keys.map((key) => ({
      KeyID: key.key_id,
      Name: key.name,
      Scopes: key.scopes,
      ExpiresAt: key.expires_at?.toISOString() ?? null,
      LastUsedAt: key.last_used_at?.toISOString() ?? null,
      Expiring: key.expires_at !== null && key.expires_at.getTime() < soon,
    })),
  };
}

const upsert = async (ctx: TenantContext, set: Record<string, unknown>) => {
  await ctx.db
    .insertInto('provisioning')
    .values({ tenant_id: ctx.tenantId, updated_at: ctx.now(), ...set })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ updated_at: ctx.now(), ...set }))
    .execute();
};

export async function changeProvisioning(
  ctx: TenantContext,
  input: ProvisioningChange,
): Promise<Provisioning> {
  const changed = await transaction(ctx, async (ctx) => {
    const before = await readProvisioning(ctx);
    await upsert(ctx, {
      ...(input.Mode !== undefined && { mode: input.Mode }),
      ...(input.GuardPercent !== undefined && { guard_percent: input.GuardPercent }),
    });
    const Changed = differences(input, before);
    if (Changed.length > 0) await audit(ctx, 'provisioning.changed', ctx.tenantId, { Changed });
    return readProvisioning(ctx);
  });
  knownMode.forget(ctx, ctx.tenantId);
  return changed;
}

/** Lets the sync disable any number of users for a day. */
export async function confirmDisabling(ctx: TenantContext): Promise<Provisioning> {
  const until = new Date(ctx.now().getTime() + confirmedHours * 3_600_000);
  return transaction(ctx, async (ctx) => {
    await upsert(ctx, { stopped_at: null, confirmed_until: until, disabled: 0, window_from: null });
    await audit(ctx, 'provisioning.confirmed', ctx.tenantId, { Until: until.toISOString() });
    return readProvisioning(ctx);
  });
}

/** Records that the guard has stopped the sync; once until it is confirmed. */
export async function recordStop(ctx: TenantContext): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const stopped = await updateOwn(ctx, 'provisioning', { stopped_at: null })
      .set({ stopped_at: ctx.now() })
      .returning('tenant_id')
      .execute();
    if (stopped.length > 0)
      await appendAudit(ctx, ctx.tenantId, {
        action: 'provisioning.stopped',
        targetId: ctx.tenantId,
        data: {},
        actor: serviceActor,
      });
  });
}

const withLogin = (page: string) => `select held.*, own.login_id from (${page}) held
left join "user" own on own.tenant_id = $1 and own.user_id = held.user_id`;

type LogRow = Selectable<ProvisioningLogTable> & { login_id: string | null };

export function listProvisioningLog(ctx: TenantContext, input: PageQuery) {
  const list = { table: 'provisioning_log', key: 'entry_id', newest: true, show: withLogin } as const;
  return pageById<LogRow, ProvisioningEntry>(ctx, input, list, (row) =>
    recordOf(ProvisioningEntry, row, { DryRun: row.is_dry_run }),
  );
}

const purge = `/* across tenants: the log has one age */
delete from provisioning_log where (tenant_id, entry_id) in (
  select old.tenant_id, old.entry_id from provisioning_log old where old.at < $1 limit 5000
) returning 1`;

export async function purgeProvisioningLog(ctx: Context): Promise<void> {
  while ((await run(ctx, purge, [new Date(ctx.now().getTime() - keptDays * 86_400_000)])).length === 5_000);
}
