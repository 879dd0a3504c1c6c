/** What libxml2 reports, and how we say it. Each expression is matched with the part after the element's name. */
const sentences: readonly [RegExp, (found: string[], name: string) => string][] = [
  [
    /^Missing child element\(s\)\. Expected is (?:one of )?\( (.*) \)/,
    ([names = ''], name) => `<${name}> lacks ${listed(names)}`,
  ],
  [
    /^This element is not expected\. Expected is (?:one of )?\( (.*) \)/,
    ([names = ''], name) => `<${name}> is not allowed here, but ${listed(names)}`,
  ],
  [/^This element is not expected/, (_, name) => `<${name}> is not allowed here`],
  [
    /^The attribute '([^']*)' is not allowed/,
    ([attribute], name) => `<${name}> cannot have the attribute "${attribute}"`,
  ],
  [
    /^The attribute '([^']*)' is required/,
    ([attribute], name) => `<${name}> lacks the attribute "${attribute}"`,
  ],
  [/^Character content/, (_, name) => `<${name}> cannot contain text`],
  [/^No matching global/, (_, name) => `<${name}> is not an element of this schema`],
  [/^(?:The value )?'([^']*)' is /, ([value], name) => `<${name}> cannot have the value "${value}"`],
  [
    /^Duplicate key-sequence \['([^']*)'/,
    ([value], name) => `the value "${value}" of <${name}> occurs twice`,
  ],
];

const listed = (names: string) =>
  names
    .split(', ')
    .filter((name) => !name.startsWith('##'))
    .map((name) => `<${name}>`)
    .join(' or ');

/** A violation of a schema in our own words, as libxml2's messages are for programmers. */
export function describeViolation(message: string): string {
  const plain = message
    .slice(0, 2_000)
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\s+/g, ' ');
  const [, name = 'an element', attribute, rest = ''] =
    /^Element '([^']*)'(?:, attribute '([^']*)')?: (.*)$/.exec(plain.trim()) ?? [];
  for (const [pattern, say] of sentences) {
    const found = pattern.exec(rest.replace(/^\[[^\]]*\] /, ''));
    if (!found) continue;
    const said = say(found.slice(1), name).slice(0, 300).toWellFormed();
    return attribute === undefined ? said : `${said} in the attribute "${attribute.slice(0, 60)}"`;
  }
  return attribute === undefined
    ? `<${name}> does not conform`
    : `the attribute "${attribute.slice(0, 60)}" of <${name}> does not conform`;
}
