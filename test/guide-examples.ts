import { readFileSync } from 'node:fs';

/** A fenced block of a page: commands to run, a file to save, or the expected response to the previous block. */
export type Block = { language: string; text: string; line: number };

export function blocksOf(file: string): Block[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const [index, line] of lines.entries()) {
    const fence = /^```(\w*)$/.exec(line);
    if (open && fence) open = null;
    else if (open) open.text += `${line}\n`;
    else if (fence) {
      open = { language: fence[1] ?? '', text: '', line: index + 1 };
      blocks.push(open);
    }
  }
  return blocks;
}

/**
 * A line with only `…` means that the rest is omitted. It becomes a field in an object, or an item in an
 * array.
 */
const rest = '…';

/** Parses JSON whose first line may be the status. In lines with `…`, something is omitted. */
export function readShown(text: string): { status: number | null; body: unknown } {
  const [, status] = /^\/\/ (\d{3})\b/.exec(text) ?? [];
  const open: string[] = [];
  let quoted = false;
  let json = '';
  for (const sign of text.replace(/^\/\/.*\n/, '')) {
    if (sign === '"' && !json.endsWith('\\')) quoted = !quoted;
    if (!quoted && (sign === '{' || sign === '[')) open.push(sign);
    if (!quoted && (sign === '}' || sign === ']')) open.pop();
    if (quoted || sign !== rest) json += sign;
    else json += open.at(-1) === '{' ? `"${rest}":0` : `"${rest}"`;
  }
  return { status: status ? Number(status) : null, body: json.trim() === '' ? undefined : JSON.parse(json) };
}

/** IDs and times differ in each run, so any ID or time is accepted. */
function withoutChance(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<instant>');
}

/** Whether the text matches the expected text, in which `…` stands for any characters. */
export function isShown(shown: string, actual: string): boolean {
  const parts = withoutChance(shown)
    .split(rest)
    .map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(withoutChance(actual));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The path of the first difference from the expected value; null if they are equal. */
export function difference(shown: unknown, actual: unknown, path = '$'): string | null {
  if (typeof shown === 'string' && typeof actual === 'string')
    return isShown(shown, actual) ? null : `${path} is ${JSON.stringify(actual)}`;
  if (Array.isArray(shown) && Array.isArray(actual)) {
    const items = shown.filter((item) => item !== rest);
    if (items.length !== actual.length && items.length === shown.length)
      return `${path} has ${actual.length} items`;
    return firstDifference(items.map((item, index) => [item, actual[index], `${path}[${index}]`]));
  }
  if (isObject(shown) && isObject(actual)) {
    const names = Object.keys(shown).filter((name) => name !== rest);
    const missing = rest in shown ? undefined : Object.keys(actual).find((name) => !(name in shown));
    if (missing) return `${path} has ${missing}, which is not shown`;
    return firstDifference(names.map((name) => [shown[name], actual[name], `${path}.${name}`]));
  }
  return shown === actual ? null : `${path} is ${JSON.stringify(actual)}`;
}

function firstDifference(pairs: [unknown, unknown, string][]): string | null {
  for (const [shown, actual, path] of pairs) {
    const found = difference(shown, actual, path);
    if (found) return found;
  }
  return null;
}

/** The value at a path such as `Items[0].Key`. */
export function valueAt(body: unknown, path: string): string {
  let value = body;
  for (const name of path.split(/[.[\]]+/).filter(Boolean))
    value = Array.isArray(value) ? value[Number(name)] : isObject(value) ? value[name] : undefined;
  if (typeof value !== 'string') throw new Error(`The answer has no ${path}`);
  return value;
}
