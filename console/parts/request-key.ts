/**
 * Creates an Idempotency-Key, which identifies one action, so that a retry does not repeat it. Also works without
 * HTTPS.
 */
export function newRequestKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
