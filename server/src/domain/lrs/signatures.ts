import { type KeyObject, X509Certificate } from 'node:crypto';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { type Comparable, comparable, isSame } from '../../../../standards/xapi/equality.ts';
import { InvalidXapi, invalid } from '../../../../standards/xapi/invalid.ts';
import { readStatement } from '../../../../standards/xapi/statements.ts';
import type { Attachment, Edition, Statement } from '../../../../standards/xapi/types.ts';
import { parseBody } from './lrs-request.ts';
import type { Part } from './multipart.ts';

export const signatureUsage = 'http://adlnet.gov/expapi/attachments/signature';

/** Maximum number of signatures per statement and per request, because verifying one can take a millisecond. */
const maxSignatures = 10;
export const maxSignaturesOfRequest = 50;
/** Limits for the key, because a large modulus or exponent slows down verification. The usual exponent is 65537. */
const maxModulusBits = 4096;
const maxExponent = 2n ** 32n;
/** Maximum length of a signature's header, which contains certificates. */
const maxHeaderLength = 64 * 1024;

const algorithms = ['RS256', 'RS384', 'RS512'];

/**
 * Data 2.6: a signature covers the statement as it was before signatures were attached. A statement
 * can have many signatures, and a part can belong to many statements. Therefore each part is read
 * once, and each statement is prepared for comparison once.
 */
export async function checkSignatures(
  statements: readonly Statement[],
  parts: ReadonlyMap<string, Part>,
  edition: Edition,
): Promise<void> {
  const read = new Map<string, Comparable>();
  for (const { attachments = [], ...bare } of statements) {
    const signed = new Set(
      attachments.filter(({ usageType }) => usageType === signatureUsage).map(nameOfSignature),
    );
    if (signed.size === 0) continue;
    if (signed.size > maxSignatures) invalid('attachments', `has more than ${maxSignatures} signatures.`);
    const own = comparable(bare);
    for (const name of signed) {
      const part = parts.get(name);
      if (!part) invalid('attachments', 'has a signature without its part.');
      if (!read.has(name) && read.size === maxSignaturesOfRequest)
        invalid(
          'The body',
          `has more than ${maxSignaturesOfRequest} signatures. Split it into several requests.`,
        );
      const original = read.get(name) ?? (await readSignature(part.content.toString('latin1'), edition));
      read.set(name, original);
      if (!isSame(original, own)) invalid('attachments', 'has a signature of another statement.');
    }
  }
}

function nameOfSignature({ contentType, sha2 }: Attachment): string {
  if (contentType !== 'application/octet-stream')
    invalid('attachments', 'has a signature whose contentType is not application/octet-stream.');
  return sha2.toLowerCase();
}

/** Returns the statement that a signature covers. Throws if the signature is invalid. */
async function readSignature(jws: string, edition: Edition): Promise<Comparable> {
  const [, payload = '', ...others] = jws.split('.');
  if (others.length !== 1 || jws.indexOf('.') > maxHeaderLength)
    invalid('attachments', 'has a signature that is not a JSON web signature.');
  const { alg = '', x5c } = headerOf(jws);
  if (!algorithms.includes(alg))
    invalid('attachments', `has a signature that is not ${algorithms.join(', ')}.`);
  const signed = parseBody(Buffer.from(payload, 'base64url'), 'The signed statement');
  // The signed statement may lack properties that are set later.
  const { attachments: _, ...original } = readStatement(signed, edition, 'The signed statement');
  if (x5c?.[0] !== undefined) await verify(jws, x5c[0], alg);
  return comparable(original);
}

function headerOf(jws: string) {
  try {
    return decodeProtectedHeader(jws);
  } catch {
    return invalid('attachments', 'has a signature whose header cannot be read.');
  }
}

/**
 * Data 2.6: the certificate is part of the header, so this proves only that the certificate's key
 * made the signature.
 */
async function verify(jws: string, certificate: string, alg: string): Promise<void> {
  try {
    const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'));
    if (!isQuickToVerify(publicKey))
      invalid(
        'attachments',
        `has a signature whose key has more than ${maxModulusBits} bits or a very large exponent.`,
      );
    await compactVerify(jws, publicKey, { algorithms: [alg] });
  } catch (error) {
    if (error instanceof InvalidXapi) throw error;
    invalid('attachments', 'has a signature that does not match its certificate.');
  }
}

export function isQuickToVerify({ asymmetricKeyDetails }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  return modulusLength <= maxModulusBits && publicExponent <= maxExponent;
}
