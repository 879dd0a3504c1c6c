import { hash } from 'node:crypto';
import { invalid } from '../../../../standards/xapi/invalid.ts';
import { isSubStatement } from '../../../../standards/xapi/subjects.ts';
import type { Attachment, Statement } from '../../../../standards/xapi/types.ts';
import { ownRows } from '../../db/own-rows.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import type { Part } from './multipart.ts';
import { signatureUsage } from './signatures.ts';

export type NewAttachment = { statementId: string; sha2: string; contentType: string; content: Buffer };

export function attachmentsOf(statement: Statement): Attachment[] {
  const { object, attachments = [] } = statement;
  return [...attachments, ...(isSubStatement(object) ? (object.attachments ?? []) : [])];
}

/** The SHA-2 algorithms, by the number of hexadecimal digits in their hashes. */
const algorithms: Record<number, string> = { 56: 'sha224', 64: 'sha256', 96: 'sha384', 128: 'sha512' };

/** Communication 1.5.2: maps hashes to parts. A part belongs to all attachments with its hash. */
export function partsBySha2(parts: readonly Part[]): Map<string, Part> {
  return new Map(
    parts.map((part, at) => {
      const sha2 = part.headers['x-experience-api-hash']?.toLowerCase();
      const algorithm = algorithms[sha2?.length ?? 0];
      if (!sha2 || !algorithm) invalid(`Part ${at + 2}`, 'needs the header X-Experience-API-Hash.');
      if (part.headers['content-transfer-encoding']?.toLowerCase() !== 'binary')
        invalid(`Part ${at + 2}`, 'needs the header Content-Transfer-Encoding: binary.');
      if (hash(algorithm, part.content) !== sha2)
        invalid(`Part ${at + 2}`, 'does not match its declared hash.');
      return [sha2, part];
    }),
  );
}

/**
 * Communication 1.5.2 and Data 2.4.11: every part belongs to a statement, and every attachment
 * without a fileUrl has a part. The statements must already have IDs.
 */
export function matchAttachments(
  statements: readonly Statement[],
  parts: ReadonlyMap<string, Part>,
): NewAttachment[] {
  const unused = new Set(parts.keys());
  const found = new Map<string, NewAttachment>();
  for (const statement of statements)
    for (const { sha2, fileUrl, contentType, usageType } of attachmentsOf(statement)) {
      const name = sha2.toLowerCase();
      const part = parts.get(name);
      unused.delete(name);
      if (!part && fileUrl !== undefined) continue;
      if (!part)
        invalid(
          'attachments',
          `has ${sha2}, but the request has no part with this hash, and the attachment has no fileUrl.`,
        );
      if (
        usageType === signatureUsage &&
        !part.headers['content-type']?.startsWith('application/octet-stream')
      )
        invalid('attachments', 'has a signature whose part is not of the type application/octet-stream.');
      const statementId = statement.id ?? '';
      found.set(`${statementId} ${name}`, { statementId, sha2: name, contentType, content: part.content });
    }
  const [extra] = unused;
  if (extra !== undefined)
    invalid('The body', `has a part ${extra} that is not an attachment of its statements.`);
  return [...found.values()];
}

export async function insertAttachments(
  ctx: TenantContext,
  attachments: readonly NewAttachment[],
): Promise<void> {
  if (attachments.length === 0) return;
  const rows = attachments.map(({ statementId, sha2, contentType, content }) => ({
    tenant_id: ctx.tenantId,
    statement_id: statementId,
    sha2,
    content_type: contentType,
    content,
  }));
  await ctx.db
    .insertInto('statement_attachment')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export type StoredAttachment = { sha2: string; content_type: string; content: Buffer };

/** Returns the attachments of the given statements. Identical contents are returned once. */
export async function readAttachments(
  ctx: TenantContext,
  statementIds: readonly string[],
): Promise<StoredAttachment[]> {
  if (statementIds.length === 0) return [];
  const rows = await ownRows(ctx, 'statement_attachment')
    .select(['sha2', 'content_type', 'content'])
    .where('statement_id', 'in', statementIds)
    .execute();
  return [...new Map(rows.map((row) => [row.sha2, { ...row, content: Buffer.from(row.content) }])).values()];
}
