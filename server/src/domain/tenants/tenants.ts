import { type Selectable, sql } from 'kysely';
import type { TenantTable } from '../../db/engine/generated.ts';
import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { countSelected } from '../../db/page.ts';
import { patternsOf } from '../../db/search.ts';
import { run, transaction } from '../../db/transaction.ts';
import { type PageQuery, pageLimit, readCursor, toPage, withCount } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import { createCache } from '../../infra/context/cache.ts';
import { relyingPartyOf } from '../../infra/context/config.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { checkTimeZone } from '../../lib/days.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { differences } from '../../lib/tables.ts';
import { fold } from '../../lib/unicode.ts';
import type { NewAudit } from '../audit/actions.ts';
import { appendAudit, beginChain, recordChainStart } from '../audit/chain.ts';
import { knownBranding } from './branding.ts';
import {
  type ErasedCertificates,
  type Language,
  type NewTenant,
  type PasswordHash,
  type Reminders,
  type SecondFactor,
  Tenant,
  type TenantChange,
} from './schemas.ts';

/** Creates a tenant. If a tenant with the same fields exists, returns it unchanged (a safe retry). */
export async function createTenant(
  ctx: Context,
  sent: NewTenant,
): Promise<{ tenant: Tenant; isNew: boolean }> {
  const input = withReminders(sent, initialReminders);
  rejectUnusablePasskeys(ctx, input);
  if (input.TimeZone !== undefined) checkTimeZone(input.TimeZone);
  const now = ctx.now();
  const tenantId = input.TenantID;
  const row = await transaction(ctx, async (ctx) => {
    await rejectTakenDomains(ctx, tenantId, input);
    const made = await ctx.db
      .insertInto('tenant')
      .values({
        tenant_id: tenantId,
        name: input.Name ?? tenantId,
        folded_id: fold(tenantId),
        folded_name: fold(input.Name ?? tenantId),
        password_hash: input.PasswordHash ?? 'opaque',
        second_factor: input.SecondFactor ?? 'optional',
        language: input.Language ?? 'en',
        time_zone: input.TimeZone ?? 'UTC',
        ...(input.Reminders !== undefined && { reminders: JSON.stringify(input.Reminders) }),
        return_origins: input.ReturnOrigins ?? null,
        frame_origins: input.FrameOrigins ?? null,
        issuer_domains: input.IssuerDomains ?? [],
        clock_offset: input.Status === 'test' ? 0 : null,
        created_at: now,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (made) {
      await beginChain(ctx, tenantId, { action: 'tenant.created', targetId: tenantId, data: {} });
      await recordChainStart(ctx, tenantId);
    }
    return made;
  });
  knownTenant.forget(ctx, tenantId);
  if (row) return { tenant: toTenant(row), isNew: true };
  const known = await findTenant(ctx, tenantId);
  if (!known)
    throw new Problem(
      'tenant_being_deleted',
      'A tenant with this TenantID is being deleted. Try again later.',
      { param: 'TenantID', retryAfter: 10 },
    );
  const tenant = toTenant(known);
  const differs = differences({ ...input, TenantID: tenantId }, tenant);
  if (differs.length > 0)
    throw new Problem(
      'tenant_exists',
      `The tenant exists, but differs in ${differs.join(', ')}. Use PUT /tenant/{TenantID} to change it.`,
      { differs },
    );
  return { tenant, isNew: false };
}

const initialReminders: Reminders = {
  ...{ Enabled: false, DaysBefore: [14, 3], OnTheDay: true },
  ...{ WeeklyWhenOverdue: true, ManagerDigest: true },
};

/** What was sent, with the members of Reminders that were left out. */
const withReminders = <T extends TenantChange>({ Reminders, ...sent }: T, before: Reminders) => ({
  ...sent,
  ...(Reminders && { Reminders: { ...before, ...Reminders } }),
});

export function tenantNotFound(): Problem {
  return new Problem('tenant_not_found', 'The tenant does not exist. Create it with POST /tenant.');
}

export const notATestTenant = () =>
  new Problem(
    'not_a_test_tenant',
    'The tenant is not a test tenant, and cannot become one. Create another one: send "Status": "test" with POST /tenant.',
  );

export async function readTenant(ctx: Context, input: { tenantId: string }): Promise<Tenant> {
  const row = await findTenant(ctx, input.tenantId);
  if (!row) throw tenantNotFound();
  return toTenant(row);
}

/** A tenant that is being deleted cannot be found. */
async function findTenant(ctx: Context, tenantId: string) {
  const row = await findAnyTenant(ctx, tenantId);
  return row?.status === 'deleting' ? undefined : row;
}

/** Includes tenants that are being deleted. */
export function findAnyTenant(ctx: Context, tenantId: string) {
  return ownRows({ db: ctx.db, tenantId }, 'tenant').selectAll().executeTakeFirst();
}

export async function listTenants(ctx: Context, input: PageQuery & { Count?: boolean; Search?: string }) {
  const limit = pageLimit(input);
  const after = readCursor(input);
  let query = ctx.db.selectFrom('tenant').where('status', '<>', 'deleting');
  const { Search } = input;
  for (const pattern of Search === undefined ? [] : patternsOf(Search))
    query = query.where(sql`folded_id || ' ' || folded_name`, 'like', pattern);
  const rows = await (after === null ? query : query.where('tenant_id', '>', after))
    .selectAll()
    .orderBy('tenant_id')
    .limit(limit + 1)
    .execute();
  const page = toPage(rows, limit, (row) => row.tenant_id, toTenant);
  return withCount(input, page, () => countSelected(ctx, query.select('tenant_id')));
}

/** Otherwise, nobody could add the required passkey. */
function rejectUnusablePasskeys(ctx: Context, { SecondFactor }: TenantChange): void {
  if (SecondFactor === 'required' && relyingPartyOf(ctx.config.baseUrl) === null)
    throw new Problem(
      'passkeys_unavailable',
      'Passkeys cannot be required, because they need a host name, and this service is used at an IP address. Set BASE_URL first.',
      { param: 'SecondFactor' },
    );
}

async function rejectTakenDomains(
  ctx: Context,
  tenantId: string,
  { IssuerDomains = [] }: TenantChange,
): Promise<void> {
  for (const domain of IssuerDomains) {
    const owner = await findTenantOfDomain(ctx, domain);
    if (owner !== null && owner !== tenantId)
      throw invalid('IssuerDomains', `${domain} is a domain of the tenant ${owner}. Remove it there first.`);
  }
}

const ofDomain =
  'select tenant_id from tenant where issuer_domains @> array[$1::text] order by tenant_id limit 1';

/** The tenant whose certificates are issued, or were issued, by `did:web` of this host name. */
export async function findTenantOfDomain(ctx: Context, domain: string): Promise<string | null> {
  const [row] = await run<{ tenant_id: string }>(ctx, ofDomain, [domain]);
  return row?.tenant_id ?? null;
}

const signInUnavailable = (param: string) =>
  new Problem(
    'sign_in_unavailable',
    'No identity provider is enabled, so nobody could start a course. Add one with PUT /identity-provider/{ProviderID} first.',
    { param },
  );

/**
 * Records whether an identity provider of the tenant is enabled. Throws if none would be left although the settings
 * require a sign-in. Call it in the transaction that changes the provider.
 */
export async function recordSignIn(ctx: TenantContext, canSignIn: boolean): Promise<void> {
  const { require_sign_in } = await updateOwn(ctx, 'tenant')
    .set({ can_sign_in: canSignIn })
    .returning('require_sign_in')
    .executeTakeFirstOrThrow();
  if (require_sign_in && !canSignIn)
    throw new Problem(
      'sign_in_unavailable',
      'Launch links require a sign-in, and no other identity provider is enabled. Set RequireSignIn to false with PUT /settings first.',
    );
  knownTenant.forget(ctx, ctx.tenantId);
}

/** Changes the given fields; the others keep their values. */
export async function updateTenant(
  ctx: Context,
  input: TenantChange & { tenantId: string },
): Promise<Tenant> {
  rejectUnusablePasskeys(ctx, input);
  if (input.TimeZone !== undefined) checkTimeZone(input.TimeZone);
  const { tenantId, ...sent } = input;
  const tenant = await transaction(ctx, async (ctx) => {
    const before = await ownRows({ db: ctx.db, tenantId }, 'tenant')
      .selectAll()
      .where('status', '<>', 'deleting')
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!before) throw tenantNotFound();
    const fields = withReminders(sent, toTenant(before).Reminders);
    if (fields.Status === 'test' && before.clock_offset === null) throw notATestTenant();
    if (fields.RequireSignIn && !before.can_sign_in) throw signInUnavailable('RequireSignIn');
    await rejectTakenDomains(ctx, tenantId, fields);
    const resumes = before.status === 'suspended' && (fields.Status ?? 'suspended') !== 'suspended';
    const row = await updateOwn({ db: ctx.db, tenantId }, 'tenant')
      .set({
        updated_at: ctx.now(),
        ...(fields.Name !== undefined && { name: fields.Name, folded_name: fold(fields.Name) }),
        ...(fields.PasswordHash !== undefined && { password_hash: fields.PasswordHash }),
        ...(fields.SecondFactor !== undefined && { second_factor: fields.SecondFactor }),
        ...(fields.Language !== undefined && { language: fields.Language }),
        ...(fields.TimeZone !== undefined && { time_zone: fields.TimeZone }),
        ...(fields.Reminders !== undefined && { reminders: JSON.stringify(fields.Reminders) }),
        ...(fields.RequireSignIn !== undefined && { require_sign_in: fields.RequireSignIn }),
        ...(fields.ErasedCertificates !== undefined && {
          erased_certificates: JSON.stringify(fields.ErasedCertificates),
        }),
        ...(fields.ReturnOrigins !== undefined && { return_origins: fields.ReturnOrigins }),
        ...(fields.FrameOrigins !== undefined && { frame_origins: fields.FrameOrigins }),
        ...(fields.IssuerDomains !== undefined && { issuer_domains: fields.IssuerDomains }),
        ...(fields.Status !== undefined && {
          status: fields.Status === 'suspended' ? 'suspended' : 'active',
        }),
        ...(resumes && { resumed_at: ctx.now() }),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const Changed = differences(fields, toTenant(before)).filter((name) => name !== 'Status');
    await auditChange(ctx, tenantId, Changed, { from: before.status, to: row.status });
    return toTenant(row);
  });
  knownTenant.forget(ctx, tenantId);
  knownBranding.forget(ctx, tenantId);
  return tenant;
}

type StatusChange = { from: string; to: string };

async function auditChange(ctx: Context, tenantId: string, Changed: string[], { from, to }: StatusChange) {
  const entries: NewAudit[] = [];
  if (Changed.length > 0) entries.push({ action: 'tenant.changed', targetId: tenantId, data: { Changed } });
  if (from !== to) {
    const action = to === 'suspended' ? 'tenant.suspended' : 'tenant.resumed';
    entries.push({ action, targetId: tenantId, data: {} });
  }
  await appendAudit(ctx, tenantId, ...entries);
}

/**
 * `resumedAt` is the end of the last suspension. Deadlines that passed during the suspension are
 * counted from this time.
 */
type KnownTenant = Tenant & { resumedAt: Date | null; isTest: boolean; canSignIn: boolean };

/** The tenant, or null. Cached for less than the 5 s within which a suspension must take effect on every node. */
export const knownTenant = createCache<KnownTenant | null>({
  name: 'tenants',
  milliseconds: 3_000,
  max: 10_000,
  load: async (ctx, tenantId) => {
    const row = await findTenant(ctx, tenantId);
    if (!row) return null;
    const { resumed_at: resumedAt, can_sign_in: canSignIn, clock_offset } = row;
    return { ...toTenant(row), resumedAt, canSignIn, isTest: clock_offset !== null };
  },
});

function toTenant(row: Selectable<TenantTable>): Tenant {
  return recordOf(Tenant, row, {
    // A tenant that is being deleted is reported as not found.
    Status: row.status === 'suspended' ? 'suspended' : row.clock_offset === null ? 'active' : 'test',
    PasswordHash: row.password_hash as PasswordHash,
    SecondFactor: row.second_factor as SecondFactor,
    Language: row.language as Language,
    // The cast is safe: the column is written only here.
    Reminders: row.reminders as Reminders,
    // Written only here, too.
    ErasedCertificates: row.erased_certificates as ErasedCertificates,
  });
}

/** This text is also shown to learners. */
export const suspendedReason =
  'Access is currently suspended. Nothing has been lost. Try again later, or ask your administrator.';

export async function isSuspended(ctx: Context, tenantId: string | null): Promise<boolean> {
  return tenantId !== null && (await knownTenant.get(ctx, tenantId))?.Status === 'suspended';
}

/**
 * Rejects requests with a link or session that belongs to a suspended or deleted tenant. `tenantId` is null
 * for the operator's own links and sessions.
 */
export async function rejectSuspended(ctx: Context, tenantId: string | null): Promise<void> {
  if (tenantId === null) return;
  const tenant = await knownTenant.get(ctx, tenantId);
  if (!tenant)
    throw new Problem('tenant_not_found', 'This course is no longer available. Ask your administrator.');
  if (tenant.Status === 'suspended') throw new Problem('tenant_suspended', suspendedReason);
}

const find = `
select client.tenant_id, client.status, client.password_hash as declared, client.tenant_id = $1 as exact
from tenant client
where client.status <> 'deleting'
  and (client.tenant_id = $1 or client.folded_id = $2 or client.folded_name = $2)
order by exact desc limit 2`;

type NamedTenant = { tenant_id: string; status: string; declared: PasswordHash; exact: boolean };

/**
 * The tenant with exactly this ID, or else the only tenant whose ID or name matches if case is ignored. Not
 * cached, because response times would reveal which tenants exist.
 */
export async function findTenantByName(ctx: Context, typed: string): Promise<NamedTenant | null> {
  const [first, second] = await run<NamedTenant>(ctx, find, [typed, fold(typed)]);
  return first && (first.exact || !second) ? first : null;
}
