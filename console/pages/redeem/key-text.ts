/** The key without hyphens, spaces and whatever else was pasted with it. The service checks the rest. */
export function compactKey(typed: string): string {
  return typed.replaceAll(/[^\p{L}\p{N}]/gu, '').toUpperCase();
}

/** Like on paper: groups of five. */
export function groupedKey(key: string): string {
  return key.replaceAll(/.{5}(?=.)/gu, '$&-');
}

/** A page address for learners, with the key in the fragment, which browsers do not send to servers. */
export function redeemAddress(key: string, tenantId: string | null): string {
  const tenant = tenantId === null ? '' : `?tenant=${encodeURIComponent(tenantId)}`;
  return `${location.origin}/console/redeem${tenant}#${key}`;
}
