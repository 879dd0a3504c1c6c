import type { Selectable } from 'kysely';
import type { LtiPlatformTable } from '../../db/engine/generated.ts';
import { deleteOwn, updateOwn } from '../../db/own-rows.ts';
import { forAnyone, run, transaction } from '../../db/transaction.ts';
import { type PageQuery, pageById } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import { path } from '../../http/routes.ts';
import { createCache } from '../../infra/context/cache.ts';
import { type Context, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { codeOf, Problem } from '../../lib/errors.ts';
import { isId, newId } from '../../lib/ids.ts';
import { differences } from '../../lib/tables.ts';
import { appendAudit } from '../audit/chain.ts';
import { checkUrl } from '../events/webhooks/addresses.ts';
import { emptyWebhook } from '../events/webhooks/delete-webhook.ts';
import { keepPlatformEndpoint, removePlatformEndpoint } from '../events/webhooks/platform-endpoint.ts';
import { signingKey } from '../identity/tenant-keys.ts';
import { type NewPlatform, Platform, type PlatformChange } from './schemas.ts';

export type PlatformRow = Selectable<LtiPlatformTable>;
type Row = PlatformRow & { deployment_ids: string[] };

const columns = `held.*, array(
  select own.deployment_id from lti_deployment own
  where own.tenant_id = $1 and own.platform_id = held.platform_id order by own.deployment_id
) as deployment_ids`;

/** The URLs under which platforms find this service. */
export const toolUrls = (ctx: Pick<Context, 'config'>) => ({
  login: `${ctx.config.baseUrl}/lti/login`,
  launch: `${ctx.config.baseUrl}/lti/launch`,
});

export const keysetUrl = (ctx: TenantContext) => ctx.config.baseUrl + path`/issuer/${ctx.tenantId}/jwks.json`;

const toPlatform = (ctx: TenantContext, row: Row): Platform =>
  recordOf(Platform, row, {
    JWKSURL: row.jwks_url,
    // The constraint of the table allows no other value.
    Members: row.members as Platform['Members'],
    Tool: {
      LoginURL: toolUrls(ctx).login,
      LaunchURL: toolUrls(ctx).launch,
      JWKSURL: keysetUrl(ctx),
    },
  });

export const platformNotFound = () =>
  new Problem('platform_not_found', 'The platform does not exist. List platforms and check the PlatformID.');

type Handle = { platformId: string };

async function readRow(
  ctx: TenantContext,
  { platformId }: Handle,
  lock: '' | 'for update' = '',
): Promise<Row> {
  if (!isId(platformId)) throw platformNotFound();
  const [row] = await run<Row>(
    ctx,
    `select ${columns} from lti_platform held where held.tenant_id = $1 and held.platform_id = $2 ${lock}`,
    [ctx.tenantId, platformId],
  );
  if (!row) throw platformNotFound();
  return row;
}

export async function readPlatform(ctx: TenantContext, input: Handle): Promise<Platform> {
  return toPlatform(ctx, await readRow(ctx, input));
}

export function listPlatforms(ctx: TenantContext, input: PageQuery) {
  const show = (page: string) => `select ${columns} from (${page}) held`;
  const list = { table: 'lti_platform', key: 'platform_id', show } as const;
  return pageById<Row, Platform>(ctx, input, list, (row) => toPlatform(ctx, row));
}

type Place = { client_id: string; tenant_id: string; platform_id: string };

const placeText = `
select own.client_id, own.tenant_id, own.platform_id from lti_deployment own
where own.issuer = $1 and own.client_id = $2 and ($3::text is null or own.deployment_id = $3) limit 1`;

const clientsText = `
select distinct on (own.client_id) own.client_id, own.tenant_id, own.platform_id from lti_deployment own
where own.issuer = $1 and ($2::text is null or own.deployment_id = $2) order by own.client_id limit 2`;

const othersText = `
select distinct own.client_id, own.tenant_id, own.platform_id from lti_deployment own
where own.issuer = $1 and own.client_id = $2 and own.platform_id is distinct from $3::uuid limit 2`;

/** Where a client, or one of its deployments, is registered. On Citus, each node has this table. */
async function findPlace(
  ctx: Context,
  input: { issuer: string; clientId: string; deploymentId: string | null },
): Promise<Place | undefined> {
  const [place] = await run<Place>(ctx, placeText, [input.issuer, input.clientId, input.deploymentId]);
  return place;
}

/** At most two platforms of the client, in all tenants. */
function findOthers(
  ctx: Context,
  input: { issuer: string; clientId: string; platformId: string | null },
): Promise<Place[]> {
  return run<Place>(ctx, othersText, [input.issuer, input.clientId, input.platformId]);
}

async function readPlace(ctx: Context, place: Place | undefined): Promise<PlatformRow | null> {
  if (!place) return null;
  const row = await ctx.db
    .selectFrom('lti_platform')
    .selectAll()
    .where('tenant_id', '=', place.tenant_id)
    .where('platform_id', '=', place.platform_id)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Checks the URLs, which may be slow. All platforms of a client have the same URLs. Otherwise, a tenant could send the
 * browsers of another one to a page of its own.
 */
export async function checkUrls(
  ctx: TenantContext,
  input: PlatformChange,
  platformId: string | null,
): Promise<void> {
  for (const name of ['TokenURL', 'JWKSURL'] as const) {
    const address = input[name];
    if (address !== undefined) await checkUrl(ctx.config, address, name, { mayBeUnknown: true });
  }
  const before = platformId === null ? null : await readRow(ctx, { platformId });
  const issuer = input.Issuer ?? before?.issuer ?? '';
  const clientId = input.ClientID ?? before?.client_id ?? '';
  const [place] = await findOthers(ctx, { issuer, clientId, platformId });
  const other = await readPlace(forAnyone(ctx), place);
  if (!other) return;
  const differs =
    other.auth_url !== (input.AuthURL ?? before?.auth_url) ||
    other.token_url !== (input.TokenURL ?? before?.token_url) ||
    other.jwks_url !== (input.JWKSURL ?? before?.jwks_url);
  if (differs)
    throw new Problem(
      'platform_exists',
      'This client is registered with other URLs. Copy AuthURL, TokenURL and JWKSURL again from the platform.',
      { param: 'AuthURL' },
    );
}

async function addDeployments(ctx: TenantContext, row: PlatformRow, ids: readonly string[]): Promise<void> {
  const values = [row.issuer, row.client_id, row.tenant_id, row.platform_id, ids];
  await run(
    ctx,
    `insert into lti_deployment (issuer, client_id, tenant_id, platform_id, deployment_id)
      select $1, $2, $3, $4, unnest($5::text[])`,
    values,
  ).catch((error: unknown) => {
    if (codeOf(error) !== '23505') throw error;
    throw new Problem(
      'platform_exists',
      'One of the DeploymentIDs of this client is already registered. Change that platform, or leave the deployment out.',
      { param: 'DeploymentIDs' },
    );
  });
}

/** The endpoint that receives scores. */
const endpointOf = (row: PlatformRow) => ({
  platformId: row.platform_id,
  url: row.token_url,
  name: row.name,
});

const insertText = `
insert into lti_platform as held (tenant_id, platform_id, name, issuer, client_id, auth_url, token_url, jwks_url, created_at,
  updated_at, members)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, coalesce($10, 'enrolments')) returning *`;

export async function createPlatform(ctx: TenantContext, input: NewPlatform): Promise<Platform> {
  const now = tenantNow(ctx);
  const { Name, Issuer, ClientID, DeploymentIDs, AuthURL, TokenURL, JWKSURL, Members = null } = input;
  const urls = [AuthURL, TokenURL, JWKSURL];
  const values = [ctx.tenantId, newId(now), Name, Issuer, ClientID, ...urls, now, Members];
  return transaction(ctx, async (ctx) => {
    const [row] = await run<PlatformRow>(ctx, insertText, values);
    if (!row) throw platformNotFound();
    await addDeployments(ctx, row, DeploymentIDs);
    await keepPlatformEndpoint(ctx, endpointOf(row));
    // A platform reads the keyset when it registers the tool, before the first score.
    await signingKey(ctx, 'RS256', ctx.now());
    await appendAudit(ctx, ctx.tenantId, {
      action: 'platform.created',
      targetId: row.platform_id,
      data: {},
    });
    return toPlatform(ctx, { ...row, deployment_ids: DeploymentIDs.toSorted() });
  });
}

const deleteDeployments = (ctx: TenantContext, platformId: string) =>
  deleteOwn(ctx, 'lti_deployment', { platform_id: platformId }).execute();

/** Changes the given fields; the others keep their values. */
export async function updatePlatform(
  ctx: TenantContext,
  { platformId, ...input }: PlatformChange & Handle,
): Promise<Platform> {
  const { before, after } = await transaction(ctx, async (ctx) => {
    const before = await readRow(ctx, { platformId }, 'for update');
    const { DeploymentIDs = before.deployment_ids } = input;
    const row = await updateOwn(ctx, 'lti_platform', { platform_id: platformId })
      .set({
        name: input.Name ?? before.name,
        issuer: input.Issuer ?? before.issuer,
        client_id: input.ClientID ?? before.client_id,
        auth_url: input.AuthURL ?? before.auth_url,
        token_url: input.TokenURL ?? before.token_url,
        jwks_url: input.JWKSURL ?? before.jwks_url,
        members: input.Members ?? before.members,
        updated_at: tenantNow(ctx),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await deleteDeployments(ctx, platformId);
    await addDeployments(ctx, row, DeploymentIDs);
    await keepPlatformEndpoint(ctx, endpointOf(row));
    const after = toPlatform(ctx, { ...row, deployment_ids: DeploymentIDs.toSorted() });
    const Changed = differences(after, toPlatform(ctx, before)).filter((name) => name in input);
    if (Changed.length > 0)
      await appendAudit(ctx, ctx.tenantId, {
        action: 'platform.changed',
        targetId: platformId,
        data: { Changed },
      });
    return { before, after };
  });
  forgetPlaces(ctx, toPlatform(ctx, before));
  return after;
}

/** Deletes the platform and its log of launches. Users, enrolments and results stay. */
export async function deletePlatform(ctx: TenantContext, { platformId }: Handle): Promise<Platform> {
  await readRow(ctx, { platformId });
  await emptyWebhook(ctx, { webhookId: platformId });
  const deleted = await transaction(ctx, async (ctx) => {
    const platform = toPlatform(ctx, await readRow(ctx, { platformId }, 'for update'));
    await removePlatformEndpoint(ctx, platformId);
    for (const table of ['lti_deployment', 'lti_launch', 'lti_link', 'lti_platform'] as const)
      await ctx.db
        .deleteFrom(table)
        .where('tenant_id', '=', ctx.tenantId)
        .where('platform_id', '=', platformId)
        .execute();
    await appendAudit(ctx, ctx.tenantId, { action: 'platform.deleted', targetId: platformId, data: {} });
    return platform;
  });
  forgetPlaces(ctx, deleted);
  return deleted;
}

type PlaceKey = { issuer: string; clientId: string; deploymentId: string | null };
const keyOfPlace = ({ issuer, clientId, deploymentId }: PlaceKey) =>
  JSON.stringify([issuer, clientId, deploymentId]);

/** The platform of a client, or of its deployment, for logins and launches. */
const knownPlace = createCache<PlatformRow | null>({
  name: 'lti_places',
  milliseconds: 3_000,
  max: 10_000,
  load: async (ctx, key) => {
    const [issuer, clientId, deploymentId] = JSON.parse(key) as [string, string, string | null];
    return readPlace(ctx, await findPlace(ctx, { issuer, clientId, deploymentId }));
  },
});

function forgetPlaces(ctx: Context, { Issuer: issuer, ClientID: clientId, DeploymentIDs }: Platform): void {
  for (const deploymentId of [null, ...DeploymentIDs])
    knownPlace.forget(ctx, keyOfPlace({ issuer, clientId, deploymentId }));
}

export type Client = Pick<PlatformRow, 'issuer' | 'client_id' | 'auth_url' | 'jwks_url'>;

/** The clients that a login may mean, at most two: if there are several, it is ambiguous. */
export async function findClients(
  ctx: Context,
  {
    issuer,
    clientId,
    deploymentId,
  }: { issuer: string; clientId: string | null; deploymentId: string | null },
): Promise<Client[]> {
  if (clientId !== null) {
    const known = await knownPlace.get(ctx, keyOfPlace({ issuer, clientId, deploymentId: null }));
    return known ? [known] : [];
  }
  const places = await run<Place>(ctx, clientsText, [issuer, deploymentId]);
  const found = await Promise.all(places.map((place) => readPlace(ctx, place)));
  return found.filter((row) => row !== null);
}

export async function findByDeployment(
  ctx: Context,
  { issuer, client_id: clientId }: Pick<Client, 'issuer' | 'client_id'>,
  deploymentId: string,
): Promise<PlatformRow | null> {
  return knownPlace.get(ctx, keyOfPlace({ issuer, clientId, deploymentId }));
}

/** The only platform of a client; null if several tenants share the client. */
export async function onlyPlatform(
  ctx: Context,
  { issuer, client_id: clientId }: Pick<Client, 'issuer' | 'client_id'>,
): Promise<PlatformRow | null> {
  const places = await findOthers(ctx, { issuer, clientId, platformId: null });
  return places.length === 1 ? readPlace(ctx, places[0]) : null;
}
