import * as oidc from 'openid-client';
import type { Context } from '../../../infra/context/context.ts';
import { checkedFetch } from '../../events/webhooks/checked-fetch.ts';
import { type Provider, redirectUri, secretOf } from './providers.ts';
import type { ConnectionTest, testSteps } from './schemas.ts';

/** Clocks of providers differ from ours by up to this much. */
const clockToleranceSeconds = 60;

export type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string };

/** What a sign-in keeps in the browser until the provider sends it back. */
export type Checks = { state: string; nonce: string; verifier: string };

function clientAuthentication(ctx: Context, provider: Provider): oidc.ClientAuth {
  const secret = secretOf(ctx, provider);
  if (secret === null) return oidc.None();
  return provider.options.ClientAuthentication === 'client_secret_post'
    ? oidc.ClientSecretPost(secret)
    : oidc.ClientSecretBasic(secret);
}

/**
 * Reads the provider's discovery document, whose issuer must be the configured one. Each sign-in reads it and the keys
 * again, so a provider may rotate its keys at any time.
 */
async function discover(ctx: Context, provider: Provider): Promise<oidc.Configuration> {
  const server = new URL(provider.issuer);
  const config = await oidc.discovery(
    server,
    provider.client_id,
    { [oidc.clockTolerance]: clockToleranceSeconds },
    clientAuthentication(ctx, provider),
    {
      // `checkIssuer` allowed plain HTTP only for hosts that the operator listed.
      execute: server.protocol === 'http:' ? [oidc.allowInsecureRequests] : [],
      [oidc.customFetch]: checkedFetch(ctx.config),
      timeout: 10,
    },
  );
  oidc.enableNonRepudiationChecks(config);
  return config;
}

export async function authorizationUrl(
  ctx: Context,
  provider: Provider,
  { state, nonce, verifier }: Checks,
  { email, asksAgain }: { email: string | undefined; asksAgain: boolean },
): Promise<string> {
  const config = await discover(ctx, provider);
  return oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri(ctx, provider),
    scope: provider.options.Scopes.join(' '),
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...(email !== undefined && { login_hint: email }),
    ...(asksAgain && { prompt: 'login' }),
  }).href;
}

export const newChecks = (): Checks => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  verifier: oidc.randomPKCECodeVerifier(),
});

/** The claims that a provider puts only into the answer of its userinfo endpoint, unless they are in the ID token. */
function needsUserInfo({ options }: Provider, claims: Claims): boolean {
  const { Claims, GroupClaim, LoginIDClaim } = options;
  const wanted = [
    ...Object.values(Claims),
    GroupClaim,
    LoginIDClaim,
    options.LinkBy === 'Email' ? 'email' : null,
  ];
  return wanted.some((claim) => claim != null && claims[claim] === undefined);
}

/** Exchanges the code in `query` for the claims about the account. Checks state, iss, nonce, signature and PKCE. */
export async function exchangeCode(
  ctx: Context,
  provider: Provider,
  { state, nonce, verifier }: Checks,
  query: string,
): Promise<Claims> {
  const config = await discover(ctx, provider);
  const tokens = await oidc.authorizationCodeGrant(
    config,
    new URL(`${redirectUri(ctx, provider)}?${query}`),
    {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    },
  );
  const claims = tokens.claims() as unknown as Claims;
  if (!config.serverMetadata().userinfo_endpoint || !needsUserInfo(provider, claims)) return claims;
  const more = await oidc.fetchUserInfo(config, tokens.access_token, claims.sub);
  return { ...more, ...claims };
}

/** The page that signs the user out at the provider; null if it has none. */
export async function endSessionUrl(ctx: Context, provider: Provider, back: string): Promise<string | null> {
  const config = await discover(ctx, provider);
  if (!config.serverMetadata().end_session_endpoint) return null;
  return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: back }).href;
}

type Thrown = Error & { error?: string; error_description?: string; code?: string; cause?: Thrown };

/** What went wrong, for administrators: the provider's own words if there are any. */
export function explainFailure(error: unknown): string {
  const { error: code, error_description: text, message, cause } = error as Thrown;
  if (code) return `The provider answered ${code}${text ? `: ${text}` : '.'}`.slice(0, 500);
  const inner = cause instanceof Error ? ` (${cause.message || cause.code})` : '';
  return `${message}${inner}`.slice(0, 500);
}

