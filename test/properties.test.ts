import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { packCourse } from './journeys/made-courses.ts';
import { serve } from './support/nodes.ts';
import { play } from './support/player.ts';
import { startService } from './support/service.ts';
import { newTenant } from './support/tenant.ts';

// Requests made out of the service's own description: whatever is sent, the answer comes, and is never a 500.

const runs = Number(process.env.PROPERTY_RUNS ?? 300);
const mostMilliseconds = 10_000;

const service = await startService({ env: { PACKAGE_BYTES: '1000000' } });
const node = await serve(service.ctx);
after(async () => {
  await node.close();
  await service.close();
});

type JsonSchema = {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  pattern?: string;
  items?: JsonSchema;
  required?: string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  patternProperties?: Record<string, JsonSchema>;
};
type Parameter = { name: string; in: string; schema: JsonSchema };
type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
};

const { body: document } = await service.api('GET', '/openapi.json');
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Names that lead somewhere, so that requests get past the look-ups. */
const tenant = await newTenant(service);
await service.importPackage('phishing', await packCourse('phishing'));
await service.api('PUT', '/course/phishing/option/month', { Duration: 'P30D', Groups: ['A'] });
await service.api('PUT', '/course/phishing/option/open', { StartsOn: 'launch', Duration: 'P1D' });
const LoginID = await tenant.user({ GroupName: 'A', Password: 'x' });
const enrolment = (await tenant.api('POST', `/enrol/${LoginID}/phishing/open`)).body;
const spare = (await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'spare' })).body;
const { session } = await play(service, enrolment.LaunchURL);
const known: Record<string, string[]> = {
  LoginID: [LoginID, 'new user', 'Ünï/cødé'],
  CourseID: ['phishing', 'new course'],
  DurationID: ['month', 'open', 'new option'],
  EnrollID: [enrolment.EnrollID],
  TenantID: [tenant.TenantID, 'new tenant'],
  KeyID: [spare.KeyID],
  GroupName: ['A'],
  Cursor: [
    '\0',
    'x',
    '|',
    '2026-01-01T00:00:00Z|x',
    `2026-01-01T00:00:00Z ${enrolment.EnrollID}`,
    '\ud800',
  ].map((key) => Buffer.from(JSON.stringify([key])).toString('base64url')),
};

const instants = [
  '2026-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59.999Z',
  '2016-12-31T23:59:60Z',
];
const samples = [
  '',
  'x',
  'P1D',
  'P999Y',
  'en',
  'https://a.example',
  'https://a.example/x?y=%zz',
  'EUR',
  '9.90',
  '\0',
  '%',
  '\ud800',
  'e\u0301',
  '😀'.repeat(255),
  'x'.repeat(2000),
  '__proto__',
  ...instants,
];

const text = (name: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...(known[name] ?? ['plain'])) },
    { weight: 2, arbitrary: fc.constantFrom(...samples) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  );

function mostly(usual: string, ...others: string[]): fc.Arbitrary<string> {
  const rare = { weight: 1, arbitrary: fc.constantFrom(...others) };
  return fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, rare);
}

const numbers = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, 1, 200, 2 ** 31, 2 ** 53, 1e300));

/** A value of the schema, mostly; sometimes anything at all. */
function anyOf(name: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  const types = [schema.type ?? 'string'].flat();
  const fitting = types.map((type) => typed(type, name, schema));
  return fc.oneof({ weight: 12, arbitrary: fc.oneof(...fitting) }, { weight: 1, arbitrary: fc.jsonValue() });
}

function typed(type: string, name: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (type === 'null') return fc.constant(null);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') return numbers;
  if (type === 'array') return fc.array(anyOf('', schema.items ?? {}), { maxLength: 4 });
  if (type === 'object') return objectOf(schema);
  return schema.format === 'date-time' ? fc.constantFrom(...instants, 'x') : text(name);
}

function objectOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, anyOf(name, property)]),
  );
  const kept = fc.record(fields, { requiredKeys: (schema.required ?? []).filter((name) => name in fields) });
  const free = fc.dictionary(text(''), text(''), { maxKeys: schema.properties ? 1 : 25 });
  const open = schema.properties && schema.additionalProperties !== true;
  return fc
    .tuple(
      kept,
      fc.oneof({ weight: open ? 9 : 1, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: free }),
    )
    .map(([fields, more]) => ({ ...more, ...fields }));
}

