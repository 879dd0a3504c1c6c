import { randomBytes } from 'node:crypto';
import { decodeProtectedHeader, EmbeddedJWK, type JWK, jwtVerify, SignJWT } from 'jose';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { sha256 } from '../../lib/ids.ts';
import { listUrl } from '../certificates/credential/credential.ts';
import { minuteOf, unixTime } from '../certificates/credential/sign.ts';
import { showNumber } from '../certificates/record/number.ts';
import { type CertificateRow, contentOf } from '../certificates/record/record.ts';
import { signingKey } from '../identity/tenant-keys.ts';
import { credentialType, issuerOf, proofAlgorithms } from './metadata.ts';
import { isFresh } from './offers.ts';

/** The codes of OpenID4VCI 1.0 §8.3.1.2. */
export class WalletError extends Error {
  readonly code: 'invalid_proof' | 'invalid_nonce';

  constructor(code: WalletError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** How far the clock of a phone may be off. */
const toleranceSeconds = 300;

/** The public key of a wallet, which has proved that it has the private one (OpenID4VCI 1.0 §F.1). */
export async function verifyProof(ctx: TenantContext, proof: string): Promise<JWK> {
  const fail = (message: string) => new WalletError('invalid_proof', message);
  const verified = await jwtVerify(proof, EmbeddedJWK, {
    audience: issuerOf(ctx),
    typ: 'openid4vci-proof+jwt',
    algorithms: proofAlgorithms,
    requiredClaims: ['iat'],
    maxTokenAge: toleranceSeconds,
    clockTolerance: toleranceSeconds,
    currentDate: ctx.now(),
  }).catch((error: unknown) => {
    throw fail(error instanceof Error ? error.message : 'The proof is invalid.');
  });
  if (!isFresh(ctx, verified.payload.nonce))
    throw new WalletError(
      'invalid_nonce',
      'Get a nonce from the nonce endpoint, and use it within five minutes.',
    );
  const { jwk } = decodeProtectedHeader(proof);
  if (!jwk) throw fail('Send the public key as jwk in the header.');
  return publicPart(jwk);
}

/** Only what identifies a public key, so that nothing else gets into the signed credential. */
function publicPart({ kty, crv, x, y, n, e }: JWK): JWK {
  const members = { kty, crv, x, y, n, e };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JWK;
}

/** A claim that the holder can withhold (RFC 9901 §4.2.1). */
const disclose = (name: string, value: unknown) =>
  Buffer.from(JSON.stringify([randomBytes(16).toString('base64url'), name, value])).toString('base64url');

/**
 * The certificate as an SD-JWT VC for the holder of the key. The holder chooses what to show of the claims about the
 * person. Whether it was revoked is in a Token Status List.
 */
export async function sdJwtOf(ctx: TenantContext, row: CertificateRow, holder: JWK): Promise<string> {
  const { CourseTitle, Issuer, Score, Outcome } = contentOf(row);
  const disclosures = [
    disclose('name', row.name),
    disclose('completed_at', row.completed_at.toISOString().slice(0, 10)),
    disclose('result', Outcome),
    ...(Score === null ? [] : [disclose('score', Score)]),
    disclose('certificate_number', showNumber(row.number)),
  ];
  const now = tenantNow(ctx);
  const { privateKey, keyId } = await signingKey(ctx, 'ES256', now);
  const jwt = await new SignJWT({
    iss: issuerOf(ctx),
    iat: minuteOf(now),
    nbf: unixTime(row.issued_at),
    ...(row.valid_until && { exp: unixTime(row.valid_until) }),
    vct: credentialType,
    cnf: { jwk: holder },
    status: { status_list: { idx: row.status_index, uri: listUrl(ctx, row.status_list) } },
    course_title: CourseTitle,
    issuer_name: Issuer,
    _sd_alg: 'sha-256',
    // Sorted, so that their order says nothing.
    _sd: disclosures.map(sha256).sort(),
  })
    .setProtectedHeader({ alg: 'ES256', kid: keyId, typ: 'dc+sd-jwt' })
    .sign(privateKey);
  return `${[jwt, ...disclosures].join('~')}~`;
}
