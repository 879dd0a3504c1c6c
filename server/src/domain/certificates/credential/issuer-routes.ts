import Type from 'typebox';
import { forTenant } from '../../../db/transaction.ts';
import { hostOf, ok, route } from '../../../http/routes.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { readPublicKeys } from '../../identity/tenant-keys.ts';
import { Tenant } from '../../tenants/schemas.ts';
import { findTenantOfDomain, knownTenant, tenantNotFound } from '../../tenants/tenants.ts';
import { didDocument } from './did.ts';
import { statusListJwt, tokenListJwt, tokenListSeconds, tokenListType } from './status-list.ts';

const TenantID = Tenant.properties.TenantID;
const params = Type.Object({ TenantID });

/** Anyone verifies what a tenant signed, also while the tenant is suspended. */
const issuer = {
  tag: 'Certificates',
  access: 'anyone',
  scope: null,
  problems: ['tenant_not_found'],
} as const;

async function ofTenant(ctx: Context, tenantId: string): Promise<TenantContext> {
  if ((await knownTenant.get(ctx, tenantId)) === null) throw tenantNotFound();
  return forTenant(ctx, tenantId);
}

const anyObject = Type.Object({}, { additionalProperties: true });
const id = 'did:web:lectern.example.com:issuer:acme';
const jwk = {
  kty: 'RSA',
  n: 'sXchDaQebHnPiGvyDOAT4saGEUetSyo9',
  e: 'AQAB',
  kid: 'key-1',
  alg: 'RS256',
  use: 'sig',
};
const Keys = Type.Array(anyObject, { examples: [[jwk]] });
const Methods = Type.Array(anyObject, {
  examples: [[{ id: `${id}#key-1`, type: 'JsonWebKey', controller: id, publicKeyJwk: jwk }]],
});
const Strings = Type.Array(Type.String(), { examples: [['https://www.w3.org/ns/did/v1']] });

const didDocumentResponse = {
  description: 'The DID document.',
  schema: Type.Object(
    {
      '@context': Strings,
      id: Type.String({ examples: [id] }),
      verificationMethod: Methods,
      assertionMethod: Strings,
    },
    { title: 'DidDocument' },
  ),
};

export const issuerRoutes = [
  route('GET /.well-known/did.json', 'readIssuerOfDomain', {
    ...issuer,
    summary: "Read the DID document of a tenant's own domain",
    description:
      "For the host name of the request, which is one of the tenant's `IssuerDomains`: its did:web, with all public keys of the tenant.",
    responses: { 200: didDocumentResponse },
    handle: async (ctx, { request }) => {
      const domain = hostOf(request).toLowerCase();
      const tenantId = await findTenantOfDomain(ctx, domain);
      if (tenantId === null) throw tenantNotFound();
      return ok(await didDocument(await ofTenant(ctx, tenantId), `did:web:${domain}`));
    },
  }),
  route('GET /issuer/{TenantID}/did.json', 'readIssuer', {
    ...issuer,
    summary: "Read a tenant's DID document",
    description: 'The did:web of the issuer of credentials, with all of its public keys, also former ones.',
    params,
    responses: { 200: didDocumentResponse },
    handle: async (ctx, { params }) => ok(await didDocument(await ofTenant(ctx, params.TenantID))),
  }),
  route('GET /issuer/{TenantID}/jwks.json', 'readIssuerKeys', {
    ...issuer,
    summary: "Read a tenant's public keys",
    description: 'As a JSON Web Key Set (RFC 7517). Former keys stay, because what they signed stays valid.',
    params,
    responses: {
      200: { description: 'The keys.', schema: Type.Object({ keys: Keys }, { title: 'KeySet' }) },
    },
    handle: async (ctx, { params }) => {
      const keys = await readPublicKeys(await ofTenant(ctx, params.TenantID));
      return ok({ keys: keys.map(({ publicJwk }) => publicJwk) });
    },
  }),
  route('GET /issuer/{TenantID}/status/{List}', 'readRevocations', {
    ...issuer,
    summary: 'Read which credentials are revoked',
    description:
      'A BitstringStatusListCredential, which credentials refer to. With `Accept: application/statuslist+jwt`, the same as a Token Status List, for the SD-JWT VCs in wallets.',
    params: Type.Object({
      TenantID,
      List: Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        examples: [0],
        description: 'Number of the list.',
      }),
    }),
    query: Type.Object({
      Domain: Type.Optional(
        Type.String({
          maxLength: 253,
          description: 'One of the `IssuerDomains` of the tenant, which then signs the list.',
        }),
      ),
    }),
    responses: {
      200: { description: 'The list as a signed JWT.', type: ['application/vc+jwt', tokenListType] },
    },
    handle: async (ctx, { params, query: { Domain }, request }) => {
      const own = await ofTenant(ctx, params.TenantID);
      if (Domain !== undefined && (await findTenantOfDomain(ctx, Domain)) !== params.TenantID)
        throw tenantNotFound();
      const isToken = request.headers.accept?.includes(tokenListType) ?? false;
      const headers = {
        'Content-Type': isToken ? tokenListType : 'application/vc+jwt',
        'Cache-Control': `public, max-age=${tokenListSeconds}`,
        Vary: 'Accept',
      };
      return {
        status: 200,
        body: await (isToken ? tokenListJwt : statusListJwt)(own, params.List, Domain),
        headers,
      };
    },
  }),
];
