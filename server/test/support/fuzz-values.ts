import fc from 'fast-check';

export type JsonSchema = {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  required?: string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
};

/** Text inserted into JSON unchanged, which `JSON.stringify` could not write. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(',')}}`;
}

const nested = (open: string, close: string, depth: number) =>
  new RawJson(open.repeat(depth) + close.repeat(depth));

/**
 * Texts with unusual scripts, lengths and encodings. The last few cannot be stored in JSON or in a database.
 */
export const unusualTexts = [
  '',
  ' ',
  '.',
  '..',
  '../..',
  '%',
  '%2F',
  '%00',
  '/',
  '\\',
  '\'; drop table "user"; --',
  '<img src=x onerror=alert(1)>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an injection that must stay text
  '${7*7}{{7*7}}',
  '=1+1',
  'a\r\nSet-Cookie: x=1',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e309',
  '0x10',
  'e\u0301',
  '\u202Egnp.exe',
  '\u200F\u200B\uFEFF',
  '\u0627\u0644\u0639\u0631\u0628\u064A\u0629',
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}',
  '\u{10FFFF}',
  'Z\u0351\u036B\u0343\u036A'.repeat(30),
  '\uFDFA'.repeat(200),
  '😀'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(5000),
  '\uFFFE\uFFFF',
  '\t\n\u0085\u2028',
  '\0',
  'a\0b',
  '\uD800',
  '\uDC00x\uD800',
];

export const instants = [
  '2026-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59.999Z',
  '2016-12-31T23:59:60Z',
  '2030-02-30T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  '+275760-09-13T00:00:00Z',
];

const plainTexts = ['plain', 'P1D', 'P999Y', 'en', 'https://a.example', 'EUR', '9.90', ...instants];

const oddNumbers = [0, -0, 1, -1, 0.1, 200, 201, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e300, -1e300, 5e-324];
const rawNumbers = [
  '1e400',
  '-1e400',
  '123456789012345678901234567890',
  '1E+2',
  '-0.0',
  '01',
  '+1',
  'NaN',
].map((text) => new RawJson(text));

const oddObjects = [
  '{"__proto__":{"IsAdmin":true}}',
  '{"constructor":{"prototype":{"IsAdmin":true}}}',
  '{"toString":1,"valueOf":1,"hasOwnProperty":1}',
  '{"toJSON":1,"then":1,"length":1e9}',
  '{"a":1,"a":2}',
  '{"\\u0000":1}',
  '{"\\ud800":1}',
].map((text) => new RawJson(text));

/** Arbitrary values, most of them invalid for any field. */
export const invalidValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, [], {}, [null], [[]], { a: {} }, ...oddNumbers, ...rawNumbers),
  fc.constantFrom(...unusualTexts),
  fc.constantFrom(...oddObjects),
  fc.constantFrom(
    nested('[', ']', 100),
    nested('[', ']', 50_000),
    new RawJson(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`),
    Array(5_000).fill('x'),
    Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`m${index}`, index])),
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.jsonValue(),
);

/**
 * Existing identifiers, so that look-ups succeed. They are updated as the run creates and deletes records.
 */
export type Names = Record<string, readonly string[]>;

export function text(names: Names, name: string): fc.Arbitrary<string> {
  const known = fc.nat().map((index) => {
    const list = names[name] ?? plainTexts;
    return list[index % list.length] ?? '';
  });
  return fc.oneof(
    { weight: 8, arbitrary: known },
    { weight: 2, arbitrary: fc.constantFrom(...plainTexts, ...unusualTexts) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  );
}

/** Usually a value that matches the schema, and sometimes an arbitrary value. */
export function arbitraryValue(names: Names, name: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  const types = [schema.type ?? 'string'].flat();
  const fitting = schema.anyOf
    ? schema.anyOf.map((option) => arbitraryValue(names, name, option))
    : types.map((type) => typed(names, type, name, schema));
  return fc.oneof({ weight: 14, arbitrary: fc.oneof(...fitting) }, { weight: 1, arbitrary: invalidValue });
}

function typed(names: Names, type: string, name: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number')
    return fc.oneof(
      fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 100, 1_000) }),
      fc.constantFrom<unknown>(...oddNumbers, ...rawNumbers),
    );
  if (type === 'array')
    return fc.array(arbitraryValue(names, name.replace(/s$/, ''), schema.items ?? {}), { maxLength: 4 });
  if (type === 'object') return objectOf(names, schema);
  return schema.format === 'date-time' ? fc.constantFrom(...instants, 'x') : text(names, name);
}

function objectOf(names: Names, schema: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [
      name,
      arbitraryValue(names, name, property),
    ]),
  );
  const required = (schema.required ?? []).filter((name) => name in fields);
  const whole = fc.record(fields, { requiredKeys: required });
  const lacking = fc.record(fields, { requiredKeys: [] });
  const kept = fc.oneof({ weight: 12, arbitrary: whole }, { weight: 1, arbitrary: lacking });
  const free = fc.dictionary(text(names, ''), text(names, ''), { maxKeys: schema.properties ? 1 : 25 });
  const closed = schema.properties && schema.additionalProperties !== true;
  const more = fc.oneof(
    { weight: closed ? 12 : 1, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: free },
  );
  return fc.tuple(kept, more).map(([kept, more]) => ({ ...more, ...(kept as object) }));
}
