import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { measureDuring } from '../../../test/support/honest-client.ts';
import { countTouched, type Touched } from '../../../test/support/rows-touched.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';

// Tests with many definitions of activities. They are stored separately from their statements and merged when
// they are read.

const service = await startService({ env: { RATE_LIMIT: '0' } });
after(service.close);

const v1 = { 'x-experience-api-version': '1.0.3' };
const actor = { mbox: 'mailto:ann@example.com' };
const verb = { id: 'https://example.com/verbs/answered' };
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const activity = (id: number | string, definition?: object) => ({
  id: `https://example.com/activities/${id}`,
  ...(definition ? { definition } : {}),
});
const named = (at: number) => ({ name: { en: `Name ${at}` } });

const post = (tenant: TestTenant, statements: unknown) =>
  tenant.api('POST', '/xapi/statements', statements, v1);
const get = (tenant: TestTenant, path: string) => tenant.api('GET', `/xapi/${path}`, undefined, v1);

/** Checks that the request succeeds without delaying other requests. */
async function expectNoDelay(tenant: TestTenant, path: string) {
  const other = await newTenant(service);
  const reading = get(tenant, path);
  const noticed = await measureDuring(
    async () => expectStatus(await other.api('GET', '/user'), 200),
    reading,
  );
  assert.ok(noticed.longestWork <= 300, JSON.stringify(noticed));
  const reply = await reading;
  expectStatus(reply, 200);
  return reply.body;
}

test('definitions with many names are merged without copying them', async () => {
  const tenant = await newTenant(service);
  let names = 0;
  const extensions = () => Object.fromEntries(times(2_900, () => [`a:${(names++).toString(36)}`, 0]));
  for (const id of [0, 1, 2])
    for (let part = 0; part < 5; part++)
      expectStatus(
        await post(
          tenant,
          times(10, () => ({ actor, verb, object: activity(id, { extensions: extensions() }) })),
        ),
        200,
      );
  const { definition } = await expectNoDelay(tenant, `activities?activityId=${activity(0).id}`);
  const merged = Object.keys(definition.extensions).length;
  assert.ok(merged > 20 * 2_900 && merged < 50 * 2_900, `${merged} names`);
  const id = randomUUID();
  const context = { contextActivities: { other: [activity(1), activity(2)] } };
  expectStatus(await post(tenant, { id, actor, verb, object: activity(0), context }), 200);
  const shown = await expectNoDelay(tenant, `statements?statementId=${id}&format=canonical`);
  const [, newest] = shown.context.contextActivities.other;
  assert.ok(Object.keys(newest.definition.extensions).length > 20 * 2_900);
});

test('merging keeps the newer text of each language, and any name', async () => {
  const tenant = await newTenant(service);
  const send = (definition: object) => post(tenant, { actor, verb, object: activity('one', definition) });
  const proto = JSON.parse('{"a:b":1,"__proto__":2}');
  expectStatus(await send({ name: { en: 'Old', de: 'Alt' }, type: 'https://example.com/t' }), 200);
  expectStatus(await send({ name: { en: 'New' }, extensions: JSON.parse('{"a:b":0,"a:c":3}') }), 200);
  expectStatus(await send({ extensions: { 'a:b': proto['a:b'] } }), 200);
  const { body } = await get(tenant, `activities?activityId=${activity('one').id}`);
  assert.deepEqual(body.definition, {
    name: { en: 'New', de: 'Alt' },
    type: 'https://example.com/t',
    extensions: { 'a:b': 1, 'a:c': 3 },
  });
});

test('a request may contain 1,000 different definitions', async () => {
  const tenant = await newTenant(service);
  const statements = (count: number) =>
    times(count / 100, (part) => ({
      ...{ actor, verb, object: activity('one') },
      context: { contextActivities: { other: times(100, (at) => activity('two', named(part * 100 + at))) } },
    }));
  const rejected = await post(tenant, statements(1_100));
  expectProblem(rejected, 400, 'xapi_invalid');
  assert.match(rejected.body.detail, /more than 1000 different definitions/);
  assert.deepEqual((await get(tenant, 'statements')).body.statements, [], 'nothing is stored');
  expectStatus(await post(tenant, [...statements(1_000), ...statements(1_000)]), 200);
});

test('in the canonical format, statements with too many activities keep the definitions they were sent with', async () => {
  const tenant = await newTenant(service);
  const mentioned = (part: number) => times(1_500, (at) => activity(`${part}-${at}`));
  for (const part of times(8, (at) => at))
    expectStatus(
      await post(tenant, {
        ...{ actor, verb, object: activity(`last-${part}`, named(part)) },
        context: { contextActivities: { other: mentioned(part) } },
      }),
      200,
    );
  const { statements } = await expectNoDelay(tenant, 'statements?format=canonical');
  assert.deepEqual(
    statements.map(({ object }: { object: { definition: object } }) => object.definition),
    times(8, named).reverse(),
  );
});

test('definitions are looked up by index, even if most of them belong to one activity', async (context) => {
  const touched: Touched[] = [];
  const counted = await startService({
    over: (engine) => countTouched(engine, (one) => void touched.push(one)),
  });
  context.after(counted.close);
  const tenant = await newTenant(counted);
  const common = times(1_000, (at) => activity('common', named(at)));
  const others = times(500, (at) => activity(at));
  for (const other of [common, others])
    expectStatus(
      await post(tenant, { actor, verb, object: activity('one'), context: { contextActivities: { other } } }),
      200,
    );
  await sql`/* across tenants: a test gathers statistics */ analyze activity_definition`.execute(
    counted.ctx.db,
  );
  touched.length = 0;
  expectStatus(await get(tenant, 'statements?format=canonical'), 200);
  const most = Math.max(...touched.map(({ rows }) => rows));
  assert.ok(touched.length > 5 && most < 1_000, `${most} rows`);
});