/** What went wrong, for the audit trail: without the provider's own words, which may name people. */
export function causeOf(error: unknown): string {
  const { error: code, code: kind, message } = error as Thrown;
  if (kind === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' || code === 'invalid_client') return clientRefused;
  return code ? `The provider answered ${code.slice(0, 100)}.` : message.slice(0, 300);
}

const clientRefused =
  'The provider refuses the client. Check ClientID, ClientSecret and ClientAuthentication.';

type Step = (typeof testSteps)[number];

/** Tries what a sign-in needs, up to the first step that fails. The client is tried with a code that does not exist. */
export async function testConnection(ctx: Context, provider: Provider): Promise<ConnectionTest> {
  const steps: ConnectionTest['Steps'] = [];
  const step = async (name: Step, advice: string, work: () => Promise<string>) => {
    const result = await work().then(
      (detail) => ({ Passed: true, Detail: detail }),
      (error: unknown) => ({ Passed: false, Detail: `${advice} ${explainFailure(error)}` }),
    );
    steps.push({ Step: name, ...result });
    return result.Passed;
  };
  let config: oidc.Configuration | null = null;
  const found = () => (config as oidc.Configuration).serverMetadata();
  const passed =
    (await step('discovery', 'Check Issuer: its discovery document cannot be used.', async () => {
      config = await discover(ctx, provider);
      return `Found ${found().issuer}.`;
    })) &&
    (await step('endpoints', 'The provider is no OpenID provider with the code flow.', async () => {
      const { authorization_endpoint, token_endpoint, code_challenge_methods_supported: methods } = found();
      if (!authorization_endpoint || !token_endpoint) throw new Error('An endpoint is missing.');
      const pkce = methods?.includes('S256') ? 'PKCE is supported' : 'PKCE is not announced, but is used';
      return `${authorization_endpoint}; ${pkce}.`;
    })) &&
    (await step('keys', 'The signing keys cannot be read.', async () => {
      const address = found().jwks_uri;
      if (!address) throw new Error('The discovery document has no jwks_uri.');
      const response = await checkedFetch(ctx.config)(address, { method: 'GET', headers: {} });
      const { keys } = (await response.json()) as { keys?: unknown[] };
      if (!keys?.length) throw new Error(`${address} lists no keys.`);
      rejectWrongClock(ctx, response.headers.get('date'));
      return `Signing keys: ${keys.length}.`;
    })) &&
    (await step('client', clientRefused, () =>
      tryClient(ctx, provider, config as unknown as oidc.Configuration),
    ));
  return { Passed: passed, Steps: steps };
}

/** The Date header has whole seconds, and the response took a moment. */
function rejectWrongClock(ctx: Context, date: string | null): void {
  const seconds = date === null ? Number.NaN : (Date.parse(date) - ctx.now().getTime()) / 1000;
  if (Math.abs(seconds) <= clockToleranceSeconds || Number.isNaN(seconds)) return;
  throw new Error(
    `The clocks differ by ${Math.round(Math.abs(seconds))} seconds. Set the clock of the service, or of the provider.`,
  );
}

async function tryClient(ctx: Context, provider: Provider, config: oidc.Configuration): Promise<string> {
  const { state, verifier } = newChecks();
  const query = new URLSearchParams({ code: 'connection-test', state, iss: config.serverMetadata().issuer });
  const grant = oidc.authorizationCodeGrant(config, new URL(`${redirectUri(ctx, provider)}?${query}`), {
    expectedState: state,
    pkceCodeVerifier: verifier,
  });
  const error = await grant.then(
    () => null,
    (error: Thrown) => error,
  );
  // Providers check the client before the code.
  if (error?.error === 'invalid_grant') {
    const { LinkBy, CreateUsers } = provider.options;
    const nobody =
      LinkBy === null && !CreateUsers
        ? ' But LinkBy is null and CreateUsers is false, so only users who are linked already can sign in.'
        : '';
    return `The provider accepts the client and its secret.${nobody}`;
  }
  throw error ?? new Error('The provider accepted a code that does not exist.');
}
