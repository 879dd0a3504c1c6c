import Type from 'typebox';
import { PageOf, pageQuery } from '../../platform/pagination.ts';
import { created, ok, path, route } from '../../platform/routes.ts';
import { Fields, Text } from '../../platform/schema.ts';
import { listDeliveries, recordPing, sendPing } from './deliveries.ts';
import { toWebhook } from './record.ts';
import { replayEvents } from './replay.ts';
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
import {
  checkWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhookRow,
  rotateSecret,
  updateWebhook,
} from './webhooks.ts';

const params = Type.Object({ WebhookID: Text(255) });
/** An endpoint receives events, and its deliveries show them: who may not read events may not send them anywhere. */
const common = { tag: 'Webhooks', access: 'tenant', scope: 'webhooks:write', also: ['events:read'] } as const;

export const webhookRoutes = [
  route({
    ...common,
    method: 'POST',
    path: '/webhook',
    name: 'createWebhook',
    summary: 'Create a webhook endpoint',
    description: 'Deliveries are signed as in Standard Webhooks. The secret is shown in this answer only.',
    example: ['Types'],
    body: NewWebhook,
    answers: { 201: { description: 'The endpoint, with its secret this once.', schema: WebhookWithSecret } },
    problems: ['webhook_limit', 'webhook_address_refused'],
    events: [],
    audits: ['webhook.created'],
    prepare: (ctx, { body }) => checkWebhook(ctx, body),
    handle: async (ctx, { prepared }) => {
      const webhook = await createWebhook(ctx, prepared);
      return created(webhook, path`/webhook/${webhook.WebhookID}`);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/webhook',
    name: 'listWebhooks',
    summary: 'List the webhook endpoints',
    description: 'With their state: enabled, disabled, or failing since when.',
    query: Fields(pageQuery),
    answers: { 200: { description: 'A page of endpoints, without their secrets.', schema: PageOf(Webhook) } },
    handle: async (ctx, { query }) => ok(await listWebhooks(ctx, query)),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/webhook/{WebhookID}',
    name: 'readWebhook',
    summary: 'Read a webhook endpoint',
    description: 'The secret is not part of the answer.',
    params,
    answers: { 200: { description: 'The endpoint.', schema: Webhook } },
    problems: ['webhook_not_found'],
    handle: async (ctx, { params }) =>
      ok(toWebhook(await readWebhookRow(ctx, { webhookId: params.WebhookID }))),
  }),
  route({
    ...common,
    method: 'PUT',
    path: '/webhook/{WebhookID}',
    name: 'updateWebhook',
    summary: 'Change, disable or enable a webhook endpoint',
    description: 'An endpoint that is enabled again receives what happened meanwhile.',
    example: ['Types'],
    params,
    body: WebhookChange,
    answers: { 200: { description: 'The changed endpoint.', schema: Webhook } },
    problems: ['webhook_not_found', 'webhook_address_refused'],
    events: [],
    audits: ['webhook.changed'],
    handle: async (ctx, { params, body }) =>
      ok(await updateWebhook(ctx, { ...body, webhookId: params.WebhookID })),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/webhook/{WebhookID}',
    name: 'deleteWebhook',
    summary: 'Delete a webhook endpoint and its deliveries',
    description: 'Events that were not delivered yet are not sent any more.',
    params,
    answers: { 200: { description: 'The endpoint as it was.', schema: Webhook } },
    problems: ['webhook_not_found'],
    events: [],
    audits: ['webhook.deleted'],
    handle: async (ctx, { params }) => ok(await deleteWebhook(ctx, { webhookId: params.WebhookID })),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/webhook/{WebhookID}/rotate',
    name: 'rotateWebhookSecret',
    summary: 'Make a new secret; the one before stays valid for a while',
    description:
      'For the overlap, deliveries are signed with both secrets, so that nothing is lost while you exchange them.',
    example: ['OverlapSeconds'],
    params,
    body: Rotation,
    answers: {
      200: { description: 'The endpoint, with its new secret this once.', schema: WebhookWithSecret },
    },
    problems: ['webhook_not_found'],
    events: [],
    audits: ['webhook.secret_rotated'],
    handle: async (ctx, { params, body }) =>
      ok(await rotateSecret(ctx, { ...body, webhookId: params.WebhookID })),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/webhook/{WebhookID}/ping',
    name: 'pingWebhook',
    summary: 'Send a test event now, and answer what came of it',
    description: 'Use it to test signature verification. The event is `webhook.ping` and is in no log.',
    params,
    answers: { 200: { description: 'The delivery, whether it succeeded or not.', schema: Delivery } },
    problems: ['webhook_not_found'],
    events: [],
    prepare: (ctx, { params }) => sendPing(ctx, { webhookId: params.WebhookID }),
    handle: async (ctx, { prepared }) => ok(await recordPing(ctx, prepared)),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/webhook/{WebhookID}/delivery',
    name: 'listDeliveries',
    summary: 'List the deliveries of an endpoint, the newest first',
    description: 'With the request that was sent and the answer that was received.',
    params,
    query: deliveryQuery,
    answers: { 200: { description: 'A page of deliveries.', schema: PageOf(Delivery) } },
    problems: ['webhook_not_found'],
    handle: async (ctx, { params, query }) =>
      ok(await listDeliveries(ctx, { ...query, webhookId: params.WebhookID })),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/webhook/{WebhookID}/replay',
    name: 'replayEvents',
    summary: 'Send events again, by id or by time',
    description:
      'Use it after an outage on your side. Send either `EventIDs`, or `From` and optionally `Until`.',
    example: ['EventIDs'],
    params,
    body: Replay,
    answers: { 200: { description: 'How many are sent again.', schema: ReplayResult } },
    problems: ['webhook_not_found'],
    events: [],
    audits: ['webhook.replayed'],
    heavy: true,
    handle: async (ctx, { params, body }) =>
      ok(await replayEvents(ctx, { ...body, webhookId: params.WebhookID })),
  }),
];
