import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { ownRows } from '../../db/own-rows.ts';
import { run } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { decrypt, encrypt, encryptedBy } from '../../infra/keys/key-ring.ts';
import { isServed, servedTenants } from '../../infra/operations/jobs.ts';
import { newId } from '../../lib/ids.ts';

export const tenantKeyAlgorithms = ['RS256', 'EdDSA', 'ES256'] as const;
export type TenantKeyAlgorithm = (typeof tenantKeyAlgorithms)[number];

/** A key with which a tenant signs documents that others verify without this service. */
export type TenantKey = { keyId: string; algorithm: TenantKeyAlgorithm; publicJwk: JWK };

type Place = { tenant_id: string; key_id: string };
type Row = Place & { algorithm: TenantKeyAlgorithm; public_jwk: JWK; private_jwk: string };

const about = ({ tenant_id, key_id }: Place) =>
  ({ purpose: 'tenant-key', place: `${tenant_id}\0${key_id}` }) as const;

const select = (ctx: TenantContext) =>
  ownRows(ctx, 'tenant_key')
    .select(['tenant_id', 'key_id', 'algorithm', 'public_jwk', 'private_jwk'])
    .orderBy('key_id');

/** Only `makeKey` writes the columns. */
const rowOf = (row: unknown) => row as Row;

const toKey = ({ key_id: keyId, algorithm, public_jwk }: Row): TenantKey => ({
  keyId,
  algorithm,
  publicJwk: { ...public_jwk, kid: keyId, alg: algorithm, use: 'sig' },
});

/** All public keys of the tenant. Former ones stay, because what they signed must remain verifiable. */
export async function readPublicKeys(ctx: TenantContext): Promise<TenantKey[]> {
  return (await select(ctx).execute()).map((row) => toKey(rowOf(row)));
}

/** Of keys that begin at the same time, the oldest one, so that nodes that create one at the same time agree. */
const findCurrent = (ctx: TenantContext, algorithm: TenantKeyAlgorithm, at: Date) =>
  select(ctx)
    .clearOrderBy()
    .where('algorithm', '=', algorithm)
    .where('signs_from', '<=', at)
    .orderBy('signs_from', 'desc')
    .orderBy('key_id')
    .limit(1)
    .executeTakeFirst();

async function makeKey(ctx: TenantContext, algorithm: TenantKeyAlgorithm, signsFrom: Date): Promise<void> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const place = { tenant_id: ctx.tenantId, key_id: newId(ctx.now()) };
  const secret = JSON.stringify(await exportJWK(privateKey));
  await ctx.db
    .insertInto('tenant_key')
    .values({
      ...place,
      algorithm,
      public_jwk: JSON.stringify(await exportJWK(publicKey)),
      private_jwk: encrypt(ctx.keys, about(place), secret),
      created_at: ctx.now(),
      signs_from: signsFrom,
    })
    .execute();
}

/** Creates the tenant's next keys. They are published immediately, but sign only what is dated `signsFrom` or later. */
export async function rotateTenantKeys(ctx: TenantContext, signsFrom: Date): Promise<void> {
  for (const algorithm of tenantKeyAlgorithms) {
    await signingKey(ctx, algorithm, signsFrom);
    await makeKey(ctx, algorithm, signsFrom);
  }
}

export type SigningKey = TenantKey & { privateKey: CryptoKey };

/** The tenant's key for signatures dated `at`, so that a document signed again is the same. Creates the first one. */
export async function signingKey(
  ctx: TenantContext,
  algorithm: TenantKeyAlgorithm,
  at: Date,
): Promise<SigningKey> {
  let row = await findCurrent(ctx, algorithm, at);
  if (!row) {
    await makeKey(ctx, algorithm, new Date(0));
    row = await findCurrent(ctx, algorithm, at);
  }
  const known = rowOf(row);
  const privateJwk = JSON.parse(decrypt(ctx.keys, about(known), known.private_jwk));
  // Keys of these algorithms are never symmetric.
  return { ...toKey(known), privateKey: (await importJWK(privateJwk, algorithm)) as CryptoKey };
}

const read = `/* across tenants: a key of the deployment encrypts all keys of tenants */
select tenant_id, key_id, private_jwk from tenant_key
where not starts_with(private_jwk, $1) and ${isServed('tenant_id', '$2')}`;

const write = `/* across tenants: a key of the deployment encrypts all keys of tenants */
update tenant_key set private_jwk = made.private_jwk
from jsonb_to_recordset($1::jsonb) as made (tenant_id text, key_id uuid, private_jwk text)
where tenant_key.tenant_id = made.tenant_id and tenant_key.key_id = made.key_id`;

/** Encrypts the tenants' keys with the ring's first key, so that its other keys can be removed. */
export async function encryptTenantKeys(ctx: Context): Promise<void> {
  const [first] = ctx.keys.keys;
  const values = [encryptedBy(first.id), await servedTenants(ctx)];
  const rows = await run<Place & { private_jwk: string }>(ctx, read, values);
  const made = rows.map((row) => ({
    ...row,
    private_jwk: encrypt(ctx.keys, about(row), decrypt(ctx.keys, about(row), row.private_jwk)),
  }));
  if (made.length > 0) await run(ctx, write, [JSON.stringify(made)]);
}
