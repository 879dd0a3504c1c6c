import type { LecternEvent } from './events.ts';
import type { Event } from './generated.ts';

/** What an endpoint receives: an event, or the ping sent by POST /webhook/{WebhookID}/ping. */
export type WebhookEvent =
  | LecternEvent
  | (Omit<Event, 'Type' | 'Data'> & { Type: 'webhook.ping'; Data: { WebhookID: string } });

export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

type SomeHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Verifies a delivery (Standard Webhooks) and returns its event. Throws a WebhookError if the delivery is not authentic.
 * `body` is the raw body as received, before any parsing. During a rotation, pass the old and the new secret.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: SomeHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: { toleranceSeconds?: number } = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    header(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) throw new WebhookError('A Standard Webhooks header is missing.');
  const age = Date.now() / 1000 - (/^\d+$/.test(timestamp) ? Number(timestamp) : Number.NaN);
  if (!(Math.abs(age) <= toleranceSeconds))
    throw new WebhookError(
      "webhook-timestamp is too far in the past or future. The message may be a replay, or this machine's clock may be wrong.",
    );
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const given = signatures
    .split(' ')
    .flatMap((part) => (part.startsWith('v1,') ? [part.slice('v1,'.length)] : []));
  for (const secret of [secrets].flat()) if (await isSigned(signed, given, secret)) return JSON.parse(text);
  throw new WebhookError(
    'No signature matches. Check the secret, and make sure that the body was not changed.',
  );
}

/** `subtle.verify` compares in constant time. */
async function isSigned(signed: Uint8Array<ArrayBuffer>, given: string[], secret: string): Promise<boolean> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw new TypeError('A webhook secret must be whsec_ followed by base64.');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  for (const text of given) {
    const signature = fromBase64(text);
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
  }
  return false;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function header(headers: SomeHeaders, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return (Array.isArray(found) ? found[0] : found) ?? null;
}
