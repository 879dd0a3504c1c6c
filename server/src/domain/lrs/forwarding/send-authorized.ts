import { ownRows } from '../../../db/own-rows.ts';
import { forTenant } from '../../../db/transaction.ts';
import { createCache } from '../../../infra/context/cache.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import {
  type AccessToken,
  NoToken,
  requestToken,
  sendWithToken,
} from '../../events/webhooks/access-token.ts';
import type { WebhookRow } from '../../events/webhooks/record.ts';
import { openPassword } from '../../events/webhooks/secrets.ts';
import type { Message, Outcome } from '../../events/webhooks/send.ts';
import type { SendingDelivery } from '../../events/webhooks/source.ts';

const advice = {
  invalid_client:
    'The receiver does not accept the client. Check Username (client ID) and Password (secret).',
  unauthorized_client: 'The receiver does not allow this client to use client credentials.',
  invalid_scope: 'The receiver does not give the client this Scope. Check Scope, or allow it there.',
};

const passwordOf = (ctx: Pick<Context, 'keys'>, endpoint: WebhookRow): string =>
  endpoint.password === null ? '' : openPassword(ctx, endpoint, endpoint.password);

async function requestEndpointToken(ctx: TenantContext, webhookId: string): Promise<AccessToken> {
  const endpoint = await ownRows(ctx, 'webhook', { webhook_id: webhookId }).selectAll().executeTakeFirst();
  if (!endpoint?.token_url) throw new NoToken('The endpoint was changed or deleted.');
  const client = { client_id: endpoint.username ?? '', client_secret: passwordOf(ctx, endpoint) };
  const body = { ...client, ...(endpoint.scope !== null && { scope: endpoint.scope }) };
  return requestToken(ctx, { url: endpoint.token_url, body, advice });
}

/** A change of the endpoint has another key, so its next request uses the new credentials on every node. */
const keyOf = ({ tenant_id, webhook_id, updated_at }: WebhookRow) =>
  [tenant_id, webhook_id, updated_at.getTime()].join('\0');

const tokens = createCache<AccessToken>({
  name: 'webhook_tokens',
  milliseconds: 60 * 60_000,
  max: 2_000,
  load: (ctx, key) => {
    const [tenantId = '', webhookId = ''] = key.split('\0');
    return requestEndpointToken(forTenant(ctx, tenantId), webhookId);
  },
});

async function tokenOf(ctx: TenantContext, key: string): Promise<string> {
  const found = await tokens.get(ctx, key);
  if (found.until > ctx.now().getTime()) return found.token;
  tokens.forget(ctx, key);
  return (await tokens.get(ctx, key)).token;
}

/** Forgets the endpoint's token, so that a test shows whether it gets one. */
export const forgetToken = (ctx: TenantContext, endpoint: WebhookRow): void =>
  tokens.forget(ctx, keyOf(endpoint));

/** Sends with the credentials of the endpoint: HTTP Basic or, with a TokenURL, an access token. */
export function sendAuthorized(
  ctx: TenantContext,
  { endpoint, sender, stop }: Pick<SendingDelivery, 'endpoint' | 'sender' | 'stop'>,
  message: Message,
): Promise<Outcome> {
  if (endpoint.token_url !== null) {
    const key = keyOf(endpoint);
    const own = { get: () => tokenOf(ctx, key), forget: () => tokens.forget(ctx, key) };
    return sendWithToken(message, own, (message) => sender.send(message, stop));
  }
  const credentials = Buffer.from(`${endpoint.username ?? ''}:${passwordOf(ctx, endpoint)}`).toString(
    'base64',
  );
  const headers = { ...message.headers, authorization: `Basic ${credentials}` };
  return sender.send({ ...message, headers }, stop);
}
