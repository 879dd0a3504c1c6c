import type { Context } from '../../../infra/context/context.ts';
import { checkedFetch } from './checked-fetch.ts';
import type { Message, Outcome } from './send.ts';

/** The server gave no access token. `message` says what to check. */
export class NoToken extends Error {
  readonly retryAfter: number | null;

  constructor(message: string, retryAfter: number | null = null) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** `until`: when another one should be requested, in milliseconds. */
export type AccessToken = { token: string; until: number };

/**
 * Requests a token with client credentials (RFC 6749 §4.4). `advice`: what to do about each error code of §5.2, and,
 * as `other`, about any other response.
 */
export async function requestToken(
  ctx: Pick<Context, 'config' | 'now'>,
  { url, body, advice }: { url: string; body: Record<string, string>; advice: Record<string, string> },
): Promise<AccessToken> {
  const reply = await checkedFetch(ctx.config)(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...body }),
  }).catch((error: Error) => {
    throw new NoToken(`TokenURL could not be reached: ${error.message}`);
  });
  const sent = readObject(await reply.text());
  const { access_token: token, expires_in: seconds } = sent;
  if (reply.status === 200 && typeof token === 'string' && /^[\x21-\x7e]+$/.test(token))
    return { token, until: ctx.now().getTime() + (Number(seconds) || 300) * 900 };
  const wait = Number(reply.headers.get('retry-after'));
  throw new NoToken(
    advice[String(sent.error)] ??
      `TokenURL responded with status ${reply.status}, without an access token. ${advice.other ?? ''}`.trimEnd(),
    Number.isInteger(wait) && wait > 0 ? Math.min(wait, 3_600) : null,
  );
}

function readObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export const nothingSent: Outcome = {
  delivered: true,
  status: null,
  body: null,
  error: null,
  milliseconds: 0,
  retryAfter: null,
};

/** Without a status, because that of TokenURL says nothing about the message, which was not sent. */
export const failure = ({ message, retryAfter }: NoToken): Outcome => ({
  ...nothingSent,
  delivered: false,
  retryAfter,
  error: message.slice(0, 1_000),
});

type Tokens = { get: () => Promise<string>; forget: () => void };

/** Sends a message with an access token. If the receiver does not know the token any more, requests another one. */
export async function sendWithToken(
  message: Message,
  { get, forget }: Tokens,
  send: (message: Message) => Promise<Outcome>,
): Promise<Outcome> {
  const attempt = async () => {
    const headers = { ...message.headers, authorization: `Bearer ${await get()}` };
    return send({ ...message, headers });
  };
  try {
    const first = await attempt();
    if (first.status !== 401) return first;
    forget();
    return await attempt();
  } catch (error) {
    if (error instanceof NoToken) return failure(error);
    throw error;
  }
}
