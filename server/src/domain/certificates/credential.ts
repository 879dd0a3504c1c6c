import { gzipSync } from 'node:zlib';
import { SignJWT } from 'jose';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { readPublicKeys, signingKey } from '../identity/tenant-keys.ts';
import { listEntries } from './issue.ts';
import { type CertificateRow, contentOf, verifyUrl } from './record.ts';

/** `example.com:3000` becomes `example.com%3A3000` (did:web, §3.1). */
export function didOf(ctx: Context, tenantId: string): string {
  const { host } = new URL(ctx.config.baseUrl);
  return `did:web:${host.replace(':', '%3A')}:issuer:${encodeURIComponent(tenantId)}`;
}

const issuerUrl = (ctx: TenantContext) => `${ctx.config.baseUrl}/issuer/${encodeURIComponent(ctx.tenantId)}`;
const listUrl = (ctx: TenantContext, list: number) => `${issuerUrl(ctx)}/status/${list}`;

/** Without milliseconds, because some libraries write `.000` where there was none, which breaks a proof. */
const seconds = (at: Date) => at.toISOString().replace(/\.\d+Z$/, 'Z');
const unixTime = (at: Date) => Math.floor(at.getTime() / 1000);

/** The certificate as an Open Badges 3.0 credential (W3C VC Data Model 2.0). Its terms are in its two contexts. */
function credentialOf(ctx: TenantContext, row: CertificateRow) {
  const { CourseTitle, Issuer, Title, Score } = contentOf(row);
  const entry = String(row.status_index);
  return {
    '@context': [
      'https://www.w3.org/ns/credentials/v2',
      'https://purl.imsglobal.org/spec/ob/v3p0/context-3.0.3.json',
    ],
    id: verifyUrl(ctx, row.number),
    type: ['VerifiableCredential', 'OpenBadgeCredential'],
    issuer: { id: didOf(ctx, ctx.tenantId), type: ['Profile'], name: Issuer },
    validFrom: seconds(row.issued_at),
    ...(row.valid_until && { validUntil: seconds(row.valid_until) }),
    name: Title ?? CourseTitle,
    credentialSubject: {
      // Learners have no DID.
      id: `urn:uuid:${row.certificate_id}`,
      type: ['AchievementSubject'],
      ...(row.name !== null && {
        identifier: [{ type: 'IdentityObject', identityHash: row.name, identityType: 'name', hashed: false }],
      }),
      activityEndDate: seconds(row.completed_at),
      achievement: {
        id: `${issuerUrl(ctx)}/course/${encodeURIComponent(row.course_id)}`,
        type: ['Achievement'],
        name: CourseTitle,
        description: CourseTitle,
        criteria: { narrative: `The course “${CourseTitle}” with the result ${contentOf(row).Outcome}.` },
        ...(Score !== null && {
          resultDescription: [
            {
              id: `urn:uuid:${row.certificate_id}#score`,
              type: ['ResultDescription'],
              name: 'Score',
              resultType: 'Percent',
            },
          ],
        }),
      },
      ...(Score !== null && {
        result: [
          {
            type: ['Result'],
            resultDescription: `urn:uuid:${row.certificate_id}#score`,
            value: String(Score),
          },
        ],
      }),
    },
    credentialStatus: {
      id: `${listUrl(ctx, row.status_list)}#${entry}`,
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: entry,
      statusListCredential: listUrl(ctx, row.status_list),
    },
  };
}

type Claims = { iss: string; jti: string; sub: string; nbf: number; exp?: number };

/** VC-JWT as in Open Badges 3.0 §8.2: the payload is the credential, with the registered claims beside it. */
async function sign(ctx: TenantContext, payload: object, claims: Claims): Promise<string> {
  const { privateKey, keyId, algorithm } = await signingKey(ctx, 'RS256');
  const kid = `${didOf(ctx, ctx.tenantId)}#${keyId}`;
  return new SignJWT({ ...payload, ...claims })
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .sign(privateKey);
}

export function credentialJwt(ctx: TenantContext, row: CertificateRow): Promise<string> {
  const credential = credentialOf(ctx, row);
  return sign(ctx, credential, {
    iss: credential.issuer.id,
    jti: credential.id,
    sub: credential.credentialSubject.id,
    nbf: unixTime(row.issued_at),
    ...(row.valid_until && { exp: unixTime(row.valid_until) }),
  });
}

/** A bit for each revoked certificate; bit 0 is the left-most one (Bitstring Status List v1.0 §3.2). */
export function encodeList(revoked: readonly number[]): string {
  const bits = Buffer.alloc(listEntries / 8);
  for (const index of revoked)
    bits.writeUInt8(bits.readUInt8(index >> 3) | (0x80 >> (index & 7)), index >> 3);
  return `u${gzipSync(bits, { level: 9 }).toString('base64url')}`;
}

export async function statusListJwt(ctx: TenantContext, list: number): Promise<string> {
  const rows = await ctx.db
    .selectFrom('certificate')
    .select('status_index')
    .where('tenant_id', '=', ctx.tenantId)
    .where('status_list', '=', list)
    .where('revoked_at', 'is not', null)
    .execute();
  const id = listUrl(ctx, list);
  const iss = didOf(ctx, ctx.tenantId);
  const now = ctx.now();
  const credential = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: iss,
    validFrom: seconds(now),
    credentialSubject: {
      id: `${id}#list`,
      type: 'BitstringStatusList',
      statusPurpose: 'revocation',
      encodedList: encodeList(rows.map(({ status_index }) => status_index)),
    },
  };
  return sign(ctx, credential, { iss, jti: id, sub: `${id}#list`, nbf: unixTime(now) });
}

export async function jwksOf(ctx: TenantContext) {
  return { keys: (await readPublicKeys(ctx)).map(({ publicJwk }) => publicJwk) };
}

export async function didDocument(ctx: TenantContext) {
  const id = didOf(ctx, ctx.tenantId);
  const methods = (await readPublicKeys(ctx)).map(({ keyId, publicJwk }) => ({
    id: `${id}#${keyId}`,
    type: 'JsonWebKey',
    controller: id,
    publicKeyJwk: publicJwk,
  }));
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/jwk/v1'],
    id,
    verificationMethod: methods,
    assertionMethod: methods.map(({ id }) => id),
  };
}
