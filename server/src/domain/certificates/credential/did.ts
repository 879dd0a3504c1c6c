import type { JWK } from 'jose';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { readPublicKeys, type TenantKey } from '../../identity/tenant-keys.ts';
import { findTenantOfDomain } from '../../tenants/tenants.ts';
import type { Content } from '../record/schemas.ts';

const method = 'did:web:';
const suffix = ':issuer:';

/** `example.com:3000` becomes `example.com%3A3000` (did:web, §3.1). */
const didOfService = ({ config }: Context) => `${method}${new URL(config.baseUrl).host.replace(':', '%3A')}`;

export const didOf = (ctx: Context, tenantId: string) =>
  `${didOfService(ctx)}${suffix}${encodeURIComponent(tenantId)}`;

/** The issuer of a certificate: the tenant's own domain at that time, or else the tenant at this service. */
export const issuerDid = (ctx: TenantContext, { IssuerDomain }: Pick<Content, 'IssuerDomain'>) =>
  IssuerDomain === undefined ? didOf(ctx, ctx.tenantId) : `${method}${IssuerDomain}`;

/** The tenant with this DID; null if it is not of this service. */
export async function tenantOfDid(ctx: Context, did: unknown): Promise<string | null> {
  if (typeof did !== 'string' || !did.startsWith(method)) return null;
  const start = `${didOfService(ctx)}${suffix}`;
  if (!did.startsWith(start)) return findTenantOfDomain(ctx, did.slice(method.length));
  try {
    return decodeURIComponent(did.slice(start.length));
  } catch {
    return null;
  }
}

const base58Digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** An Ed25519 key as multibase base58-btc with the multicodec 0xed01 (Controlled Identifiers v1.0 §2.2.2). */
export function multibase({ x = '' }: JWK): string {
  let number = BigInt(`0xed01${Buffer.from(x, 'base64url').toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = `${base58Digits[Number(number % 58n)]}${text}`;
  return `z${text}`;
}

const methodOf = (controller: string, { keyId, algorithm, publicJwk }: TenantKey) => {
  const place = { id: `${controller}#${keyId}`, controller };
  return algorithm === 'EdDSA'
    ? { ...place, type: 'Multikey', publicKeyMultibase: multibase(publicJwk) }
    : { ...place, type: 'JsonWebKey', publicKeyJwk: publicJwk };
};

export const contextsOfDid = [
  'https://www.w3.org/ns/did/v1',
  'https://w3id.org/security/jwk/v1',
  'https://w3id.org/security/multikey/v1',
];

export async function didDocument(ctx: TenantContext, id = didOf(ctx, ctx.tenantId)) {
  const methods = (await readPublicKeys(ctx)).map((key) => methodOf(id, key));
  return {
    '@context': contextsOfDid,
    id,
    verificationMethod: methods,
    assertionMethod: methods.map(({ id }) => id),
  };
}

/**
 * The DID document or one of its keys, for a library that verifies a proof. Only of this tenant, so that nobody's key
 * verifies another tenant's credentials.
 */
export const documentsOf = (ctx: TenantContext, did: string) => async (url: string) => {
  const { verificationMethod, ...document } = await didDocument(ctx, did);
  // Without the context of JsonWebKey, which the library does not know.
  if (url === document.id)
    return { ...document, '@context': contextsOfDid.filter((name) => !name.includes('jwk')) };
  const found = verificationMethod.find(({ id, type }) => id === url && type === 'Multikey');
  return found ? { '@context': 'https://w3id.org/security/multikey/v1', ...found } : null;
};
