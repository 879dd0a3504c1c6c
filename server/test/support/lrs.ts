import { createHash } from 'node:crypto';

/** A multipart request with a statement and one attachment. */
export function withAttachment(statement: object, content: string): { body: string; contentType: string } {
  const sha2 = createHash('sha256').update(content).digest('hex');
  const attachment = {
    usageType: 'https://example.com/usage',
    display: { en: 'A text' },
    contentType: 'text/plain',
    length: Buffer.byteLength(content),
    sha2,
  };
  const lines = [
    '--part',
    'Content-Type: application/json',
    '',
    JSON.stringify({ ...statement, attachments: [attachment] }),
    '--part',
    'Content-Type: text/plain',
    'Content-Transfer-Encoding: binary',
    `X-Experience-API-Hash: ${sha2}`,
    '',
    content,
    '--part--',
    '',
  ];
  return { body: lines.join('\r\n'), contentType: 'multipart/mixed; boundary=part' };
}
