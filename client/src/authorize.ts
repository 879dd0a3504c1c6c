import { errorOf } from './errors.ts';
import type { AccessToken } from './generated.ts';
import { type Fetch, isRepeatable, type RetryOptions, withRetries } from './retry.ts';

export type ClientCredentials = {
  /** The KeyID of a key. */
  id: string;
  /** The Secret of the same key. */
  secret: string;
  /** Scopes to request; by default all scopes of the key. */
  scopes?: string[];
};

/**
 * Either the secret of a key, sent with each call, or client credentials, which are exchanged for tokens that are valid
 * for ten minutes.
 */
export type Credentials =
  | { key: string; clientCredentials?: never }
  | { key?: never; clientCredentials: ClientCredentials };

/** A token is renewed this many seconds before it expires. */
const margin = 60;

type Token = { text: string; freshUntil: number };

/** Adds the credentials to each attempt, because a token may expire between attempts. */
export function withAuthorization(send: Fetch, baseUrl: string, options: Credentials & RetryOptions): Fetch {
  const { key, clientCredentials: credentials } = options;
  if (key !== undefined) return (request) => send(authorized(request, key));
  if (!credentials) throw new TypeError('createLectern needs a key or clientCredentials.');
  const tokens = openTokens(() => requestToken(withRetries(send, options), baseUrl, credentials));
  return async (request) => {
    const token = await tokens.current();
    const again = isRepeatable(request) ? request.clone() : null;
    const answer = await send(authorized(request, token.text));
    if (answer.status !== 401 || !again) return answer;
    // Either the clocks differ or the token was revoked: retry once with a new token.
    await answer.body?.cancel();
    tokens.discard(token);
    return send(authorized(again, (await tokens.current()).text));
  };
}

function authorized(request: Request, secret: string): Request {
  request.headers.set('Authorization', `Bearer ${secret}`);
  return request;
}

/** One token for all calls; concurrent calls share the pending request. */
function openTokens(ask: () => Promise<Token>) {
  let held: Token | null = null;
  let asking: Promise<Token> | null = null;
  const renew = async () => {
    try {
      held = await ask();
      return held;
    } finally {
      asking = null;
    }
  };
  return {
    current: async (): Promise<Token> => {
      if (held && held.freshUntil > performance.now()) return held;
      asking ??= renew();
      return asking;
    },
    discard: (token: Token): void => {
      if (held === token) held = null;
    },
  };
}

/** Requests a token with the client credentials grant (RFC 6749 §4.4). */
async function requestToken(send: Fetch, baseUrl: string, credentials: ClientCredentials): Promise<Token> {
  const { id, secret, scopes } = credentials;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
    ...(scopes ? { scope: scopes.join(' ') } : {}),
  });
  const answer = await send(new Request(`${baseUrl}/oauth/token`, { method: 'POST', body: form }));
  if (!answer.ok) throw await errorOf(answer);
  const { access_token: text, expires_in: seconds } = (await answer.json()) as AccessToken;
  return { text, freshUntil: performance.now() + Math.max(seconds - margin, seconds / 2) * 1000 };
}
