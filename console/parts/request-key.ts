/**
 * Creates an Idempotency-Key, so that a retry does not repeat an action. Works without HTTPS, unlike
 * `crypto.randomUUID`.
 */
export function newRequestKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
