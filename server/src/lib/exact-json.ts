declare global {
  interface JSON {
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

/**
 * Numbers that JavaScript writes differently: with an exponent, with more digits than a double has, with zeros at the
 * end of the fraction or many at its start, and -0. Finds a few others as well, which only makes parsing slower.
 */
const unusual = /[[:,]\s*-?(?:\d[\d.]*e|\d+\.\d*0(?=[\s,}\]])|\d{16}|[\d.]{17}|0\.0{6}|(?<=-)0(?![\d.]))/i;

/** `JSON.parse`, but `JSON.stringify` writes the numbers in the result with the digits that they have in the text. */
export function parseExact(text: string): unknown {
  if (!unusual.test(text)) return JSON.parse(text);
  const sources = new Map<object, Map<string, string>>();
  const parsed: unknown = JSON.parse(
    text,
    function keep(
      this: object,
      key,
      value,
      context?: {
        source?: string;
      },
    ) {
      const source = context?.source;
      if (typeof value === 'number' && source !== undefined && source !== String(value))
        sources.set(this, (sources.get(this) ?? new Map()).set(key, source));
      return value;
    },
  );
  for (const [holder, own] of sources)
    if (!Object.hasOwn(holder, 'toJSON'))
      Object.defineProperty(holder, 'toJSON', { value: () => withSources(holder, own) });
  return parsed;
}

function withSources(holder: object, sources: ReadonlyMap<string, string>): object {
  const copy = Array.isArray(holder) ? [...holder] : { ...holder };
  for (const [key, source] of sources) if (key !== '__proto__') Reflect.set(copy, key, JSON.rawJSON(source));
  return copy;
}

/** The members of a parsed object, for a copy of the object that will be written as JSON. */
export function exactMembers<T extends object>(parsed: T): T {
  const { toJSON } = parsed as { toJSON?: () => T };
  return typeof toJSON === 'function' ? toJSON() : parsed;
}
