import { gzipSync } from 'node:zlib';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { listUrl, seconds } from './credential.ts';
import { didOf } from './did.ts';
import { signJwt, unixTime } from './sign.ts';

/** The number of entries in a list of revoked certificates (Bitstring Status List v1.0 §6.1). */
export const listEntries = 131_072;

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
  return signJwt(ctx, credential, { iss, jti: id, sub: `${id}#list`, nbf: unixTime(now) }, tenantNow(ctx));
}
