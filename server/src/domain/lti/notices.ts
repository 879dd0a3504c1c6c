import { decodeJwt } from 'jose';
import Type from 'typebox';
import { forTenant, transaction } from '../../db/transaction.ts';
import { createCache } from '../../infra/context/cache.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { checkedFetch } from '../events/webhooks/checked-fetch.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { accessToken } from './access-token.ts';
import { logLaunch } from './launches.ts';
import { rejectReplay } from './nonces.ts';
import { type Client, findByDeployment, findClients } from './platforms.ts';
import { claimName, copyNotice, Rejected, verifyMessage } from './verify.ts';

/** Platforms may add members (LTI Platform Notification Service 1.0). */
export const NoticesBody = Type.Object(
  {
    notices: Type.Array(
      Type.Object(
        {
          jwt: Type.String({
            maxLength: 65_536,
            examples: ['eyJhbGciOiJSUzI1NiJ9.e30.AQ'],
            description: 'The notice, signed by the platform.',
          }),
        },
        { additionalProperties: true },
      ),
      { maxItems: 100 },
    ),
  },
  { additionalProperties: true, title: 'LtiNotices' },
);

/** Asked of each deployment once a day and node. Repeating it changes nothing. */
const subscribed = createCache<true>({
  name: 'lti_notices',
  milliseconds: 24 * 3_600_000,
  max: 10_000,
  load: async (ctx, key) => {
    const [tenantId = '', platformId = '', url = ''] = JSON.parse(key) as string[];
    try {
      const token = await accessToken(forTenant(ctx, tenantId), platformId, 'notices');
      const { status } = await checkedFetch(ctx.config)(url, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ notice_type: copyNotice, handler: `${ctx.config.baseUrl}/lti/notice` }),
      });
      if (status > 299) throw new Error(`The platform responded with status ${status}.`);
    } catch (error) {
      const detail = (error as Error).message;
      ctx.log.warn({ tenant: tenantId, platform: platformId, detail }, 'LTI notices could not be ordered');
    }
    return true;
  },
});

/** Asks a platform that offers it to report copies of its courses. No launch waits for this, or fails with it. */
export function subscribe(ctx: TenantContext, platformId: string, url: string | null): void {
  if (url !== null) void subscribed.get(ctx, JSON.stringify([ctx.tenantId, platformId, url]));
}

/** Which client the token claims to be for. Its signature is verified with the keys of that client. */
async function clientOf(ctx: Context, token: string): Promise<Client> {
  const {
    iss = '',
    aud,
    azp,
  } = (() => {
    try {
      return decodeJwt(token);
    } catch (error) {
      throw new Rejected('malformed', (error as Error).message);
    }
  })();
  const clientId = typeof azp === 'string' ? azp : ([aud].flat()[0] ?? '');
  const [client] = await findClients(ctx, { issuer: iss, clientId, deploymentId: null });
  if (!client) throw new Rejected('unknown_platform', `The client ${clientId} of ${iss} is not registered.`);
  return client;
}

const objectOf = (value: unknown) => Object(value) as Record<string, unknown>;

async function receiveNotice(ctx: Context, token: string): Promise<void> {
  const client = await clientOf(ctx, token);
  const payload = await verifyMessage(ctx, client, token);
  const deploymentId = String(payload[claimName('deployment_id')]);
  const platform = await findByDeployment(ctx, client, deploymentId);
  if (!platform)
    throw new Rejected('unknown_deployment', `The deployment ${deploymentId} is not registered.`);
  const own = forTenant(ctx, platform.tenant_id);
  const tenant = await knownTenant.get(ctx, own.tenantId);
  if (!tenant || tenant.Status === 'suspended') throw new Rejected('suspended', 'The tenant is suspended.');
  const { type } = objectOf(payload[claimName('notice')]);
  const { id, title } = objectOf(payload[claimName('context')]);
  const origins = [payload[claimName('origin_contexts')] ?? []].flat();
  await transaction(own, async (own) => {
    await rejectReplay(own, String(payload.nonce));
    if (type === copyNotice)
      await logLaunch(own, {
        platformId: platform.platform_id,
        deploymentId,
        message: 'copy',
        detail: `${title ?? id} (${id}) ← ${origins.join(', ')}`,
      });
  });
}

/** Notices that were received before are accepted, because platforms repeat what they got no answer to. */
export async function receiveNotices(ctx: Context, { notices }: Type.Static<typeof NoticesBody>) {
  const rejections: Rejected[] = [];
  for (const { jwt } of notices)
    try {
      await receiveNotice(ctx, jwt);
    } catch (error) {
      if (!(error instanceof Rejected)) throw error;
      if (error.problem !== 'replayed') rejections.push(error);
    }
  const [first] = rejections;
  if (!first) return;
  ctx.log.warn({ problem: first.problem, detail: first.message }, 'an LTI notice was rejected');
  throw new Problem('malformed_request', `${first.problem}: ${first.message}`, { param: 'notices' });
}
