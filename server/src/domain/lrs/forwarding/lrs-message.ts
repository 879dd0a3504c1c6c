import type { Edition, Statement } from '../../../../../standards/xapi/types.ts';
import type { Context } from '../../../infra/context/context.ts';
import { signedHeaders } from '../../events/webhooks/message.ts';
import type { WebhookRow } from '../../events/webhooks/record.ts';
import type { Message } from '../../events/webhooks/send.ts';
import type { StoredAttachment } from '../attachments.ts';
import { writeParts } from '../multipart.ts';

export function statementsUrl({ url }: Pick<WebhookRow, 'url'>): URL {
  const address = new URL(url);
  address.pathname = `${address.pathname.replace(/\/$/, '')}/statements`;
  return address;
}

const lrsHeaders = (edition: Edition) => ({ 'x-experience-api-version': edition });

/** A request for one statement, which tests the address and the credentials. */
export function testMessage(endpoint: WebhookRow): Message {
  const url = statementsUrl(endpoint);
  url.searchParams.set('limit', '1');
  return { method: 'GET', url: url.href, headers: lrsHeaders('1.0.3'), body: '' };
}

/** Communication 2.1.2: a request with statements of one version and the contents of their attachments. */
export function statementsMessage(
  ctx: Pick<Context, 'keys'>,
  endpoint: WebhookRow,
  input: {
    statements: readonly (Statement & { id: string })[];
    /** Whether the only statement is sent as an object instead of an array. */
    isSingle?: true;
    attachments: readonly StoredAttachment[];
    edition: Edition;
    at: Date;
  },
): Message {
  const { statements, isSingle, attachments, edition, at } = input;
  const json = Buffer.from(JSON.stringify(isSingle ? statements[0] : statements));
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
      ...lrsHeaders(edition),
      'content-type': contentType,
    },
  };
}
