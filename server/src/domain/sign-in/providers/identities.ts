import { deleteOwn, ownRows, updateOwn } from '../../../db/own-rows.ts';
import { run } from '../../../db/transaction.ts';
import { identifierPattern } from '../../../http/validation/schema.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { batchOf, type PersonalData } from '../../../infra/context/personal-data.ts';
import { isScope } from '../../../infra/context/scopes.ts';
import { Problem } from '../../../lib/errors.ts';
import { cleanText, foldCase, isStorable } from '../../../lib/unicode.ts';
import { audit } from '../../audit/chain.ts';
import { createUser } from '../../users/create-user.ts';
import type { UserChange } from '../../users/schemas.ts';
import { updateUsers } from '../../users/update-users.ts';
import { findUserId, type UserRow, userNotFound } from '../../users/users.ts';
import type { Claims } from './oidc.ts';
import { type Provider, providerNotFound } from './providers.ts';
import { mappedFields } from './schemas.ts';

/** Why an account of a provider cannot sign in. */
export type Refusal = 'unknown' | 'disabled' | 'linkedElsewhere' | 'unverified' | 'unusable';

type Account = Pick<UserRow, 'user_id' | 'login_id' | 'is_admin' | 'enabled'>;
export type Identified = { account: Account; refusal: null } | { account: Account | null; refusal: Refusal };

const columns = 'known.user_id, known.login_id, known.is_admin, known.enabled';

/** The lock makes another sign-in of the same account wait. */
const findLinked = `
select ${columns} from user_identity own
join "user" known on known.tenant_id = $1 and known.user_id = own.user_id
where own.tenant_id = $1 and own.issuer = $2 and own.subject = $3
for no key update of known`;

const byLoginId = `
select ${columns} from "user" known where known.tenant_id = $1 and known.login_id = $2
for no key update of known`;

/** Two rows are enough to know that the address is ambiguous. */
const byEmail = `
select ${columns} from "user" known where known.tenant_id = $1 and known.folded_email = $2
order by known.login_id limit 2 for no key update of known`;

/** Links of the user, except those that the provider had under an earlier issuer. */
const findOtherLinks = `
select 1 from user_identity own where own.tenant_id = $1 and own.user_id = $2
  and not (own.provider_id = $3 and own.issuer <> $4) limit 1`;

const link = `
insert into user_identity (tenant_id, issuer, subject, user_id, provider_id, created_at, last_used_at)
values ($1, $2, $3, $4, $5, $6, $6)
on conflict (tenant_id, issuer, subject) do nothing returning 1`;

const textOf = (value: unknown): string | null => {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? cleanText(value) : '';
  return text !== '' && isStorable(text) ? text : null;
};

function domainAllows({ options }: Provider, email: string): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return options.Domains.length === 0 || options.Domains.some((one) => one.toLowerCase() === domain);
}

/** An address counts only if the provider vouches for it. Otherwise, anyone could enter a colleague's address there. */
function vouchedEmail(provider: Provider, claims: Claims): string | null {
  const email = textOf(claims[provider.options.Claims.Email ?? 'email']);
  const isVerified = claims.email_verified === true || claims.email_verified === 'true';
  if (email === null || !(isVerified || provider.options.TrustEmail)) return null;
  return domainAllows(provider, email) ? email : null;
}

async function findCandidate(
  ctx: TenantContext,
  provider: Provider,
  claims: Claims,
): Promise<Account | Refusal | null> {
  const { LinkBy, LoginIDClaim } = provider.options;
  if (LinkBy === null) return null;
  const key = LinkBy === 'Email' ? vouchedEmail(provider, claims) : textOf(claims[LoginIDClaim]);
  if (key === null) return LinkBy === 'Email' ? 'unverified' : 'unusable';
  const [first, second] = await (LinkBy === 'Email'
    ? run<Account>(ctx, byEmail, [ctx.tenantId, foldCase(key)])
    : run<Account>(ctx, byLoginId, [ctx.tenantId, key]));
  if (!first || second) return null;
  const values = [ctx.tenantId, first.user_id, provider.provider_id, claims.iss];
  const others = await run(ctx, findOtherLinks, values);
  return others.length > 0 ? 'linkedElsewhere' : first;
}

/** The first group by name, if the claim is a list. */
const firstOf = (value: unknown) => textOf(Array.isArray(value) ? value.map(String).sort()[0] : value);

function changeOf({ options }: Provider, claims: Claims): UserChange {
  const change: Record<string, unknown> = {};
  for (const field of mappedFields) {
    const claim = options.Claims[field];
    const value = claim === undefined ? null : firstOf(claims[claim]);
    if (value !== null) change[field] = value.slice(0, field === 'Email' ? 320 : 255);
  }
  const groups = options.GroupClaim === null ? undefined : claims[options.GroupClaim];
  // A provider with too many groups sends none at all; then the role does not change.
  if (options.AdministratorGroups.length > 0 && Array.isArray(groups))
    change.IsAdmin = groups.some((group) => options.AdministratorGroups.includes(String(group)));
  return change as UserChange;
}

