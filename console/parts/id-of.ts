/** Suggests an ID for a name: fire-safety for `Fire safety`, and empty for an empty name. */
export function idOf(name: string, between = '-'): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}._]+/gu, between)
    .replace(/^[-._]+|[-._]+$/g, '')
    .slice(0, 200);
}
