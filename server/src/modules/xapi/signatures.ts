import { compactVerify, decodeProtectedHeader, importX509 } from 'jose';
import { isSameStatement } from '../../../../standards/xapi/equality.ts';
import { InvalidXapi, invalid } from '../../../../standards/xapi/invalid.ts';
import { readStatement } from '../../../../standards/xapi/statements.ts';
import type { Edition, Statement } from '../../../../standards/xapi/types.ts';
import { parseBody } from './lrs-request.ts';
import type { Part } from './multipart.ts';

export const signatureUsage = 'http://adlnet.gov/expapi/attachments/signature';

const algorithms = ['RS256', 'RS384', 'RS512'];

/** Data 2.6: the signatures of a statement sign it as it was before they were attached. */
export async function checkSignatures(
  statement: Statement,
  parts: ReadonlyMap<string, Part>,
  edition: Edition,
): Promise<void> {
  for (const { usageType, contentType, sha2 } of statement.attachments ?? []) {
    if (usageType !== signatureUsage) continue;
    if (contentType !== 'application/octet-stream')
      invalid('attachments', 'has a signature whose contentType is not application/octet-stream.');
    const part = parts.get(sha2.toLowerCase());
    if (!part) invalid('attachments', 'has a signature without its part.');
    await checkSignature(statement, part.content.toString('latin1'), edition);
  }
}

async function checkSignature(statement: Statement, jws: string, edition: Edition): Promise<void> {
  const [, payload = '', ...others] = jws.split('.');
  if (others.length !== 1) invalid('attachments', 'has a signature that is not a JSON web signature.');
  const { alg = '', x5c } = headerOf(jws);
  if (!algorithms.includes(alg))
    invalid('attachments', `has a signature that is not ${algorithms.join(', ')}.`);
  const signed = parseBody(Buffer.from(payload, 'base64url'), 'The signed statement');
  // What it signs may lack what is only added later.
  const found = readStatement(signed, edition, 'The signed statement');
  const { attachments: _, ...bare } = statement;
  const { attachments: __, ...original } = found;
  if (!isSameStatement(original, bare)) invalid('attachments', 'has a signature of another statement.');
  if (x5c?.[0] !== undefined) await verify(jws, x5c[0], alg);
}

function headerOf(jws: string) {
  try {
    return decodeProtectedHeader(jws);
  } catch {
    return invalid('attachments', 'has a signature whose header cannot be read.');
  }
}

/** Data 2.6: the certificate is part of the header, so this only proves that its key made the signature. */
async function verify(jws: string, certificate: string, alg: string): Promise<void> {
  try {
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----`;
    await compactVerify(jws, await importX509(pem, alg), { algorithms });
  } catch (error) {
    if (error instanceof InvalidXapi) throw error;
    invalid('attachments', 'has a signature that does not match its certificate.');
  }
}
