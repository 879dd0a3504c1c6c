/** An Idempotency-Key: names one deed, so that repeating its request does it once. Works without HTTPS, too. */
export function newRequestKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
