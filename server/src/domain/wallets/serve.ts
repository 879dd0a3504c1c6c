import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { forTenant } from '../../db/transaction.ts';
import { ok, type Route, type RouteResponse, route } from '../../http/routes.ts';
import { type Guards, registerRoutes } from '../../http/serve/dispatch.ts';
import {
  checkShape,
  type Form,
  fieldOf,
  parseNothing,
  recordShape,
} from '../../http/validation/validation.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { bearerToken } from '../identity/authenticate.ts';
import { knownTenant, tenantNotFound } from '../tenants/tenants.ts';
import { sdJwtOf, verifyProof, WalletError } from './credential.ts';
import { configurationId, issuerMetadata, keyMetadata, serverMetadata } from './metadata.ts';
import { accessSeconds, admitWallet, newNonce, redeemCode } from './offers.ts';

const common = {
  tag: 'Certificates',
  access: 'anyone',
  scope: null,
  ownErrors: true,
  query: Type.Object({}, { additionalProperties: true }),
  params: Type.Object({ TenantID: Type.String({ maxLength: 255 }) }),
  responses: { 200: { description: 'As OpenID4VCI 1.0 specifies.' } },
} as const;
const raw = { types: ['*/*'], description: 'A request of OpenID4VCI 1.0.' };

async function openIssuer(ctx: Context, tenantId: string): Promise<TenantContext> {
  const tenant = await knownTenant.get(ctx, tenantId);
  if (!tenant || tenant.Status === 'suspended') throw tenantNotFound();
  return forTenant(ctx, tenantId);
}

const textOf = ({ body }: FastifyRequest) => (Buffer.isBuffer(body) && isUtf8(body) ? body.toString() : '');

const privately = (body: object): RouteResponse => ({
  status: 200,
  body,
  headers: { 'Cache-Control': 'no-store' },
});

const refusal = (status: number, error: string, error_description: string): RouteResponse => ({
  status,
  body: { error, error_description },
  headers: {
    'Cache-Control': 'no-store',
    ...(status === 401 && { 'WWW-Authenticate': `Bearer error="${error}"` }),
  },
});

/** Exchanges the code of an offer for an access token (OpenID4VCI 1.0 §6). */
async function giveToken(ctx: TenantContext, form: Form): Promise<RouteResponse> {
  if (fieldOf(form, 'grant_type') !== 'urn:ietf:params:oauth:grant-type:pre-authorized_code')
    return refusal(400, 'unsupported_grant_type', 'Use the pre-authorized code of a credential offer.');
  const token = await redeemCode(ctx, fieldOf(form, 'pre-authorized_code'));
  if (token === null)
    return refusal(400, 'invalid_grant', 'The code is unknown, expired or used. Make a new offer.');
  return privately({ access_token: token, token_type: 'Bearer', expires_in: accessSeconds });
}

type CredentialRequest = { configuration: unknown; proof: string | null };

function readRequest(request: FastifyRequest): CredentialRequest | null {
  const text = textOf(request);
  checkShape(text, recordShape);
  try {
    const { credential_configuration_id: configuration, proofs } = JSON.parse(text);
    const jwts = Object(proofs).jwt;
    const isOne = Array.isArray(jwts) && jwts.length === 1 && typeof jwts[0] === 'string';
    return { configuration, proof: isOne ? jwts[0] : null };
  } catch {
    return null;
  }
}

/** Gives a wallet the certificate of its access token, for its key (OpenID4VCI 1.0 §8). */
async function giveCredential(ctx: TenantContext, request: FastifyRequest): Promise<RouteResponse> {
  const certificate = await admitWallet(ctx, bearerToken(request.headers.authorization ?? '') ?? '');
  if (!certificate)
    return refusal(
      401,
      'invalid_token',
      'The access token is invalid or has expired, or the certificate has ended.',
    );
  const asked = readRequest(request);
  if (!asked) return refusal(400, 'invalid_credential_request', 'Send a JSON object.');
  if (asked.configuration !== configurationId)
    return refusal(400, 'unknown_credential_configuration', `Ask for ${configurationId}.`);
  if (asked.proof === null) return refusal(400, 'invalid_proof', 'Send one proof in proofs.jwt.');
  try {
    const holder = await verifyProof(ctx, asked.proof);
    return privately({ credentials: [{ credential: await sdJwtOf(ctx, certificate, holder) }] });
  } catch (error) {
    if (error instanceof WalletError) return refusal(400, error.code, error.message);
    throw error;
  }
}

const operation = (
  method: 'GET' | 'POST',
  path: `/${string}`,
  name: string,
  work: (ctx: TenantContext, request: FastifyRequest) => Promise<RouteResponse>,
) =>
  route(`${method} ${path}`, name, {
    ...common,
    summary: name,
    ...(method === 'POST' ? { raw, events: [] } : {}),
    handle: async (ctx, { request, params }) => work(await openIssuer(ctx, params.TenantID), request),
  });

/** The specifications describe these operations, so they are not in openapi.json. */
const walletServices: Route[] = [
  operation('GET', '/.well-known/openid-credential-issuer/issuer/{TenantID}', 'walletIssuer', async (ctx) =>
    ok(await issuerMetadata(ctx)),
  ),
  operation('GET', '/.well-known/oauth-authorization-server/issuer/{TenantID}', 'walletServer', async (ctx) =>
    ok(serverMetadata(ctx)),
  ),
  operation('GET', '/.well-known/jwt-vc-issuer/issuer/{TenantID}', 'walletKeys', async (ctx) =>
    ok(await keyMetadata(ctx)),
  ),
  operation('POST', '/issuer/{TenantID}/token', 'walletToken', (ctx, request) =>
    giveToken(ctx, Object.fromEntries(new URLSearchParams(textOf(request)))),
  ),
  operation('POST', '/issuer/{TenantID}/nonce', 'walletNonce', async (ctx) =>
    privately({ c_nonce: newNonce(ctx) }),
  ),
  operation('POST', '/issuer/{TenantID}/credential', 'walletCredential', giveCredential),
];

/** Serves wallets. Bodies have media types of their own. */
export function serveWallets(api: FastifyInstance, ctx: Context, guards: Guards): void {
  api.register(async (wallets) => {
    parseNothing(wallets);
    registerRoutes(wallets, ctx, walletServices, guards);
  });
}
