import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { allPages, expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);

async function found(
  { api }: Pick<TestTenant, 'api'>,
  search: string,
  more = '',
  limit = 2,
): Promise<string[]> {
  const path = `/user?Search=${encodeURIComponent(search)}${more}`;
  const { items } = await allPages((address) => api('GET', address), path, limit);
  return items.map(({ LoginID }) => LoginID);
}

const people = [
  { LoginID: 'A00050', FirstName: 'Anna', LastName: 'Stone', Email: 'a.stone@acme.example' },
  { LoginID: 'A00051', FirstName: 'Jürgen', LastName: 'Müller-Lüdenscheidt', Email: 'jm@beta.example' },
  { LoginID: 'stone@acme.example', FirstName: 'Łukasz', LastName: "O'Brien" },
  { LoginID: 'anna', FirstName: 'Иван', LastName: 'Straße' },
  { LoginID: '100%_A\\B', FirstName: '小明', LastName: '王' },
  { LoginID: 'B7', FirstName: 'E\u0301mile', LastName: 'Безопасный' },
];

async function tenantWithPeople(): Promise<TestTenant> {
  const tenant = await newTenant(service);
  for (const person of people) expectStatus(await tenant.api('POST', '/user', person), 201);
  return tenant;
}

test('every word of a search is found anywhere in the name, LoginID or Email, in any order', async () => {
  const tenant = await tenantWithPeople();
  const other = await tenantWithPeople();
  expectStatus(await other.api('POST', '/user', { LoginID: 'other', LastName: 'Stone' }), 201);
  const cases: Record<string, string[]> = {
    'Stone Anna': ['A00050'],
    'Stone, Anna': ['A00050'],
    'ann sto': ['A00050'],
    // The middle of a word.
    tone: ['A00050', 'stone@acme.example'],
    'denschei rge': ['A00051'],
    'cme.exam': ['A00050', 'stone@acme.example'],
    'a.stone@acme.example': ['A00050'],
    A0005: ['A00050', 'A00051'],
    // Case, accents, and composed or decomposed letters.
    muller: ['A00051'],
    'mu\u0308ller': ['A00051'],
    'LÜDEN jurg': ['A00051'],
    émile: ['B7'],
    emile: ['B7'],
    'brien lukasz': ['stone@acme.example'],
    'o’brien': ['stone@acme.example'],
    strasse: ['anna'],
    // Other scripts.
    ИВАН: ['anna'],
    безопасн: ['B7'],
    ОПАС: ['B7'],
    // Wildcards of LIKE are usual characters.
    '%': ['100%_A\\B'],
    _: ['100%_A\\B'],
    '0%_a': ['100%_A\\B'],
    'a\\b': ['100%_A\\B'],
    'a%e': [],
    a_0050: [],
    // Fewer than three characters.
    nn: ['A00050', 'anna'],
    小明: ['100%_A\\B'],
    王: ['100%_A\\B'],
    ив: ['anna'],
    x: ['A00050', 'A00051', 'stone@acme.example'],
    'b7 em': ['B7'],
    'zz stone': [],
    'anna muller': [],
    nobody: [],
    '  ,  ': [],
  };
  for (const [search, logins] of Object.entries(cases))
    assert.deepEqual((await found(tenant, search)).sort(), logins.toSorted(), search);
});

test('a user with exactly this LoginID comes first, and the others are sorted by LoginID', async () => {
  const tenant = await tenantWithPeople();
  assert.deepEqual(await found(tenant, 'anna'), ['anna', 'A00050']);
  for (const limit of [1, 2, 200])
    for (const [search, logins] of [
      ['anna', ['anna', 'A00050']],
      ['a', ['100%_A\\B', 'A00050', 'A00051', 'anna', 'stone@acme.example']],
    ] as const)
      assert.deepEqual(await found(tenant, search, '', limit), logins);
});

test('a search can be combined with filters, an order and a count', async () => {
  const tenant = await tenantWithPeople();
  expectStatus(await tenant.api('PUT', '/user/A00051', { GroupName: 'Sales', Enabled: false }), 200);
  assert.deepEqual(await found(tenant, 'example', '&GroupName=Sales'), ['A00051']);
  assert.deepEqual(await found(tenant, 'example', '&Enabled=false'), ['A00051']);
  assert.deepEqual(await found(tenant, 'acme', '&Enabled=false'), []);
  assert.deepEqual(await found(tenant, 'anna', '&Enabled=false'), []);
  assert.deepEqual(await found(tenant, 'anna', '&Order=oldest'), ['A00050', 'anna']);
  assert.deepEqual(await found(tenant, 'anna', '&Order=newest', 1), ['anna', 'A00050']);
  assert.deepEqual(await found(tenant, 'example', '&Order=name', 1), [
    'A00051',
    'stone@acme.example',
    'A00050',
  ]);
  const { body } = await tenant.api('GET', '/user?Search=anna&Count=true&Limit=1');
  assert.deepEqual(body.Count, { Records: 2, More: false });
});

test('pages contain every user once, while others are created, renamed and deleted', async () => {
  const tenant = await newTenant(service);
  const login = (n: number) => `u${String(n).padStart(2, '0')}`;
  for (let n = 0; n < 30; n += 2) await tenant.user({ LoginID: login(n), LastName: 'Steady Oak' });
  const seen: string[] = [];
  let n = 1;
  for (let cursor = ''; ; n += 2) {
    const { body } = await tenant.api('GET', `/user?Search=oak+tead&Limit=3${cursor}`);
    seen.push(...body.Items.map(({ LoginID }: { LoginID: string }) => LoginID));
    if (body.NextCursor === null) break;
    cursor = `&Cursor=${body.NextCursor}`;
    await tenant.user({ LoginID: login(n), LastName: 'Steady Oak' });
    await tenant.user({ LoginID: login(n + 30), LastName: 'Elm' });
    expectStatus(await tenant.api('PUT', `/user/${login(n + 30)}`, { LastName: 'Steady Ash' }), 200);
    expectStatus(await tenant.api('DELETE', `/user/${login(n)}`), 200);
  }
  assert.deepEqual(
    seen.filter((one) => Number(one.slice(1)) % 2 === 0),
    Array.from({ length: 15 }, (_, at) => login(2 * at)),
  );
  assert.equal(new Set(seen).size, seen.length);
});

test('a changed name is found instead of the former one, and an erased user is not found', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Anna', LastName: 'Stone' });
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { LastName: 'Rivers', FirstName: null }), 200);
  assert.deepEqual(await found(tenant, 'anna'), []);
  assert.deepEqual(await found(tenant, 'rivers'), [LoginID]);
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  assert.deepEqual(await found(tenant, 'rivers'), []);
});

test('users created in bulk are found', async () => {
  const tenant = await newTenant(service);
  const rows = people.map((person) => JSON.stringify(person)).join('\n');
  const reply = await tenant.api('POST', '/user/bulk', rows, { 'content-type': 'application/x-ndjson' });
  expectStatus(reply, 200);
  assert.deepEqual(await found(tenant, 'stone anna'), ['A00050']);
});

test('all of a long name can be searched', async () => {
  const tenant = await newTenant(service);
  const words = Array.from({ length: 40 }, (_, at) => `é${at}`).join(' ');
  const LoginID = await tenant.user({ LastName: words, FirstName: '\ufdfa'.repeat(200) });
  for (const search of [words, 'e39 e0', '\ufdfa']) assert.deepEqual(await found(tenant, search), [LoginID]);
});
