import { toProblem } from '../../http/problems.ts';
import { type RouteResponse, route } from '../../http/routes.ts';
import { countSignInFailure } from '../../infra/context/counters.ts';
import { isScope } from '../../infra/context/scopes.ts';
import { isId, sha256 } from '../../lib/ids.ts';
import { accessTokenSeconds, writeAccessToken } from './access-token.ts';
import { basicCredentials, isUsable } from './authenticate.ts';
import { usableKey } from './known-keys.ts';
import { AccessToken, TokenError, TokenRequest } from './schemas.ts';

function refusal(status: number, error: string, description: string): RouteResponse {
  const headers = status === 401 ? { 'WWW-Authenticate': 'Basic' } : {};
  return { status, body: { error, error_description: description }, headers };
}

export const authRoutes = [
  route('POST /oauth/token', 'createAccessToken', {
    summary: 'Exchange a key for an access token (OAuth 2.0 client credentials)',
    description:
      'RFC 6749 §4.4. Send the KeyID and the secret in the body or as HTTP Basic credentials. The token has the scopes of its key, or the subset that you request.',
    example: ['client_id', 'client_secret'],
    tag: 'Access',
    access: 'anyone',
    scope: null,
    body: TokenRequest,
    forms: true,
    responses: {
      200: { description: 'A bearer token, valid for ten minutes.', schema: AccessToken },
      400: { description: 'RFC 6749 §5.2.', schema: TokenError },
      401: { description: 'RFC 6749 §5.2.', schema: TokenError },
    },
    events: [],
    handle: async (ctx, { body, request }) => {
      if (request.validationError) {
        const detail = toProblem(request.validationError)?.message ?? '';
        return refusal(400, 'invalid_request', `${detail} Send each parameter once.`);
      }
      if (body.grant_type !== 'client_credentials')
        return refusal(400, 'unsupported_grant_type', 'Send grant_type=client_credentials.');
      const [id, secret] = basicCredentials(request) ?? [body.client_id ?? '', body.client_secret ?? ''];
      const key = isId(id) ? await usableKey.get(ctx, sha256(secret)) : null;
      if (!isUsable(ctx, key) || key.keyId !== id) {
        countSignInFailure(ctx, 'key');
        return refusal(401, 'invalid_client', 'Send the KeyID as client_id and its Secret as client_secret.');
      }
      if (key.tenantStatus === 'suspended')
        return refusal(
          400,
          'unauthorized_client',
          'The tenant of this key is suspended. Ask the operator to resume it.',
        );
      const asked: readonly string[] = body.scope?.split(' ').filter(Boolean) ?? key.scopes;
      const wanted = asked.filter(isScope);
      const excess = asked.find((scope) => !isScope(scope) || !key.scopes.includes(scope));
      if (excess !== undefined) return refusal(400, 'invalid_scope', `The key lacks the scope ${excess}.`);
      const token = await writeAccessToken(ctx, { ...key, scopes: wanted });
      return {
        status: 200,
        body: {
          access_token: token,
          token_type: 'Bearer',
          expires_in: accessTokenSeconds,
          scope: wanted.join(' '),
        },
        headers: { 'Cache-Control': 'no-store' },
      };
    },
  }),
];
