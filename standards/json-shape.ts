/** Limits for JSON: the maximum nesting depth and the maximum number of values. */
export type JsonShape = { depth: number; values: number };

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (before >= from && text.charCodeAt(before) === backslash) before--;
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

/**
 * Whether JSON text stays within the limits. Check this before parsing, which is far more expensive (170 ms
 * for 1 MiB of `[[[…`). It also protects recursive functions that serialise or change the value.
 */
export function fitsShape(text: string, { depth, values }: JsonShape): boolean {
  let open = 0;
  let found = 1;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfString(text, at + 1);
    else if (sign === comma) found++;
    else if (opening.has(sign)) open++;
    else if (closing.has(sign)) open--;
    if (open > depth || found > values) return false;
  }
  return true;
}