const encoded = (value: string) => encodeURIComponent(value.toWellFormed());

function requestOf({ path, method, operation }: (typeof operations)[number]): fc.Arbitrary<InjectOptions> {
  const parameters = operation.parameters ?? [];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const query = Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema }) => [
        name,
        anyOf(name, schema).map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
      ]),
  );
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = content?.schema ? anyOf('', content.schema) : fc.constantFrom(undefined, 'not a zip');
  return fc
    .record({
      path: fc.record(Object.fromEntries(names.map((name) => [name, text(name)]))),
      query: fc.record(query, { requiredKeys: [] }),
      body,
      type: mostly(type ?? 'application/zip', 'application/json', 'text/plain'),
      key: mostly(service.operatorKey, tenant.key, 'x'.repeat(30)),
      tenant: mostly(tenant.TenantID, '%00', '%ff', ''),
    })
    .map((made) => ({
      method: method.toUpperCase() as 'GET',
      url: `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(made.path[name] ?? ''))}?${Object.entries(
        made.query,
      )
        .map(([name, value]) => `${name}=${encoded(value ?? '')}`)
        .join('&')}`,
      headers: {
        authorization: `Bearer ${made.key}`,
        tenant: made.tenant,
        ...(method === 'get' || made.body === undefined ? {} : { 'content-type': made.type }),
      },
      ...(method === 'get' || made.body === undefined ? {} : { payload: JSON.stringify(made.body) }),
    }));
}

async function answerOf(origin: 'api' | 'content', request: InjectOptions) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), mostMilliseconds);
  });
  const answer = await Promise.race([node[origin].inject(request), late]);
  clearTimeout(timer);
  assert.ok(answer.statusCode < 500, `${answer.statusCode} ${answer.body.slice(0, 200)}`);
  const type = String(answer.headers['content-type'] ?? '');
  if (
    answer.statusCode >= 400 &&
    !request.url?.toString().startsWith('/oauth') &&
    !type.startsWith('text/html')
  )
    assert.match(type, /^application\/problem\+json/);
  return answer;
}

test('a commit of a unit is taken, whatever its run-time values are', async () => {
  const [UnitID = ''] = Object.keys(session.Data);
  let last = session.NextCommit;
  const names = fc.oneof(fc.constantFrom(...cmi), fc.string({ unit: 'binary', maxLength: 30 }));
  // `__proto__` is refused with the whole body, before anything can come of it.
  const safe = names.filter((name) => name !== '__proto__');
  const data = fc.dictionary(safe, fc.oneof(text(''), numbers.map(String)), { maxKeys: 12 });
  const property = fc.asyncProperty(data, async (Data) => {
    const payload = { Number: last++, UnitID, Data };
    const answer = await answerOf('content', {
      method: 'POST',
      url: `/play/${session.Session}/commit`,
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    });
    assert.equal(answer.statusCode, 200, answer.body);
  });
  await fc.assert(property, { numRuns: Math.ceil(runs / 3) });
});

// After the commits, as it also erases the learner.
for (const { path, method, operation } of operations)
  test(`${operation.operationId} always answers, and never with 500`, async () => {
    const request = requestOf({ path, method, operation });
    const property = fc.asyncProperty(request, async (request) => {
      await answerOf('api', request);
    });
    await fc.assert(property, { numRuns: Math.ceil(runs / operations.length) });
  });

const cmi = [
  'cmi.core.lesson_status',
  'cmi.core.score.raw',
  'cmi.core.score.min',
  'cmi.core.score.max',
  'cmi.core.session_time',
  'cmi.core.total_time',
  'cmi.core.exit',
  'cmi.suspend_data',
];

test('any address of the content origin answers, and never with 500', async () => {
  const part = fc.oneof(
    fc.constantFrom(
      'play',
      'player',
      'session',
      'commit',
      'content',
      'alive',
      session.Session,
      '..',
      '%',
      '%00',
    ),
    text('').map(encoded),
  );
  const property = fc.asyncProperty(
    fc.array(part, { maxLength: 6 }),
    fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'),
    async (parts, method) => {
      await answerOf('content', { method: method as 'GET', url: `/${parts.join('/')}` });
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(runs / 3) });
});
