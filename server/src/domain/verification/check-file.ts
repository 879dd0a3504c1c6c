import { inflateSync } from 'node:zlib';
import { decodeJwt, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { forTenant } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { documentsOf, tenantOfDid } from '../certificates/credential/did.ts';
import { loadProofs } from '../certificates/credential/sign.ts';
import { drawCertificate } from '../certificates/formats.ts';
import { toVerified } from '../certificates/record/record.ts';
import type { FileCheck } from '../certificates/record/schemas.ts';
import { readPublicKeys } from '../identity/tenant-keys.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { findByNumber } from './verify.ts';

/** The largest file that is checked. A PDF with a logo of the largest permitted size is smaller. */
export const maxFileBytes = 4 * 1024 * 1024;

/** Anyone may send a file, so what is read of it is bounded. A credential of this service has about 50 values. */
const maxCredentialBytes = 64 * 1024;
const maxAttachments = 20;
const maxValues = 200;
const jwt = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

/** The text of each file that is attached to a PDF. */
function* attachmentsOf(pdf: Buffer): Generator<string> {
  for (let at = 0, n = 0; n < maxAttachments; n++) {
    const found = pdf.indexOf('/EmbeddedFile', at);
    const start = found < 0 ? -1 : pdf.indexOf('stream', found);
    if (start < 0) return;
    at = found + 13;
    const first = start + (pdf[start + 6] === 0x0d ? 8 : 7);
    try {
      const packed = pdf.subarray(first, first + maxCredentialBytes);
      yield inflateSync(packed, { maxOutputLength: maxCredentialBytes }).toString('latin1');
    } catch {
      // Not a compressed stream, or too long for a credential.
    }
  }
}

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const pngKeyword = 'openbadgecredential\0';

/** The credential in an uncompressed iTXt chunk of a PNG (Open Badges 3.0 §5.3.1.1). */
function* pngTextsOf(png: Buffer): Generator<string> {
  for (let at = pngStart.length; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'iTXt' && data.length <= maxCredentialBytes && data.indexOf(pngKeyword) === 0)
      yield data.subarray(data.lastIndexOf(0) + 1).toString('latin1');
  }
}

/** The texts in which a file of this kind has its credential. */
function textsOf(file: Buffer, isPdf: boolean): Iterable<string> {
  if (isPdf) return attachmentsOf(file);
  if (file.indexOf(pngStart) === 0) return pngTextsOf(file);
  const text = file.toString('utf8').trim();
  if (!text.startsWith('<')) return [text];
  return [/<openbadges:credential\s+verify="([\w.-]+)"/.exec(text)?.[1] ?? ''];
}

type Found = { jwt: string } | { credential: Record<string, unknown> };

function readCredential(text: string): Record<string, unknown> | null {
  let values = 0;
  try {
    const credential: unknown = JSON.parse(text, (_name, value) => {
      values++;
      return value;
    });
    // The time to bring a credential into its canonical form, before the signature is checked, grows with its values.
    const isCredential = typeof credential === 'object' && !Array.isArray(credential) && values <= maxValues;
    return isCredential ? (credential as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/** The credential in a file: a PDF, PNG or SVG that contains one, a VC-JWT, or JSON with a proof. */
function findCredential(file: Buffer, isPdf: boolean): Found | null {
  for (const text of textsOf(file, isPdf)) {
    if (text.length > maxCredentialBytes) continue;
    if (jwt.test(text)) return { jwt: text };
    const credential = isPdf ? null : readCredential(text);
    if (credential) return { credential };
  }
  return null;
}

function readJwt(jwt: string): Record<string, unknown> | null {
  try {
    return decodeJwt(jwt);
  } catch {
    return null;
  }
}

async function verifyJwt(ctx: TenantContext, issuer: string, jwt: string): Promise<boolean> {
  try {
    const { kid = '', alg } = decodeProtectedHeader(jwt);
    const [did, keyId] = kid.split('#');
    const key = (await readPublicKeys(ctx)).find((known) => known.keyId === keyId);
    if (!key || did !== issuer || alg !== key.algorithm) return false;
    // Whether it has expired is known from the certificate.
    await jwtVerify(jwt, await importJWK(key.publicJwk), {
      currentDate: new Date(0),
      clockTolerance: '200y',
    });
    return true;
  } catch {
    return false;
  }
}

async function verifyProof(
  ctx: TenantContext,
  issuer: string,
  credential: Record<string, unknown>,
): Promise<boolean> {
  const { verifyCredential } = await loadProofs();
  const now = new Date(String(credential.validFrom));
  if (Number.isNaN(now.getTime())) return false;
  return (await verifyCredential({ credential, now, load: documentsOf(ctx, issuer) })).isVerified;
}

const idOf = (value: unknown): unknown => (typeof value === 'object' ? Object(value).id : value);

const numberOf = (id: unknown) => String(id).split('/').at(-1) ?? '';

/**
 * Checks a file itself: whether a tenant of this service signed the credential in it. A PDF must also have the bytes that
 * are drawn for its certificate, because somebody may have edited the page around a genuine credential.
 */
export async function checkFile(ctx: Context, file: Buffer): Promise<FileCheck> {
  // Readers open a PDF whatever comes before its header.
  const isPdf = file.includes('%PDF-');
  const found = findCredential(file, isPdf);
  const content = found && ('jwt' in found ? readJwt(found.jwt) : found.credential);
  const issuer = idOf(content?.issuer);
  const tenantId = await tenantOfDid(ctx, issuer);
  if (
    !found ||
    !content ||
    typeof issuer !== 'string' ||
    tenantId === null ||
    (await knownTenant.get(ctx, tenantId)) === null
  )
    return { Result: 'unknown', Certificate: null };
  const own = forTenant(ctx, tenantId);
  const isSigned =
    'jwt' in found
      ? await verifyJwt(own, issuer, found.jwt)
      : await verifyProof(own, issuer, found.credential);
  if (!isSigned) return { Result: 'forged', Certificate: null };
  const certificate = await findByNumber(ctx, numberOf(content.id));
  if (certificate?.ctx.tenantId !== tenantId) return { Result: 'unknown', Certificate: null };
  const isSame = !isPdf || file.equals(await drawCertificate(own, certificate.row));
  return { Result: isSame ? 'genuine' : 'differs', Certificate: toVerified(own, certificate.row) };
}
