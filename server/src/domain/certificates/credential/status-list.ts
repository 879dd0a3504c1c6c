import { deflateSync, gzipSync } from 'node:zlib';
import { SignJWT } from 'jose';
import { ownRows } from '../../../db/own-rows.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { signingKey } from '../../identity/tenant-keys.ts';
import { listUrl, seconds } from './credential.ts';
import { issuerDid } from './did.ts';
import { minuteOf, signJwt, unixTime } from './sign.ts';

/** The number of entries in a list of revoked certificates (Bitstring Status List v1.0 §6.1). */
export const listEntries = 131_072;

/** A bit for each revoked certificate; bit 0 is the left-most one (Bitstring Status List v1.0 §3.2). */
export function encodeList(revoked: readonly number[]): string {
  const bits = Buffer.alloc(listEntries / 8);
  for (const index of revoked)
    bits.writeUInt8(bits.readUInt8(index >> 3) | (0x80 >> (index & 7)), index >> 3);
  return `u${gzipSync(bits, { level: 9 }).toString('base64url')}`;
}

async function findRevoked(ctx: TenantContext, list: number): Promise<number[]> {
  const rows = await ownRows(ctx, 'certificate', { status_list: list })
    .select('status_index')
    .where('revoked_at', 'is not', null)
    .execute();
  return rows.map(({ status_index }) => status_index);
}

export async function statusListJwt(ctx: TenantContext, list: number, domain?: string): Promise<string> {
  const id = listUrl(ctx, list, domain);
  const iss = issuerDid(ctx, domain === undefined ? {} : { IssuerDomain: domain });
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
      encodedList: encodeList(await findRevoked(ctx, list)),
    },
  };
  return signJwt(ctx, credential, { iss, jti: id, sub: `${id}#list`, nbf: unixTime(now) }, tenantNow(ctx));
}

export const tokenListType = 'application/statuslist+jwt';
/** How long a verifier may use a list, in seconds. */
export const tokenListSeconds = 60;

/** The same list for SD-JWT VCs (Token Status List §5.1). Bit 0 is the right-most one of the first byte. */
export async function tokenListJwt(ctx: TenantContext, list: number): Promise<string> {
  const bits = Buffer.alloc(listEntries / 8);
  for (const index of await findRevoked(ctx, list))
    bits.writeUInt8(bits.readUInt8(index >> 3) | (1 << (index & 7)), index >> 3);
  const now = minuteOf(ctx.now());
  const { privateKey, keyId } = await signingKey(ctx, 'ES256', tenantNow(ctx));
  return new SignJWT({
    sub: listUrl(ctx, list),
    iat: now,
    exp: now + 3_600,
    ttl: tokenListSeconds,
    status_list: { bits: 1, lst: deflateSync(bits, { level: 9 }).toString('base64url') },
  })
    .setProtectedHeader({ alg: 'ES256', kid: keyId, typ: 'statuslist+jwt' })
    .sign(privateKey);
}
