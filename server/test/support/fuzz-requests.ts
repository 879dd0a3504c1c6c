import fc from 'fast-check';
import {
  arbitraryValue,
  invalidValue,
  type JsonSchema,
  jsonText,
  type Names,
  text,
  unusualTexts,
} from './fuzz-values.ts';
import { withoutReferences } from './openapi.ts';

export type Message = { method: string; target: string; headers: [string, string][]; body: Buffer | null };

type Parameter = { name: string; in: string; required?: boolean; example?: unknown; schema: JsonSchema };
type Content = Record<string, { schema?: JsonSchema; example?: unknown }>;
export type Operation = {
  operationId: string;
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
  /** The operation's server, if it is not the API's origin. */
  servers?: { url: string }[];
};
export type Described = { path: string; method: string; operation: Operation };

/** The keys of the possible callers, named by their permissions, and the operator's session. */
export type Keys = { operator: string; tenant: string; reader: string; session: string; TenantID: string };

/** The operations on the API's origin. */
export function operationsOf(document: { paths: Record<string, Record<string, Operation>> }): Described[] {
  return Object.entries(withoutReferences(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { servers }]) => servers === undefined)
      .map(([method, operation]) => ({ path, method, operation })),
  );
}

function mostly<T>(weight: number, usual: fc.Arbitrary<T>, ...others: T[]): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...others) });
}

const encoded = (value: string) => encodeURIComponent(value.toWellFormed());

const oddTargets: ((target: string) => string)[] = [
  (target) => target.replace(/[^/]$/, '%zz'),
  (target) => `${target}%`,
  (target) => target.replace('/', '//'),
  (target) => target.replace(/\/[^/?]+/, '/%C0%AF'),
  (target) => target.replace(/\/[^/?]+$/, '/%00'),
  (target) => target.replace(/\/[^/?]+$/, '/%ED%A0%80'),
  (target) => target.replace(/\/[^/?]+$/, '/%u0041'),
  (target) => target.replace(/\/[^/?]+$/, '/..'),
  (target) => target.replace(/\/[^/?]+$/, '/%2e%2e'),
  (target) => target.replace(/\/[^/?]+$/, `/${'x'.repeat(9_000)}`),
  (target) => target.replace(/\/[^/?]+$/, `/${'%F0%9F%98%80'.repeat(255)}`),
  (target) => `${target};a=b`,
  (target) => `${target}\xe9\xff`,
  (target) => target.toUpperCase(),
  (target) => `http://other.example${target}`,
];

const oddQueries = [
  'Limit=1&Limit=2',
  'Cursor=a&Cursor=b',
  'Limit[]=1',
  'Limit[__proto__]=1',
  '__proto__=1',
  'constructor=1',
  '__proto__[IsAdmin]=1',
  'a=%zz',
  'Search=%00',
  'Search=%ED%A0%80',
  'Search=%FF',
  '&&&===',
  '=',
  `x=${'y'.repeat(5_000)}`,
  Array(2_000).fill('a=1').join('&'),
  'Limit=1e400',
  'Limit=0x10',
  'Limit=%20 1',
].map((query) => query.replaceAll(' ', '%20'));

const contentTypes = [
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json; charset=latin1',
  'application/json; charset="',
  'APPLICATION/JSON',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/zip',
  'application/x-ndjson',
  'text/csv',
  'text/plain',
  'text/html; x',
  '',
  '/',
  'x'.repeat(3_000),
];

