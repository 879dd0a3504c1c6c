import { webcrypto } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SignJWT } from 'jose';
import type { Proofs } from '../../../../../certificates/src/types.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { locations } from '../../../lib/locations.ts';
import { signingKey } from '../../identity/tenant-keys.ts';
import { type CertificateRow, contentOf } from '../record/record.ts';
import { credentialOf, seconds } from './credential.ts';
import { documentsOf, issuerDid } from './did.ts';

/** Loads the program with the JSON-LD library when the first proof is made or verified. */
export const loadProofs = (): Promise<Proofs> =>
  import(pathToFileURL(join(locations.certificates, 'proof.js')).href);

export const unixTime = (at: Date) => Math.floor(at.getTime() / 1000);

/** The minute in which something is signed, so that a verifier whose clock is a little slow does not find it too early. */
export const minuteOf = (at: Date) => unixTime(at) - (unixTime(at) % 60);

type Claims = { iss: string; jti: string; sub: string; nbf: number; exp?: number };

/** VC-JWT as in Open Badges 3.0 §8.2: the payload is the credential, with the registered claims beside it. */
export async function signJwt(
  ctx: TenantContext,
  payload: object,
  claims: Claims,
  at: Date,
): Promise<string> {
  const { privateKey, keyId, algorithm } = await signingKey(ctx, 'RS256', at);
  const kid = `${claims.iss}#${keyId}`;
  return new SignJWT({ ...payload, ...claims })
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .sign(privateKey);
}

export function credentialJwt(ctx: TenantContext, row: CertificateRow): Promise<string> {
  const credential = credentialOf(ctx, row);
  const claims = {
    iss: credential.issuer.id,
    jti: credential.id,
    sub: credential.credentialSubject.id,
    nbf: unixTime(row.issued_at),
    ...(row.valid_until && { exp: unixTime(row.valid_until) }),
  };
  return signJwt(ctx, credential, claims, row.issued_at);
}

/** The credential with an embedded `eddsa-rdfc-2022` proof (Data Integrity EdDSA Cryptosuites v1.0 §3.2). */
export async function credentialWithProof(ctx: TenantContext, row: CertificateRow): Promise<object> {
  const { privateKey, keyId } = await signingKey(ctx, 'EdDSA', row.issued_at);
  const { signCredential } = await loadProofs();
  const did = issuerDid(ctx, contentOf(row));
  return signCredential({
    credential: credentialOf(ctx, row),
    created: seconds(row.issued_at),
    keyId: `${did}#${keyId}`,
    sign: async (data) => new Uint8Array(await webcrypto.subtle.sign('Ed25519', privateKey, data)),
    // Otherwise, a certificate whose end has come could not be written again.
    now: row.issued_at,
    load: documentsOf(ctx, did),
  });
}
