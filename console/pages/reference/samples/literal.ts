/** How a language writes a value of JSON. */
export type Notation = {
  indent: string;
  string: (text: string) => string;
  /** The words for true, false and null. */
  words: readonly [string, string, string];
  list: readonly [string, string];
  /** The brackets of an object with these names. */
  record: (names: readonly string[]) => readonly [string, string];
  /** A name with the sign that follows it. */
  field: (name: string) => string;
};

/** Objects and lists up to this length are written on one line. */
const shortLine = 60;

/** The value as the language writes it. Long objects and lists have one line for each part. */
export function literal(value: unknown, notation: Notation, margin = ''): string {
  const inner = margin + notation.indent;
  if (Array.isArray(value)) {
    const parts = value.map((part) => literal(part, notation, inner));
    return wrap(parts, notation.list, margin, inner);
  }
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value).map(
      ([name, part]) => `${notation.field(name)} ${literal(part, notation, inner)}`,
    );
    return wrap(parts, notation.record(Object.keys(value)), margin, inner);
  }
  if (typeof value === 'string') return notation.string(value);
  const [yes, no, nothing] = notation.words;
  if (typeof value === 'boolean') return value ? yes : no;
  return typeof value === 'number' ? String(value) : nothing;
}

function wrap(
  parts: readonly string[],
  [open, close]: readonly [string, string],
  margin: string,
  inner: string,
): string {
  const line = open + parts.join(', ') + close;
  if (parts.length === 0) return `${open.trimEnd()}${close.trimStart()}`;
  if (line.length <= shortLine && !line.includes('\n')) return line;
  const lines = parts.map((part) => `${inner}${part},\n`);
  return `${open.trimEnd()}\n${lines.join('')}${margin}${close.trimStart()}`;
}

/** The value as JSON, for languages in which it is sent as text. */
export function jsonText(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length <= shortLine ? line : JSON.stringify(value, null, 2);
}
