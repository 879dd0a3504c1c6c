/** Removes hyphens, spaces and other characters that were pasted with the key. The service checks the result. */
export function compactKey(typed: string): string {
  return typed.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase();
}

/** Splits a key into groups of five, as on printed keys. */
export function groupedKey(key: string): string {
  return key.replaceAll(/.{5}(?=.)/gu, '$&-');
}

/** A page address for learners, with the key in the fragment, which browsers do not send to servers. */
export function redeemAddress(key: string, tenantId: string | null): string {
  const tenant = tenantId === null ? '' : `?tenant=${encodeURIComponent(tenantId)}`;
  return `${location.origin}/console/redeem${tenant}#${key}`;
}
