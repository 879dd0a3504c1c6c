import type { Edition, Statement } from '../../../../../standards/xapi/types.ts';
import type { Context } from '../../../infra/context/context.ts';
import { signedHeaders } from '../../events/webhooks/message.ts';
import type { WebhookRow } from '../../events/webhooks/record.ts';
import { openPassword } from '../../events/webhooks/secrets.ts';
import type { Message } from '../../events/webhooks/send.ts';
import type { StoredAttachment } from '../attachments.ts';
import { writeParts } from '../multipart.ts';

export function statementsUrl({ url }: Pick<WebhookRow, 'url'>): URL {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/$/, '')}/statements`;
  return address;
}

function lrsHeaders(ctx: Pick<Context, 'keys'>, endpoint: WebhookRow, edition: Edition) {
  const password = endpoint.password === null ? '' : openPassword(ctx, endpoint, endpoint.password);
  const credentials = Buffer.from(`${endpoint.username ?? ''}:${password}`).toString('base64');
  return { authorization: `Basic ${credentials}`, 'x-experience-api-version': edition };
}

/** A request for one statement, which tests the address and the credentials. */
export function testMessage(ctx: Pick<Context, 'keys'>, endpoint: WebhookRow): Message {
  const url = statementsUrl(endpoint);
  url.searchParams.set('limit', '1');
  return { method: 'GET', url: url.href, headers: lrsHeaders(ctx, endpoint, '1.0.3'), body: '' };
}

/** Communication 2.1.2: a request with statements of one version and the contents of their attachments. */
export function statementsMessage(
  ctx: Pick<Context, 'keys'>,
  endpoint: WebhookRow,
  input: {
    statements: readonly (Statement & { id: string })[];
    attachments: readonly StoredAttachment[];
    edition: Edition;
    at: Date;
  },
): Message {
  const { statements, attachments, edition, at } = input;
  const json = Buffer.from(JSON.stringify(statements));
  const { contentType, body } =
    attachments.length === 0
      ? { contentType: 'application/json', body: json }
      : writeParts([
          { headers: { 'Content-Type': 'application/json' }, content: json },
          ...attachments.map(({ sha2, content_type, content }) => ({
            headers: {
              'Content-Type': content_type,
              'Content-Transfer-Encoding': 'binary',
              'X-Experience-API-Hash': sha2,
            },
            content,
          })),
        ]);
  const id = statements[0]?.id ?? '';
  return {
    url: statementsUrl(endpoint).href,
    body,
    headers: {
      ...signedHeaders(ctx, endpoint, { id, at, body }),
      ...lrsHeaders(ctx, endpoint, edition),
      'content-type': contentType,
    },
  };
}
