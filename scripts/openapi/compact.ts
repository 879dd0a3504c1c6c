type Section = Record<string, unknown>;

const isObject = (value: unknown): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON with one line for each entry down to this depth, so that a changed operation is one changed line. */
function lines(value: unknown, depth: number, indent: string): string {
  if (depth === 0 || !isObject(value) || Object.keys(value).length === 0) return JSON.stringify(value);
  const inner = `${indent} `;
  const entries = Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .map(([name, entry]) => `${inner}${JSON.stringify(name)}: ${lines(entry, depth - 1, inner)}`);
  return `{\n${entries.join(',\n')}\n${indent}}`;
}

/** The text of openapi.json: a line for each operation, schema and response. */
export const compact = (document: object): string => `${lines(document, 3, '')}\n`;
