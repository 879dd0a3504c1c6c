import Type from 'typebox';
import { PageOf, pageQuery } from '../../../http/pagination.ts';
import { created, ok, path, type Route, route } from '../../../http/routes.ts';
import { Fields, Text } from '../../../http/validation/schema.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { findReplayed, listDeliveries, recordPing, replayEvents, sendPing } from './deliveries.ts';
import { toWebhook } from './record.ts';
import {
  Delivery,
  deliveryQuery,
  NewWebhook,
  Replay,
  ReplayResult,
  Rotation,
  Webhook,
  WebhookChange,
  WebhookWithSecret,
} from './schemas.ts';
import type { Sources } from './source.ts';
import {
  checkWebhook,
  createWebhook,
  listWebhooks,
  readWebhookRow,
  rotateSecret,
  updateWebhook,
} from './webhooks.ts';

const params = Type.Object({ WebhookID: Text(255) });
/**
 * An endpoint receives events, and its deliveries show them. All of these operations therefore
 * require `events:read`.
 */
const common = {
  tag: 'Webhooks',
  access: 'tenant',
  scope: 'webhooks:write',
  additionalScopes: ['events:read'],
} as const;

export const webhookRoutes = (sources: Sources): readonly Route[] => [
  route('POST /webhook', 'createWebhook', {
    ...common,
    summary: 'Create a webhook endpoint',
    description:
      'Deliveries are signed according to Standard Webhooks. The secret is shown only in this response. With `Kind` `xapi`, it forwards statements to another LRS, which also requires the scope `xapi:read`.',
    example: ['Types'],
    body: NewWebhook,
    responses: {
      201: { description: 'The endpoint, with its secret shown only once.', schema: WebhookWithSecret },
    },
    problems: ['webhook_limit', 'webhook_address_refused'],
    events: [],
    audits: ['webhook.created'],
    prepare: (ctx, { body }) => checkWebhook(ctx, body),
    handle: async (ctx, { prepared }) => {
      const webhook = await createWebhook(ctx, sources, prepared);
      return created(webhook, path`/webhook/${webhook.WebhookID}`);
    },
  }),
  route('GET /webhook', 'listWebhooks', {
    ...common,
    summary: 'List webhook endpoints',
    description: 'Shows whether each endpoint is enabled, disabled or failing.',
    query: Fields(pageQuery),
    responses: {
      200: { description: 'A page of endpoints, without their secrets.', schema: PageOf(Webhook) },
    },
    handle: async (ctx, { query }) => ok(await listWebhooks(ctx, query)),
  }),
  route('GET /webhook/{WebhookID}', 'readWebhook', {
    ...common,
    summary: 'Read a webhook endpoint',
    description: 'The secret is not returned.',
    params,
    responses: { 200: { description: 'The endpoint.', schema: Webhook } },
    problems: ['webhook_not_found'],
    handle: async (ctx, { params }) =>
      ok(toWebhook(await readWebhookRow(ctx, { webhookId: params.WebhookID }))),
  }),
  route('PUT /webhook/{WebhookID}', 'updateWebhook', {
    ...common,
    summary: 'Change, disable or enable a webhook endpoint',
    description: 'An endpoint that is enabled again receives the events that it missed.',
    example: ['Types'],
    params,
    body: WebhookChange,
    responses: { 200: { description: 'The changed endpoint.', schema: Webhook } },
    problems: ['webhook_not_found', 'webhook_address_refused'],
    events: [],
    audits: ['webhook.changed'],
    handle: async (ctx, { params, body }) =>
      ok(await updateWebhook(ctx, { ...body, webhookId: params.WebhookID })),
  }),
  route('DELETE /webhook/{WebhookID}', 'deleteWebhook', {
    ...common,
    summary: 'Delete a webhook endpoint and its deliveries',
    description: 'Events that have not been delivered yet will not be sent.',
    params,
    responses: { 200: { description: 'The deleted endpoint.', schema: Webhook } },
    problems: ['webhook_not_found'],
    events: [],
    audits: ['webhook.deleted'],
    handle: async (ctx, { params }) => ok(await deleteWebhook(ctx, { webhookId: params.WebhookID })),
  }),
  route('POST /webhook/{WebhookID}/rotate', 'rotateWebhookSecret', {
    ...common,
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'During the overlap, deliveries are signed with both secrets, so that you can switch to the new one without losing any.',
    example: ['OverlapSeconds'],
    params,
    body: Rotation,
    responses: {
      200: { description: 'The endpoint, with its new secret shown only once.', schema: WebhookWithSecret },
    },
    problems: ['webhook_not_found'],
    events: [],
    audits: ['webhook.secret_rotated'],
    handle: async (ctx, { params, body }) =>
      ok(await rotateSecret(ctx, { ...body, webhookId: params.WebhookID })),
  }),
  route('POST /webhook/{WebhookID}/ping', 'pingWebhook', {
    ...common,
    summary: 'Send a test event',
    description:
      'Use it to test signature verification. The response shows the result. The event is `webhook.ping` and is not in the log. If the endpoint is an LRS, one statement is read from it instead, to test the URL and the credentials.',
    params,
    responses: { 200: { description: 'The delivery, even if it failed.', schema: Delivery } },
    problems: ['webhook_not_found'],
    events: [],
    prepare: (ctx, { params }) => sendPing(ctx, sources, { webhookId: params.WebhookID }),
    handle: async (ctx, { prepared }) => ok(await recordPing(ctx, prepared)),
  }),
  route('GET /webhook/{WebhookID}/delivery', 'listDeliveries', {
    ...common,
    summary: 'List the deliveries of an endpoint',
    description: 'Newest first, with the request that was sent and the response that was received.',
    params,
    query: deliveryQuery,
    responses: { 200: { description: 'A page of deliveries.', schema: PageOf(Delivery) } },
    problems: ['webhook_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listDeliveries(ctx, { ...query, webhookId: params.WebhookID })),
  }),
  route('POST /webhook/{WebhookID}/replay', 'replayEvents', {
    ...common,
    summary: 'Replay events',
    description:
      'Sends past events again, for example after an outage on your side. Send either `EventIDs`, or `From` and optionally `Until`.',
    example: ['EventIDs'],
    params,
    body: Replay,
    responses: {
      200: { description: 'The number of events that will be sent again.', schema: ReplayResult },
    },
    problems: ['webhook_not_found'],
    events: [],
    audits: ['webhook.replayed'],
    prepare: (ctx, { params, body }) => findReplayed(ctx, sources, { ...body, webhookId: params.WebhookID }),
    handle: async (ctx, { prepared }) => ok(await replayEvents(ctx, prepared)),
  }),
];
