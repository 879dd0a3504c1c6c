import { run } from '../../../db/transaction.ts';
import { openQueue } from '../../../infra/calls/queue.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { type EventRow, eventColumns, toEvent } from '../log.ts';
import type { WebhookRow } from './record.ts';
import { openSecret, signatureHeaders } from './secrets.ts';
import type { Message } from './send.ts';

export const pingType = 'webhook.ping';

/** The body of a delivery: the same record as in GET /events. */
export type Body = Omit<ReturnType<typeof toEvent>, 'Type'> & { Type: string };

const text = `
select ${eventColumns} from event
left join "user" known on known.tenant_id = $1 and known.user_id = event.user_id
where event.tenant_id = $1 and event.event_id = any($2::uuid[])`;

export async function readBodies(ctx: TenantContext, eventIds: string[]): Promise<Map<string, Body>> {
  const rows = await run<EventRow>(ctx, text, [ctx.tenantId, eventIds]);
  return new Map(rows.map((row) => [row.event_id ?? '', toEvent(row)]));
}

/** Reads the bodies of simultaneous deliveries together. */
const bodyQueue = openQueue<TenantContext, string, Body | null>({
  name: 'webhook_bodies',
  run: async (calls) => {
    const { ctx } = calls[0] as (typeof calls)[0];
    const bodies = await readBodies(
      ctx,
      calls.map(({ row }) => row),
    );
    return calls.map(({ row }) => bodies.get(row) ?? null);
  },
});

export const readBody = (ctx: TenantContext, eventId: string): Promise<Body | null> =>
  bodyQueue.add(ctx, eventId);

export function pingBody(input: { eventId: string; webhookId: string; at: Date }): Body {
  return {
    EventID: input.eventId,
    Type: pingType,
    OccurredAt: input.at.toISOString(),
    LoginID: null,
    EnrollID: null,
    CourseID: null,
    Data: { WebhookID: input.webhookId },
  };
}

type Endpoint = Pick<
  WebhookRow,
  'tenant_id' | 'webhook_id' | 'url' | 'secret' | 'previous_secret' | 'previous_secret_until'
>;

/** The headers that prove the origin of a message, signed with each valid secret of the endpoint. */
export function signedHeaders(
  ctx: Pick<Context, 'keys'>,
  endpoint: Endpoint,
  message: { id: string; at: Date; body: string | Buffer },
): Record<string, string> {
  const { secret, previous_secret: previous, previous_secret_until: until } = endpoint;
  const stored = previous && until && until > message.at ? [secret, previous] : [secret];
  return signatureHeaders(
    stored.map((one) => openSecret(ctx, endpoint, one)),
    message,
  );
}

export function toMessage(ctx: Context, endpoint: Endpoint, body: Body, at: Date): Message {
  const text = JSON.stringify(body);
  const headers = signedHeaders(ctx, endpoint, { id: body.EventID, at, body: text });
  return { url: endpoint.url, body: text, headers };
}