const isLoginId = (text: string) => text.length <= 255 && new RegExp(identifierPattern, 'u').test(text);

async function create(ctx: TenantContext, provider: Provider, claims: Claims): Promise<Account | Refusal> {
  const loginId = textOf(claims[provider.options.LoginIDClaim]);
  if (loginId === null || !isLoginId(loginId)) return 'unusable';
  if ((await findUserId(ctx, loginId)) !== null) return 'linkedElsewhere';
  await createUser(ctx, { LoginID: loginId, ...changeOf(provider, claims) });
  const [made] = await run<Account>(ctx, byLoginId, [ctx.tenantId, loginId]);
  return made ?? 'unknown';
}

/** What the provider decides about a user is limited to what the person who configured it may do. */
const actingFor = (ctx: TenantContext, provider: Provider): TenantContext => ({
  ...ctx,
  scopes: provider.scopes?.filter(isScope),
});

async function update(
  ctx: TenantContext,
  provider: Provider,
  account: Account,
  claims: Claims,
): Promise<Account> {
  const by = actingFor(ctx, provider);
  const change = changeOf(provider, claims);
  const [updated] = await updateUsers(ctx, [{ loginId: account.login_id, change, passwordHash: null, by }]);
  if (updated instanceof Problem)
    ctx.log.warn({ provider: provider.provider_id, detail: updated.message }, 'the claims were not applied');
  return updated && !(updated instanceof Error) ? updated.row : account;
}

/**
 * The user of an account: known by issuer and subject, else linked by the provider's rule, else created. Call it in a
 * transaction.
 */
export async function identify(ctx: TenantContext, provider: Provider, claims: Claims): Promise<Identified> {
  const refuse = (refusal: Refusal, account: Account | null = null): Identified => ({ account, refusal });
  const { iss, sub } = claims;
  const [known] = await run<Account>(ctx, findLinked, [ctx.tenantId, iss, sub]);
  if (known && !known.enabled) return refuse('disabled', known);
  if (known) {
    await updateOwn(ctx, 'user_identity', { issuer: iss, subject: sub })
      .set({ last_used_at: ctx.now() })
      .execute();
    return { account: await update(ctx, provider, known, claims), refusal: null };
  }
  const candidate = await findCandidate(ctx, provider, claims);
  const isUnlinkable = candidate === null || candidate === 'unverified';
  const chosen =
    isUnlinkable && provider.options.CreateUsers
      ? await create(actingFor(ctx, provider), provider, claims)
      : (candidate ?? 'unknown');
  if (typeof chosen === 'string') return refuse(chosen);
  if (!chosen.enabled) return refuse('disabled', chosen);
  const values = [ctx.tenantId, iss, sub, chosen.user_id, provider.provider_id, ctx.now()];
  const linked = await run(ctx, link, values);
  if (linked.length === 0) return refuse('linkedElsewhere');
  await audit(ctx, 'identity.linked', chosen.user_id, { ProviderID: provider.provider_id });
  return { account: await update(ctx, provider, chosen, claims), refusal: null };
}

/** Unlinks a user, so that another account of the provider can be linked. Sessions from the provider end. */
export async function unlink(
  ctx: TenantContext,
  input: { providerId: string; loginId: string },
): Promise<void> {
  const userId = await findUserId(ctx, input.loginId);
  if (userId === null) throw userNotFound();
  const gone = await deleteOwn(ctx, 'user_identity', { user_id: userId, provider_id: input.providerId })
    .returning('subject')
    .execute();
  if (gone.length === 0) throw providerNotFound();
  await updateOwn(ctx, 'user_session', { user_id: userId, provider_id: input.providerId, ended_at: null })
    .set({ ended_at: ctx.now() })
    .execute();
  await audit(ctx, 'identity.unlinked', userId, { ProviderID: input.providerId });
}

const identitiesOf = (ctx: TenantContext, userId: string) =>
  ownRows(ctx, 'user_identity', { user_id: userId }).selectAll().orderBy('created_at').execute();

/** A user has few accounts, so one statement erases them all. */
export const identityData: PersonalData = {
  name: 'Identities',
  tables: ['user_identity'],
  erased: "The user's accounts at identity providers (issuer and subject).",
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    const gone = await deleteOwn(ctx, 'user_identity', { user_id: userId }).returning('subject').execute();
    return batchOf(gone.length);
  },
  count: async (ctx, { userId }) => (await identitiesOf(ctx, userId)).length,
  read: async function* (ctx, { userId }) {
    for (const row of await identitiesOf(ctx, userId))
      yield {
        ProviderID: row.provider_id,
        Issuer: row.issuer,
        Subject: row.subject,
        CreatedAt: row.created_at,
        LastUsedAt: row.last_used_at,
      };
  },
};
