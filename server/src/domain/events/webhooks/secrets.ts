import { createHmac, randomBytes } from 'node:crypto';
import { run } from '../../../db/transaction.ts';
import type { Context } from '../../../infra/context/context.ts';
import { decrypt, encrypt, encryptedBy } from '../../../infra/keys/key-ring.ts';
import { isServed, servedTenants } from '../../../infra/operations/jobs.ts';

const secretPrefix = 'whsec_';

/** 256 random bits in the format of the Standard Webhooks specification. */
function newWebhookSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64');
}

/** The headers of Standard Webhooks, with one signature for each valid secret. */
export function signatureHeaders(
  secrets: readonly string[],
  message: { id: string; at: Date; body: string | Buffer },
): Record<string, string> {
  const timestamp = String(Math.floor(message.at.getTime() / 1000));
  const signatures = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.slice(secretPrefix.length), 'base64'))
      .update(`${message.id}.${timestamp}.`)
      .update(message.body)
      .digest('base64'),
  );
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
}

type WebhookId = { tenant_id: string; webhook_id: string };

const about = ({ tenant_id, webhook_id }: WebhookId) =>
  ({ purpose: 'webhook-secret', place: `${tenant_id}\0${webhook_id}` }) as const;

const aboutPassword = ({ tenant_id, webhook_id }: WebhookId) =>
  ({ purpose: 'lrs-password', place: `${tenant_id}\0${webhook_id}` }) as const;

/** Encrypts a client's password for another LRS. */
export function sealPassword(ctx: Pick<Context, 'keys'>, place: WebhookId, password: string): string {
  return encrypt(ctx.keys, aboutPassword(place), password);
}

export function openPassword(ctx: Pick<Context, 'keys'>, place: WebhookId, stored: string): string {
  return decrypt(ctx.keys, aboutPassword(place), stored);
}

/** Creates a secret. It is shown to the client once and stored in the database. */
export function makeSecret(ctx: Context, place: WebhookId): { secret: string; stored: string } {
  const secret = newWebhookSecret();
  return { secret, stored: encrypt(ctx.keys, about(place), secret) };
}

export function openSecret(ctx: Pick<Context, 'keys'>, place: WebhookId, stored: string): string {
  return decrypt(ctx.keys, about(place), stored);
}

type Row = WebhookId & { secret: string; previous_secret: string | null; password: string | null };

const read = `/* across tenants: a key of the deployment encrypts all secrets */
select tenant_id, webhook_id, secret, previous_secret, password from webhook
where (tenant_id, webhook_id) > ($1, $2::uuid) and ${isServed('tenant_id', '$5')} and not (starts_with(secret, $3)
  and coalesce(starts_with(previous_secret, $3), true) and coalesce(starts_with(password, $3), true))
order by tenant_id, webhook_id limit $4`;

/** Skips a secret or password that was changed in the meantime, because the change encrypted it. */
const write = `/* across tenants: a key of the deployment encrypts all secrets */
update webhook set secret = made.secret, previous_secret = made.previous_secret, password = made.password
from jsonb_to_recordset($1::jsonb) as made (tenant_id text, webhook_id uuid, secret text, previous_secret text,
  password text, secret_before text, previous_before text, password_before text)
where webhook.tenant_id = made.tenant_id and webhook.webhook_id = made.webhook_id
  and webhook.secret = made.secret_before and webhook.previous_secret is not distinct from made.previous_before
  and webhook.password is not distinct from made.password_before`;

const batch = 500;

/**
 * Encrypts secrets with the ring's first key: those encrypted with an earlier key. Any number
 * of nodes may do this concurrently. Throws if the ring lacks a key that is still needed.
 */
export async function encryptSecrets(ctx: Context): Promise<number> {
  const [first] = ctx.keys.keys;
  const served = await servedTenants(ctx);
  let last: WebhookId = { tenant_id: '', webhook_id: '00000000-0000-0000-0000-000000000000' };
  for (let count = 0; ; ) {
    const values = [last.tenant_id, last.webhook_id, encryptedBy(first.id), batch, served];
    const rows = await run<Row>(ctx, read, values);
    const made = rows.map((row) => ({
      ...row,
      secret: encryptAgain(ctx, row, row.secret),
      previous_secret: row.previous_secret && encryptAgain(ctx, row, row.previous_secret),
      password: row.password && encryptPasswordAgain(ctx, row, row.password),
      secret_before: row.secret,
      previous_before: row.previous_secret,
      password_before: row.password,
    }));
    if (made.length > 0) await run(ctx, write, [JSON.stringify(made)]);
    count += made.length;
    last = rows.at(-1) ?? last;
    if (rows.length < batch) return count;
  }
}

function encryptAgain(ctx: Context, row: Row, stored: string): string {
  const [first] = ctx.keys.keys;
  if (stored.startsWith(encryptedBy(first.id))) return stored;
  return encrypt(ctx.keys, about(row), openSecret(ctx, row, stored));
}

function encryptPasswordAgain(ctx: Context, row: Row, stored: string): string {
  const [first] = ctx.keys.keys;
  if (stored.startsWith(encryptedBy(first.id))) return stored;
  return sealPassword(ctx, row, openPassword(ctx, row, stored));
}
