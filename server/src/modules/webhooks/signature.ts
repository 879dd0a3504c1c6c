import { createHmac, randomBytes } from 'node:crypto';

export const secretPrefix = 'whsec_';

/** 256 random bits in the format of the Standard Webhooks specification. */
export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64');
}

/** The headers of Standard Webhooks, with one signature for each valid secret. */
export function signatureHeaders(
  secrets: readonly string[],
  message: { id: string; at: Date; body: string | Buffer },
): Record<string, string> {
  const timestamp = String(Math.floor(message.at.getTime() / 1000));
  const signatures = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.slice(secretPrefix.length), 'base64'))
      .update(`${message.id}.${timestamp}.`)
      .update(message.body)
      .digest('base64'),
  );
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
}
