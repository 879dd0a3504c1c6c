import type { Edition, Statement } from '../../../../../standards/xapi/types.ts';
import { run } from '../../../db/transaction.ts';
import { partOfState, type TenantContext } from '../../../infra/context/context.ts';
import { nothingSent } from '../../events/webhooks/access-token.ts';
import { openSlots } from '../../events/webhooks/claim.ts';
import type { Outcome } from '../../events/webhooks/send.ts';
import type { SendingDelivery } from '../../events/webhooks/source.ts';
import { attachmentsOf, readAttachments } from '../attachments.ts';
import { type StoredRow, toStatement } from '../stored-statement.ts';
import { statementsMessage } from './lrs-message.ts';
import { sendAuthorized } from './send-authorized.ts';

type Sent = Statement & { id: string };

/** The join omits erased statements. */
const ofDelivery = `webhook_delivery delivery
cross join unnest(delivery.statement_ids) as own (statement_id)
join statement found on found.tenant_id = $1 and found.statement_id = own.statement_id
where delivery.tenant_id = $1 and delivery.webhook_id = $2 and delivery.delivery_id = $3`;
const readText = `select found.payload, found.position from ${ofDelivery} order by found.position`;
const sizeText = `select coalesce(sum(found.bytes), 0)::float8 as bytes from ${ofDelivery}`;

/** A larger delivery is a single statement with its attachments, because a batch of several has at most this size. */
const largeBytes = 1024 ** 2;
/** Number of large deliveries that a node sends at the same time. Each takes several times its size in memory. */
const largeTurns = partOfState('large_forwards', () => openSlots(2));

/**
 * Removes `stored` and `authority`. The other LRS sets them, and uses the owner of our credentials
 * as the authority (Data 2.4.8 and 2.4.9).
 */
function toSent(row: StoredRow): Sent {
  const { stored: _stored, authority: _authority, ...statement } = toStatement(row);
  return statement;
}

const editionOf = ({ version = '' }: Sent): Edition => (version.startsWith('2.') ? '2.0.0' : '1.0.3');

/** Groups consecutive statements of the same version, because a request has only one version. */
function partsOf(statements: readonly Sent[]): Sent[][] {
  const parts: Sent[][] = [];
  for (const statement of statements) {
    const last = parts.at(-1);
    if (last?.[0] && editionOf(last[0]) === editionOf(statement)) last.push(statement);
    else parts.push([statement]);
  }
  return parts;
}

/**
 * Statuses that concern the statements, not the LRS or the credentials. A 409 for a single statement means
 * that the LRS already has it.
 */
const ofStatements = [400, 409, 413, 422];

type Sending = Omit<SendingDelivery, 'delivery'>;

type Progress = {
  requests: number;
  rejected: { id: string; status: number }[];
  milliseconds: number;
  last: Outcome;
};

/**
 * An LRS accepts either all statements of a request or none. After a rejection, each half is sent
 * separately, until only the rejected statements are left. Returns false if the LRS cannot be
 * reached.
 */
async function sendPart(
  ctx: TenantContext,
  sending: Sending,
  part: readonly Sent[],
  progress: Progress,
): Promise<boolean> {
  const [first] = part;
  if (!first) return true;
  const names = new Set(part.flatMap((one) => attachmentsOf(one).map(({ sha2 }) => sha2.toLowerCase())));
  const stored =
    names.size === 0
      ? []
      : await readAttachments(
          ctx,
          part.map(({ id }) => id),
        );
  const message = statementsMessage(ctx, sending.endpoint, {
    statements: part,
    attachments: stored.filter(({ sha2 }) => names.has(sha2)),
    edition: editionOf(first),
    at: sending.at,
  });
  if (progress.requests++ > 0) await sending.nextTurn();
  const outcome = await sendAuthorized(ctx, sending, message);
  progress.milliseconds += outcome.milliseconds;
  progress.last = outcome;
  if (outcome.delivered) return true;
  const { status } = outcome;
  if (status === null || !ofStatements.includes(status)) return false;
  if (part.length > 1) {
    const middle = Math.ceil(part.length / 2);
    for (const half of [part.slice(0, middle), part.slice(middle)])
      if (!(await sendPart(ctx, sending, half, progress))) return false;
    return true;
  }
  if (status !== 409) progress.rejected.push({ id: first.id, status });
  return true;
}

const maxNamed = 10;

/** Does not store responses. They may repeat the statements, and an erasure would not find them there. */
export async function sendStatements(ctx: TenantContext, sending: SendingDelivery): Promise<Outcome> {
  const values = [ctx.tenantId, sending.endpoint.webhook_id, sending.delivery.deliveryId];
  const [sum] = await run<{ bytes: number }>(ctx, sizeText, values);
  if ((sum?.bytes ?? 0) <= largeBytes) return sendAll(ctx, sending, values);
  const turns = largeTurns(ctx);
  await turns.enter(ctx.tenantId);
  try {
    return await sendAll(ctx, sending, values);
  } finally {
    turns.release();
  }
}

async function sendAll(ctx: TenantContext, sending: Sending, values: unknown[]): Promise<Outcome> {
  const rows = await run<StoredRow>(ctx, readText, values);
  const progress: Progress = { requests: 0, rejected: [], milliseconds: 0, last: nothingSent };
  for (const part of partsOf(rows.map(toSent)))
    if (!(await sendPart(ctx, sending, part, progress)))
      return { ...progress.last, body: null, milliseconds: progress.milliseconds };
  const { rejected, milliseconds, last } = progress;
  if (rejected.length === 0) return { ...nothingSent, status: last.status, milliseconds };
  const named = rejected.slice(0, maxNamed).map(({ id, status }) => `${id} (status ${status})`);
  const others = rejected.length > maxNamed ? ` and ${rejected.length - maxNamed} others` : '';
  return {
    ...nothingSent,
    delivered: false,
    isRefused: true,
    status: rejected[0]?.status ?? null,
    error: `The LRS rejected ${rejected.length} of ${rows.length} statements: ${named.join(', ')}${others}. It has the rest.`,
    milliseconds,
  };
}
