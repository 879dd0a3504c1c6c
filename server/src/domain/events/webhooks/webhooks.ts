import { ownRows, updateOwn } from '../../../db/own-rows.ts';
import { run, transaction } from '../../../db/transaction.ts';
import { type PageQuery, pageById } from '../../../http/pagination.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { isId, newId } from '../../../lib/ids.ts';
import { differences } from '../../../lib/tables.ts';
import type { NewAudit } from '../../audit/actions.ts';
import { appendAudit } from '../../audit/chain.ts';
import { readTypes } from '../types.ts';
import { checkUrl } from './addresses.ts';
import { toWebhook, type WebhookRow, webhookNotFound } from './record.ts';
import type { NewWebhook, Webhook, WebhookChange, WebhookKind, WebhookWithSecret } from './schemas.ts';
import { makeSecret, sealPassword } from './secrets.ts';
import { checkKind, checkNewKind, type Source, type Sources, sourceOf, statementType } from './source.ts';

const maxEndpoints = 50;

/** A new endpoint starts at the end of the log, so it receives only later records. */
const insert = ({ end }: Source) => `
insert into webhook (tenant_id, webhook_id, url, description, types, status, disabled_reason, secret, created_at,
  updated_at, kind, username, password, token_url, scope, actor, position)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11, $12, $13, $14, $15, ${end}
where (select count(*) from webhook other where other.tenant_id = $1 and other.kind <> 'lti') < ${maxEndpoints}
returning *`;

/** Checks the addresses. This may be slow, because it looks up the host names. */
export async function checkWebhook(ctx: TenantContext, input: NewWebhook): Promise<NewWebhook> {
  checkNewKind(ctx, input);
  const URL = await checkUrl(ctx.config, input.URL);
  const { TokenURL = null } = input;
  checkScope(input.Scope, TokenURL);
  return { ...input, URL, TokenURL: TokenURL && (await checkUrl(ctx.config, TokenURL, 'TokenURL')) };
}

/** `input` has already been checked. */
export async function createWebhook(
  ctx: TenantContext,
  sources: Sources,
  input: NewWebhook,
): Promise<WebhookWithSecret> {
  const kind = input.Kind ?? 'events';
  const now = ctx.now();
  const status = input.Status ?? 'enabled';
  const webhookId = newId(now);
  const place = { tenant_id: ctx.tenantId, webhook_id: webhookId };
  const { secret, stored } = makeSecret(ctx, place);
  const values = [
    ctx.tenantId,
    webhookId,
    input.URL,
    input.Description ?? null,
    typesOf(kind, input.Types ?? null),
    status,
    status === 'disabled' ? 'client' : null,
    stored,
    now,
    kind,
    input.Username ?? null,
    input.Password === undefined ? null : sealPassword(ctx, place, input.Password),
    input.TokenURL ?? null,
    input.Scope ?? null,
    kind === 'results' ? (input.Actor ?? 'email') : null,
  ];
  const source = sourceOf(sources, { kind });
  const row = await transaction(ctx, async (ctx) => {
    await source.begin?.(ctx);
    const [made] = await run<WebhookRow>(ctx, insert(source), values);
    if (made) await audit(ctx, { action: 'webhook.created', targetId: made.webhook_id, data: {} });
    return made;
  });
  if (!row)
    throw new Problem(
      'webhook_limit',
      `A tenant can have at most ${maxEndpoints} webhook endpoints. Delete one first.`,
    );
  return withSecret(row, secret);
}

function typesOf(kind: WebhookKind, types: string[] | null): string[] | null {
  if (kind === 'xapi') return [statementType];
  if (kind === 'results') return null;
  return types && readTypes(types, 'Types');
}

const audit = (ctx: TenantContext, entry: NewAudit) => appendAudit(ctx, ctx.tenantId, entry);

function withSecret(row: WebhookRow, secret: string): WebhookWithSecret {
  const until = row.previous_secret_until?.toISOString() ?? null;
  return { ...toWebhook(row), Secret: secret, PreviousSecretUntil: until };
}

export async function readWebhookRow(ctx: TenantContext, input: { webhookId: string }): Promise<WebhookRow> {
  if (!isId(input.webhookId)) throw webhookNotFound();
  const row = await ownRows(ctx, 'webhook', { webhook_id: input.webhookId }).selectAll().executeTakeFirst();
  if (!row) throw webhookNotFound();
  return row;
}

export const listWebhooks = (ctx: TenantContext, input: PageQuery) =>
  pageById<WebhookRow, Webhook>(ctx, input, { table: 'webhook', key: 'webhook_id' }, toWebhook);

