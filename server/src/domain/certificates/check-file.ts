import { inflateSync } from 'node:zlib';
import { decodeJwt, decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { forTenant } from '../../db/owners.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { readPublicKeys } from '../identity/tenant-keys.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { didOf, documentsOf, tenantOfDid } from './credential/did.ts';
import { loadProofs } from './credential/sign.ts';
import { drawCertificate } from './formats.ts';
import { toVerified } from './record/record.ts';
import type { FileCheck } from './record/schemas.ts';
import { findByNumber } from './verify.ts';

/** The largest file that is checked. A PDF with a logo of the largest permitted size is smaller. */
export const maxFileBytes = 4 * 1024 * 1024;

const maxStreams = 300;
const maxCredentialBytes = 64 * 1024;
const token = /eyJ[\w-]{10,20000}\.[\w-]{10,60000}\.[\w-]{10,2000}/;

/** The text of each short stream in a PDF. Files that are attached to it are such streams. */
function* streamsOf(pdf: Buffer): Generator<string> {
  for (let at = 0, n = 0; n < maxStreams; n++) {
    const start = pdf.indexOf('stream', at);
    if (start < 0) return;
    at = start + 6;
    const first = at + (pdf[at] === 0x0d ? 2 : 1);
    try {
      yield inflateSync(pdf.subarray(first), { maxOutputLength: maxCredentialBytes }).toString('latin1');
    } catch {
      // Not a compressed stream, or too long for a credential.
    }
  }
}

type Found = { jwt: string } | { credential: Record<string, unknown> };

/** The credential in a file: a PDF, PNG or SVG that contains one, a VC-JWT, or JSON with a proof. */
function findCredential(file: Buffer): Found | null {
  const isPdf = file.subarray(0, 1024).includes('%PDF-');
  const texts = isPdf ? streamsOf(file) : [file.toString('utf8')];
  for (const text of texts) {
    const [jwt] = token.exec(text) ?? [];
    if (jwt) return { jwt };
  }
  if (isPdf) return null;
  try {
    const credential: unknown = JSON.parse(file.toString('utf8'));
    return typeof credential === 'object' && credential !== null && !Array.isArray(credential)
      ? { credential: credential as Record<string, unknown> }
      : null;
  } catch {
    return null;
  }
}

function readJwt(jwt: string): Record<string, unknown> | null {
  try {
    return decodeJwt(jwt);
  } catch {
    return null;
  }
}

async function verifyJwt(ctx: TenantContext, jwt: string): Promise<boolean> {
  try {
    const { kid = '', alg } = decodeProtectedHeader(jwt);
    const [did, keyId] = kid.split('#');
    const key = (await readPublicKeys(ctx)).find((known) => known.keyId === keyId);
    if (!key || did !== didOf(ctx, ctx.tenantId) || alg !== key.algorithm) return false;
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

async function verifyProof(ctx: TenantContext, credential: Record<string, unknown>): Promise<boolean> {
  const { verifyCredential } = await loadProofs();
  const now = new Date(String(credential.validFrom));
  if (Number.isNaN(now.getTime())) return false;
  return (await verifyCredential({ credential, now, load: documentsOf(ctx) })).isVerified;
}

const idOf = (value: unknown): unknown => (typeof value === 'object' ? Object(value).id : value);

const numberOf = (id: unknown) => String(id).split('/').at(-1) ?? '';

/**
 * Checks a file itself: whether a tenant of this service signed the credential in it. A PDF must also have the bytes that
 * are drawn for its certificate, because somebody may have edited the page around a genuine credential.
 */
export async function checkFile(ctx: Context, file: Buffer): Promise<FileCheck> {
  const found = findCredential(file);
  const content = found && ('jwt' in found ? readJwt(found.jwt) : found.credential);
  const tenantId = tenantOfDid(ctx, idOf(content?.issuer));
  if (!found || !content || tenantId === null || (await knownTenant.get(ctx, tenantId)) === null)
    return { Result: 'unknown', Certificate: null };
  const own = forTenant(ctx, tenantId);
  const isGenuine =
    'jwt' in found ? await verifyJwt(own, found.jwt) : await verifyProof(own, found.credential);
  const certificate = isGenuine ? await findByNumber(ctx, decodeURIComponent(numberOf(content.id))) : null;
  if (!certificate || certificate.ctx.tenantId !== tenantId) return { Result: 'forged', Certificate: null };
  const isPdf = file.subarray(0, 5).toString('latin1') === '%PDF-';
  const isSame = !isPdf || file.equals(await drawCertificate(certificate.ctx, certificate.row));
  return {
    Result: isSame ? 'genuine' : 'differs',
    Certificate: toVerified(certificate.ctx, certificate.row),
  };
}
