import type { Selectable } from 'kysely';
import type { IdentityProviderTable } from '../../../db/engine/generated.ts';
import { deleteOwn, ownRows, updateOwn } from '../../../db/own-rows.ts';
import { run, transaction } from '../../../db/transaction.ts';
import { type PageQuery, pageLimit, readCursor, toPage } from '../../../http/pagination.ts';
import { recordOf } from '../../../http/records.ts';
import { path } from '../../../http/routes.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { hasScope, learnerScopes } from '../../../infra/context/scopes.ts';
import { decrypt, encrypt, encryptedBy } from '../../../infra/keys/key-ring.ts';
import { isServed, servedTenants } from '../../../infra/operations/jobs.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { differences } from '../../../lib/tables.ts';
import { audit } from '../../audit/chain.ts';
import { checkUrl } from '../../events/webhooks/addresses.ts';
import { recordSignIn } from '../../tenants/tenants.ts';
import { sessionLimit } from '../../users/administrators.ts';
import {
  defaultSettings,
  IdentityProvider,
  type IdentityProviderChange,
  maxProviders,
  type ProviderSettings,
} from './schemas.ts';

type Row = Selectable<IdentityProviderTable>;
/** The cast is safe, because only `putProvider` writes settings. */
const settingsOf = (row: Row) => ({ ...defaultSettings, ...(row.settings as Partial<ProviderSettings>) });

export type Provider = Row & { options: ProviderSettings };
const toProvider = (row: Row): Provider => ({ ...row, options: settingsOf(row) });

type Place = { tenant_id: string; provider_id: string };
const about = ({ tenant_id, provider_id }: Place) =>
  ({ purpose: 'client-secret', place: `${tenant_id}\0${provider_id}` }) as const;

export const secretOf = (ctx: Context, provider: Provider): string | null =>
  provider.client_secret === null ? null : decrypt(ctx.keys, about(provider), provider.client_secret);

export const redirectUri = (ctx: Context, { tenant_id, provider_id }: Place): string =>
  ctx.config.baseUrl + path`/sso/${tenant_id}/callback/${provider_id}`;

function toRecord(ctx: Context, row: Row): IdentityProvider {
  return recordOf(IdentityProvider, row, {
    ...settingsOf(row),
    Enabled: row.is_enabled,
    RequiredForAdministrators: row.is_required,
    HasClientSecret: row.client_secret !== null,
    RedirectURI: redirectUri(ctx, row),
  });
}

export const providerNotFound = () =>
  new Problem(
    'provider_not_found',
    'The identity provider does not exist. Add it with PUT /identity-provider/{ProviderID}.',
  );

const find = (ctx: Context, tenantId: string, providerId: string) =>
  ownRows({ db: ctx.db, tenantId }, 'identity_provider', { provider_id: providerId }).selectAll();

export async function findProvider(
  ctx: Context,
  input: { tenantId: string; providerId: string },
): Promise<Provider | null> {
  const row = await find(ctx, input.tenantId, input.providerId).executeTakeFirst();
  return row ? toProvider(row) : null;
}

/** The providers with which users of the tenant can sign in, in the order of their buttons. */
export async function enabledProviders(ctx: Context, tenantId: string): Promise<Provider[]> {
  const rows = await ownRows({ db: ctx.db, tenantId }, 'identity_provider', { is_enabled: true })
    .selectAll()
    .orderBy('name')
    .orderBy('provider_id')
    .execute();
  return rows.map(toProvider);
}

export async function readProvider(
  ctx: TenantContext,
  input: { providerId: string },
): Promise<IdentityProvider> {
  const row = await find(ctx, ctx.tenantId, input.providerId).executeTakeFirst();
  if (!row) throw providerNotFound();
  return toRecord(ctx, row);
}

export async function listProviders(ctx: TenantContext, input: PageQuery) {
  const limit = pageLimit(input);
  const after = readCursor(input);
  let query = ownRows(ctx, 'identity_provider').selectAll();
  if (after !== null) query = query.where('provider_id', '>', after);
  const rows = await query
    .orderBy('provider_id')
    .limit(limit + 1)
    .execute();
  return toPage(
    rows,
    limit,
    (row) => row.provider_id,
    (row) => toRecord(ctx, row),
  );
}

/** Checks the issuer. This may be slow, because it looks up the host name. */
export async function checkIssuer(ctx: TenantContext, { Issuer }: IdentityProviderChange): Promise<void> {
  if (Issuer !== undefined) await checkUrl(ctx.config, Issuer, 'Issuer');
}

function missing(param: string): Problem {
  return invalid(param, `${param} is missing. A new identity provider needs it.`);
}

/** The client secret is only sent to the issuer with which it was entered. */
function rejectOtherIssuer(before: Row, { Issuer, ClientSecret }: IdentityProviderChange): void {
  if (Issuer === undefined || Issuer === before.issuer) return;
  if (before.client_secret === null || ClientSecret !== undefined) return;
  throw invalid(
    'ClientSecret',
    'The issuer is another one. Send ClientSecret with it, because the stored secret is not sent to another server.',
  );
}

const countPasskeys = `
select exists (
  select from passkey own join "user" known on known.tenant_id = $1 and known.user_id = own.user_id
  where own.tenant_id = $1 and known.is_admin and known.enabled
) as found`;

/** Otherwise, nobody could sign in on the day when the provider is down. */
async function rejectLockOut(ctx: TenantContext, row: { is_required: boolean; is_enabled: boolean }) {
  if (!row.is_required) return;
  const [passkeys] = await run<{ found: boolean }>(ctx, countPasskeys, [ctx.tenantId]);
  if (passkeys?.found) return;
  throw new Problem(
    'provider_not_ready',
    'No administrator has a passkey, so nobody could sign in when the provider is down. Add a passkey on the Security page of the console first.',
    { param: 'RequiredForAdministrators' },
  );
}