/**
 * Rejects a change to another server. Otherwise, anyone with a key that may change the URL could obtain the
 * password.
 */
function rejectOtherServer(before: WebhookRow, changed: { url: string; token_url: string | null }): void {
  const originOf = (url: string) => new URL(url).origin;
  const isSame =
    originOf(before.url) === originOf(changed.url) &&
    originOf(before.token_url ?? before.url) === originOf(changed.token_url ?? changed.url);
  if (isSame) return;
  throw invalid(
    'Password',
    'URL or TokenURL is on another server. Send Username and Password with it, because the stored password is not sent to another server.',
  );
}

function checkScope(scope: string | null | undefined, tokenUrl: string | null): void {
  if (scope != null && tokenUrl === null)
    throw invalid('Scope', 'Scope is only for a TokenURL. Leave it out, or send TokenURL.');
}

/** Changes the given fields; the others keep their values. */
export async function updateWebhook(
  ctx: TenantContext,
  input: WebhookChange & { webhookId: string },
): Promise<Webhook> {
  const { kind } = await readWebhookRow(ctx, input);
  checkKind(ctx, kind, input);
  const types = input.Types === undefined ? undefined : typesOf(kind, input.Types);
  const url = input.URL === undefined ? undefined : await checkUrl(ctx.config, input.URL);
  const tokenUrl = input.TokenURL ? await checkUrl(ctx.config, input.TokenURL, 'TokenURL') : input.TokenURL;
  return transaction(ctx, async (ctx) => {
    const before = await readWebhookRow(ctx, input);
    const token_url = tokenUrl === undefined ? before.token_url : tokenUrl;
    if (before.password !== null && input.Password === undefined)
      rejectOtherServer(before, { url: url ?? before.url, token_url });
    checkScope(input.Scope, token_url);
    const now = ctx.now();
    const enables = input.Status === 'enabled' && before.status === 'disabled';
    const hasCredentials =
      input.Username != null ||
      [input.Password, input.TokenURL, input.Scope].some((sent) => sent !== undefined);
    const row = await updateOwn(ctx, 'webhook', { webhook_id: input.webhookId })
      .set({
        updated_at: now,
        ...(url !== undefined && { url }),
        ...(types !== undefined && { types }),
        ...(input.Description !== undefined && { description: input.Description }),
        ...(input.Username !== undefined && { username: input.Username }),
        token_url,
        // Without a token, there is no scope.
        ...(token_url === null ? { scope: null } : input.Scope !== undefined && { scope: input.Scope }),
        ...(input.Actor && { actor: input.Actor }),
        ...(input.Password !== undefined && { password: sealPassword(ctx, before, input.Password) }),
        // With the new credentials, pending deliveries may now succeed.
        ...(hasCredentials && { wake_at: now, enabled_at: now }),
        ...(input.Status === 'disabled' && before.status === 'enabled'
          ? { status: 'disabled', disabled_reason: 'client' }
          : {}),
        ...(enables && {
          status: 'enabled',
          disabled_reason: null,
          failing_since: null,
          wake_at: now,
          enabled_at: now,
        }),
      })
      .returningAll()
      .executeTakeFirst();
    if (!row) throw webhookNotFound();
    const Changed = differences(toWebhook(row), toWebhook(before)).filter(
      (name) => name in input || name === 'Status',
    );
    if (input.Password !== undefined) Changed.push('Password');
    if (Changed.length > 0)
      await audit(ctx, { action: 'webhook.changed', targetId: row.webhook_id, data: { Changed } });
    return toWebhook(row);
  });
}

/** Creates a new secret; the previous one stays valid for a while. */
export async function rotateSecret(
  ctx: TenantContext,
  input: { webhookId: string; OverlapSeconds?: number },
): Promise<WebhookWithSecret> {
  if (!isId(input.webhookId)) throw webhookNotFound();
  const now = ctx.now();
  const { secret, stored } = makeSecret(ctx, { tenant_id: ctx.tenantId, webhook_id: input.webhookId });
  return transaction(ctx, async (ctx) => {
    const row = await updateOwn(ctx, 'webhook', { webhook_id: input.webhookId })
      .set((column) => ({
        previous_secret: column.ref('secret'),
        previous_secret_until: new Date(now.getTime() + (input.OverlapSeconds ?? 86_400) * 1000),
        secret: stored,
        updated_at: now,
      }))
      .returningAll()
      .executeTakeFirst();
    if (!row) throw webhookNotFound();
    await audit(ctx, { action: 'webhook.secret_rotated', targetId: row.webhook_id, data: {} });
    return withSecret(row, secret);
  });
}
