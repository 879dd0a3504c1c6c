import type { FastifyRequest } from 'fastify';
import { decodeJwt } from 'jose';
import type { RouteResponse } from '../../http/routes.ts';
import { type Form, fieldOf } from '../../http/validation/validation.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { signToken, verifyToken } from '../../infra/keys/key-ring.ts';
import { Problem } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { bearerToken } from '../identity/authenticate.ts';
import { rejectReplay } from '../lti/nonces.ts';
import { toRejected } from '../lti/verify.ts';
import { verifyTool } from './content.ts';
import { openTenant, serviceScopes } from './messages.ts';
import { findClient, findTool, platformUrls, recordProblem, type ToolRow } from './tools.ts';

type Access = { tenantId: string; clientId: string; scopes: string[]; until: number };

const tokenSeconds = 3_600;

const refusal = (status: number, error: string, error_description: string): RouteResponse => ({
  status,
  body: { error, error_description },
});

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

function issuerOf(assertion: string): string {
  try {
    return String(decodeJwt(assertion).iss);
  } catch {
    return '';
  }
}

/** Gives a tool an access token for a signed assertion (LTI security framework 4.1.1, RFC 7523). */
export async function giveToken(
  ctx: Context,
  { tenantId, form }: { tenantId: string; form: Form },
): Promise<RouteResponse> {
  if (fieldOf(form, 'grant_type') !== 'client_credentials')
    return refusal(400, 'unsupported_grant_type', 'Send grant_type=client_credentials.');
  if (fieldOf(form, 'client_assertion_type') !== assertionType)
    return refusal(400, 'invalid_request', `Send client_assertion_type=${assertionType}.`);
  const own = await openTenant(ctx, tenantId);
  const assertion = fieldOf(form, 'client_assertion');
  const clientId = issuerOf(assertion);
  const client = own && isId(clientId) ? await findClient(own, { clientId }) : null;
  if (!own || !client)
    return refusal(401, 'invalid_client', 'The issuer of the assertion is not a ClientID of this tenant.');
  try {
    const { token, issuer } = platformUrls(own);
    const payload = await verifyTool(own, client, assertion, {
      audience: [token, issuer],
      requiredClaims: ['exp', 'iat', 'jti', 'sub'],
    });
    if (payload.sub !== clientId) return refusal(401, 'invalid_client', 'The sub is not the ClientID.');
    await rejectReplay(own, `${clientId} ${String(payload.jti)}`);
  } catch (error) {
    const { problem, message } = toRejected(error);
    const detail = `The assertion was rejected: ${problem}. ${message}`;
    await recordProblem(own, ['client_id', clientId], 'token', detail);
    return refusal(401, 'invalid_client', detail);
  }
  const known: readonly string[] = Object.values(serviceScopes);
  const scopes = fieldOf(form, 'scope')
    .split(' ')
    .filter((scope) => known.includes(scope));
  if (scopes.length === 0) return refusal(400, 'invalid_scope', `Ask for some of ${known.join(' ')}.`);
  const access: Access = { tenantId, clientId, scopes, until: ctx.now().getTime() + tokenSeconds * 1_000 };
  return {
    status: 200,
    body: {
      access_token: signToken(ctx.keys, 'lti-access', access),
      token_type: 'Bearer',
      expires_in: tokenSeconds,
      scope: scopes.join(' '),
    },
    headers: { 'Cache-Control': 'no-store' },
  };
}

/** The course that a service call is about, if its token has the scope and its client is the course's tool. */
export async function admitTool(
  ctx: Context,
  request: FastifyRequest,
  { tenantId, courseId, scope }: { tenantId: string; courseId: string; scope: string },
): Promise<{ ctx: TenantContext; tool: ToolRow }> {
  const token = bearerToken(request.headers.authorization ?? '') ?? '';
  const access = verifyToken(ctx.keys, 'lti-access', token) as Access | null;
  if (!access || access.until <= ctx.now().getTime() || access.tenantId !== tenantId)
    throw new Problem('unauthorized', 'The access token is invalid or has expired. Get a new one.');
  const own = await openTenant(ctx, tenantId);
  if (!own) throw new Problem('tenant_suspended', 'The tenant is suspended. Try again later.');
  const reject = async (code: 'scope_missing' | 'not_found', detail: string) => {
    await recordProblem(own, ['client_id', access.clientId], 'service', `${courseId}: ${detail}`);
    return new Problem(code, detail);
  };
  if (!access.scopes.includes(scope))
    throw await reject('scope_missing', `The access token lacks the scope ${scope}. Ask for it.`);
  const tool = await findTool(own, { courseId });
  if (tool?.client_id !== access.clientId)
    throw await reject('not_found', 'This is not a course of the tool. Use the URLs of the launch.');
  return { ctx: own, tool };
}