/** Sessions have no more scopes than the caller. Without these, learners could sign in but see nothing. */
function requireLearnerScopes(ctx: TenantContext): void {
  const lacking = learnerScopes.filter((scope) => !hasScope(ctx, scope));
  if (lacking.length > 0)
    throw new Problem(
      'scope_missing',
      `Users who sign in with the provider get no more scopes than this key has, and learners need ${lacking.join(', ')} as well. Use a key that has these scopes too, or the console.`,
    );
}

const hasSameValue = (name: string) => name !== 'UpdatedAt';

/** Adds the provider, or changes the given fields. Sessions from this provider get no scope that the caller lacks. */
export async function putProvider(
  ctx: TenantContext,
  input: IdentityProviderChange & { providerId: string },
): Promise<{ provider: IdentityProvider; isNew: boolean }> {
  const { providerId, Name, Issuer, ClientID, ClientSecret, Enabled, RequiredForAdministrators, ...sent } =
    input;
  const place = { tenant_id: ctx.tenantId, provider_id: providerId };
  const now = ctx.now();
  requireLearnerScopes(ctx);
  return transaction(ctx, async (ctx) => {
    const before = await find(ctx, ctx.tenantId, providerId).forUpdate().executeTakeFirst();
    if (before) rejectOtherIssuer(before, input);
    const settings = { ...(before ? settingsOf(before) : defaultSettings), ...sent };
    if (!settings.Scopes.includes('openid')) throw invalid('Scopes', 'Scopes must include openid.');
    const values = {
      ...place,
      name: Name ?? before?.name ?? providerId,
      issuer: Issuer ?? before?.issuer ?? raise(missing('Issuer')),
      client_id: ClientID ?? before?.client_id ?? raise(missing('ClientID')),
      client_secret:
        ClientSecret === undefined
          ? (before?.client_secret ?? null)
          : ClientSecret && encrypt(ctx.keys, about(place), ClientSecret),
      settings: JSON.stringify(settings),
      is_enabled: Enabled ?? before?.is_enabled ?? true,
      is_required: RequiredForAdministrators ?? before?.is_required ?? false,
      scopes: sessionLimit(ctx),
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
    await rejectLockOut(ctx, values);
    if (!before) await rejectAboveLimit(ctx);
    const row = await ctx.db
      .insertInto('identity_provider')
      .values(values)
      .onConflict((conflict) => conflict.columns(['tenant_id', 'provider_id']).doUpdateSet(values))
      .returningAll()
      .executeTakeFirstOrThrow();
    await countEnabled(ctx);
    const provider = toRecord(ctx, row);
    const Changed = before ? differences(provider, toRecord(ctx, before)).filter(hasSameValue) : [];
    if (ClientSecret !== undefined) Changed.push('ClientSecret');
    if (!before) await audit(ctx, 'identity_provider.created', providerId);
    else if (Changed.length > 0) await audit(ctx, 'identity_provider.changed', providerId, { Changed });
    return { provider, isNew: !before };
  });
}

function raise(problem: Problem): never {
  throw problem;
}

/** The lock makes changes of the tenant's other providers wait, so that each sees what the others have disabled. */
async function countEnabled(ctx: TenantContext): Promise<void> {
  await ownRows(ctx, 'tenant').select('tenant_id').forNoKeyUpdate().execute();
  await recordSignIn(ctx, (await enabledProviders(ctx, ctx.tenantId)).length > 0);
}

async function rejectAboveLimit(ctx: TenantContext): Promise<void> {
  const known = await ownRows(ctx, 'identity_provider').select('provider_id').execute();
  if (known.length >= maxProviders)
    throw new Problem(
      'provider_limit',
      `A tenant can have at most ${maxProviders} identity providers. Delete one first.`,
    );
}

/** Deletes the provider and its links to users. The users and their results stay. */
export async function deleteProvider(
  ctx: TenantContext,
  input: { providerId: string },
): Promise<IdentityProvider> {
  return transaction(ctx, async (ctx) => {
    const row = await deleteOwn(ctx, 'identity_provider', { provider_id: input.providerId })
      .returningAll()
      .executeTakeFirst();
    if (!row) throw providerNotFound();
    await countEnabled(ctx);
    await updateOwn(ctx, 'user_session', { provider_id: input.providerId, ended_at: null })
      .set({ ended_at: ctx.now() })
      .execute();
    await audit(ctx, 'identity_provider.deleted', row.provider_id);
    return toRecord(ctx, row);
  });
}

const outdated = `/* across tenants: a key of the deployment encrypts all secrets */
select provider.* from identity_provider provider
where ${isServed('provider.tenant_id', '$2')} and provider.client_secret is not null
  and not starts_with(provider.client_secret, $1)
limit 500`;

/** Encrypts client secrets with the ring's first key. Throws if the ring lacks a key that is still needed. */
export async function encryptClientSecrets(ctx: Context): Promise<void> {
  const [first] = ctx.keys.keys;
  for (;;) {
    const rows = await run<Row>(ctx, outdated, [encryptedBy(first.id), await servedTenants(ctx)]);
    for (const row of rows)
      await ctx.db
        .updateTable('identity_provider')
        .set({ client_secret: encrypt(ctx.keys, about(row), secretOf(ctx, toProvider(row)) ?? '') })
        .where('tenant_id', '=', row.tenant_id)
        .where('provider_id', '=', row.provider_id)
        .where('client_secret', '=', row.client_secret)
        .execute();
    if (rows.length < 500) return;
  }
}