const oddHeaders: [string, string][] = [
  ['content-encoding', 'gzip'],
  ['accept', 'text/csv'],
  ['accept', 'application/x-ndjson'],
  ['accept', 'x'.repeat(3_000)],
  ['accept', ';;;,,,q=x'],
  ['idempotency-key', 'one'],
  ['idempotency-key', ''],
  ['idempotency-key', '\xff'],
  ['idempotency-key', 'x'.repeat(300)],
  ['cookie', '__Host-session=%zz; =; ;;;session'],
  ['cookie', 'session=x; '.repeat(500)],
  ['range', 'bytes=9-1'],
  ['if-modified-since', 'never'],
  ['x-forwarded-for', "'; x"],
  ['x-forwarded-host', 'evil.example'],
  ['sec-fetch-site', 'cross-site'],
  ['transfer-encoding', 'chunked'],
  ['x-long', 'x'.repeat(8_000)],
  ['x-too-long', 'x'.repeat(20_000)],
  ['__proto__', 'x'],
];

const oddBodies: ((body: Buffer) => Buffer)[] = [
  (body) => body.subarray(0, Math.max(0, body.length - 2)),
  (body) => Buffer.concat([body, Buffer.from('}')]),
  (body) => Buffer.from(body.toString().replace('{', '{"LoginID":"twice","Title":"twice",')),
  (body) => Buffer.from(body.toString().replace('{', '{"__proto__":{"IsAdmin":true},')),
  (body) => Buffer.from(body.toString().replace('{', '{"constructor":{"prototype":{"x":1}},')),
  (body) => Buffer.from(body.toString().replace('{', '{"\\u005f_proto__":{},')),
  (body) => Buffer.concat([Buffer.from('\ufeff'), body]),
  (body) => Buffer.from(body.toString(), 'utf16le'),
  (body) => Buffer.concat([body.subarray(0, 5), Buffer.from([0xff, 0xc0, 0x80]), body.subarray(5)]),
  (body) => Buffer.from(body.toString().replaceAll('"', "'")),
  () => Buffer.from('   '),
  () => Buffer.from('null'),
  () => Buffer.from('[]'),
  () => Buffer.from('"x"'),
  () => Buffer.from('\0'),
  () => Buffer.from(`{"Metadata":${'{"a":'.repeat(90_000)}1${'}'.repeat(90_000)}}`),
  () => Buffer.from(`{"Search":"${'x'.repeat(1_100_000)}"}`),
  () => Buffer.from('PK\x03\x04', 'latin1'),
];

function bodyOf(names: Names, operation: Operation): fc.Arbitrary<[string, Buffer] | null> {
  const contents = Object.entries(operation.requestBody?.content ?? {});
  if (contents.length === 0) return mostly(12, fc.constant(null), ['application/json', Buffer.from('{}')]);
  const made = contents.map(([type, { schema, example }]) =>
    textOf(names, type, schema, example).map((text): [string, Buffer] => [type, Buffer.from(text)]),
  );
  return fc.oneof(...made);
}

function textOf(
  names: Names,
  type: string,
  schema: JsonSchema | undefined,
  example: unknown,
): fc.Arbitrary<string> {
  if (schema && 'type' in schema) return arbitraryValue(names, '', schema).map(jsonText);
  if (typeof example !== 'object' || example === null) return rows(names, type);
  return fc.oneof(fc.constant(example), nearly(example), nearly(example), invalidValue).map(jsonText);
}

/** The paths of all values in a JSON value, such as `['actor', 'mbox']`. */
function pathsIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [name],
    ...pathsIn(inner).map((path) => [name, ...path]),
  ]);
}

/** The example with one value replaced, or left out if it is `undefined`. */
function replaced(value: unknown, [name, ...rest]: string[], by: unknown): unknown {
  if (name === undefined) return by;
  if (Array.isArray(value))
    return value.map((inner, at) => (String(at) === name ? replaced(inner, rest, by) : inner));
  const members = value as Record<string, unknown>;
  return { ...members, [name]: replaced(members[name], rest, by) };
}

/** An example with one value that is missing, or probably wrong. */
function nearly(example: object): fc.Arbitrary<unknown> {
  const other = fc.oneof(fc.constant(undefined), fc.constantFrom(...unusualTexts), invalidValue);
  return fc
    .tuple(fc.constantFrom(...pathsIn(example)), other)
    .map(([path, by]) => replaced(example, path, by));
}

/** A body without a schema: rows for bulk calls, or data that is not a zip. */
function rows(names: Names, type: string): fc.Arbitrary<string> {
  const row = fc.record(
    Object.fromEntries(
      ['LoginID', 'CourseID', 'DurationID', 'FirstName'].map((name) => [name, text(names, name)]),
    ),
    { requiredKeys: [] },
  );
  const lines = fc.array(fc.oneof(row.map(jsonText), fc.constantFrom(...unusualTexts)), { maxLength: 5 });
  if (type === 'text/csv') return lines.map((cells) => ['LoginID,FirstName', ...cells].join('\n'));
  return lines.map((made) => made.join('\n'));
}

/** A request to one operation. Most of it is valid; it contains a few errors at most. */
export function messageTo(described: Described, names: Names, keys: Keys): fc.Arbitrary<Message> {
  const { path, method, operation } = described;
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const query = Object.fromEntries(
    (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema }) => [
        name,
        arbitraryValue(names, name, schema).map((value) =>
          (typeof value === 'string' ? value : jsonText(value)).slice(0, 3_000),
        ),
      ]),
  );
  const needed = (operation.parameters ?? []).filter(
    ({ in: place, required, name }) => place === 'header' && required && name !== 'Tenant',
  );
  const needsSession = operation.security.length > 0 && !operation.security.some((one) => 'key' in one);
  const alter = <T>(changes: readonly T[], weight = 14) =>
    mostly(weight, fc.constant<T | null>(null), ...changes);
  return fc
    .record({
      path: fc.record(Object.fromEntries(parameters.map((name) => [name, text(names, name)]))),
      query: fc.record(query, { requiredKeys: [] }),
      oddQuery: alter(oddQueries),
      oddTarget: alter(oddTargets),
      body: bodyOf(names, operation),
      oddBody: alter(oddBodies),
      oddType: alter(contentTypes),
      needed: mostly(
        14,
        fc.constant(needed.map(({ name, example }): [string, string] => [name, String(example)])),
        [],
      ),
      oddHeader: alter(oddHeaders, 4),
      key: mostly(
        10,
        fc.constantFrom(`Bearer ${keys.operator}`, `Bearer ${keys.operator}`, `Token ${keys.tenant}`),
        `Bearer ${keys.reader}`,
        'Bearer wrong-but-long-enough-to-be-a-key',
        'Bearer a.b.cccccccccccccccccccc',
        'Basic \xff',
        '',
        'x'.repeat(3_000),
      ),
      tenant: mostly(12, fc.constant(keys.TenantID), '%00', '%ff', '', '__proto__', '\xe9'),
    })
    .map((made) => {
      const asked = Object.entries(made.query).map(([name, value]) => `${name}=${encoded(value ?? '')}`);
      if (made.oddQuery) asked.push(made.oddQuery);
      const plain = path.replaceAll(
        /\{(\w+)\}/g,
        (_, name: string) => encoded(made.path[name] ?? '') || '%20',
      );
      const target = `${made.oddTarget?.(plain) ?? plain}${asked.length > 0 ? `?${asked.join('&')}` : ''}`;
      const headers = [...made.needed];
      if (needsSession && made.key === `Bearer ${keys.operator}`)
        headers.push(['cookie', keys.session], ['sec-fetch-site', 'same-origin']);
      else if (made.key) headers.push(['authorization', made.key]);
      if (made.key !== `Token ${keys.tenant}`) headers.push(['tenant', made.tenant]);
      const [type, body] = made.body ?? [null, null];
      if (body) headers.push(['content-type', made.oddType ?? type]);
      if (made.oddHeader) headers.push(made.oddHeader);
      return {
        method: method.toUpperCase(),
        target,
        headers,
        body: body && made.oddBody ? made.oddBody(body) : body,
      };
    });
}
