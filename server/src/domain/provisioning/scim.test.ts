import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { dialects, directory as directoryOf, enterprise, patch } from '../../../test/support/scim.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, type TestTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const directory = () => directoryOf(service);

const user = async (tenant: TestTenant, loginId: string) =>
  (await tenant.api('GET', `/user/${encodeURIComponent(loginId)}`)).body;

test('a user is created, found, renamed and disabled, and keeps the LoginID', async () => {
  const { tenant, scim, create, find } = await directory();
  const made = await create('Ada@acme.example', {
    externalId: 'ext-1',
    name: { givenName: 'Ada', familyName: 'Ash' },
    emails: [{ value: 'ada@acme.example', type: 'work', primary: true }],
    title: 'Engineer',
    phoneNumbers: [{ value: '123', type: 'work' }],
    password: 'Secret-1',
    [enterprise]: { department: 'R&D', employeeNumber: '42' },
  });
  assert.match(made.meta.location, new RegExp(`/scim/v2/Users/${made.id}$`));
  assert.equal(made.password, undefined);
  const own = await user(tenant, 'Ada@acme.example');
  assert.deepEqual(
    [own.FirstName, own.LastName, own.Email, own.Enabled],
    ['Ada', 'Ash', 'ada@acme.example', true],
  );
  assert.deepEqual(own.Attributes, { Department: 'R&D', EmployeeNumber: '42', Title: 'Engineer' });
  for (const filter of [
    'userName eq "ADA@ACME.example"',
    'externalId eq "ext-1"',
    'emails[type eq "work" and value eq "ada@acme.example"]',
    'name.familyName sw "as" and active eq true',
    `${enterprise}:employeeNumber eq "42"`,
    'not (userName eq "x") and title co "ngin"',
  ])
    assert.equal((await find(filter)).totalResults, 1, filter);
  assert.equal((await find('userName eq "nobody"')).totalResults, 0);
  const again = await scim('POST', '/Users', { userName: 'ada@acme.example' });
  assert.deepEqual([again.status, again.body.scimType, again.body.status], [409, 'uniqueness', '409']);
  expectStatus(
    await scim('PATCH', `/Users/${made.id}`, patch({ op: 'replace', path: 'userName', value: 'ada.new' })),
    200,
  );
  assert.equal((await find('userName eq "ada.new"')).Resources[0].id, made.id);
  assert.equal((await find('userName eq "ada@acme.example"')).totalResults, 0);
  assert.equal((await user(tenant, 'Ada@acme.example')).Enabled, true);
  // Nobody gets the renamed user's LoginID, and with it the results.
  expectStatus(await scim('POST', '/Users', { userName: 'Ada@acme.example' }), 409);
  const put = await scim('PUT', `/Users/${made.id}`, { userName: 'ada.new', name: { givenName: 'Adah' } });
  assert.deepEqual(
    [put.body.active, put.body.name.familyName, put.body.phoneNumbers.length],
    [true, 'Ash', 1],
  );
  expectStatus(await scim('DELETE', `/Users/${made.id}`), 204);
  expectStatus(await scim('GET', `/Users/${made.id}`), 404);
  assert.equal((await user(tenant, 'Ada@acme.example')).Enabled, false);
  assert.equal((await create('ada.new')).id, made.id);
  const entries = (await tenant.api('GET', '/provisioning/log')).body;
  assert.equal(entries.Items[0].LoginID, 'Ada@acme.example');
  const log = JSON.stringify(entries);
  assert.doesNotMatch(log, /Secret-1/);
  assert.match(log, /\*\*\*/);
});

test('users made by the API are visible to the directory', async () => {
  const { tenant, scim, find } = await directory();
  expectStatus(
    await tenant.api('POST', '/user', { LoginID: 'E-7', FirstName: 'Eva', Email: 'eva@acme.example' }),
    201,
  );
  const [known] = (await find('userName eq "e-7"')).Resources;
  assert.deepEqual(
    [known.userName, known.name.givenName, known.emails[0].value],
    ['E-7', 'Eva', 'eva@acme.example'],
  );
  expectStatus(
    await scim('PATCH', `/Users/${known.id}`, patch({ op: 'Add', path: 'name.familyName', value: 'Elm' })),
    200,
  );
  assert.equal((await user(tenant, 'E-7')).LastName, 'Elm');
});

for (const [name, exchanges] of Object.entries(dialects))
  test(`the requests of ${name} are understood`, async () => {
    const { tenant, scim, create } = await directory();
    const ids: Record<string, string> = { boss: (await create('boss')).id };
    const filled = <T>(value: T): T =>
      JSON.parse(JSON.stringify(value ?? null).replace(/\{(user|boss|group)\}/g, (_, id) => ids[id] ?? id));
    const path = (text: string) =>
      text.replace(/(?:\{|%7B)(user|boss|group)(?:\}|%7D)/g, (_, id) => ids[id] ?? id);
    const type = name === 'google' ? 'application/json' : undefined;
    for (const { send, status, ...expected } of exchanges) {
      const [method, address, body] = send;
      const reply = await scim(method, path(address), body && filled(body), type);
      const what = `${method} ${address}: ${JSON.stringify(reply.body)}`;
      assert.equal(reply.status, status, what);
      if (status === 201) ids[address === '/Users' ? 'user' : 'group'] = reply.body.id;
      if (expected.total !== undefined) assert.equal(reply.body.totalResults, expected.total, what);
      if (expected.user) {
        const known = await user(tenant, name === 'authentik' ? 'kim' : 'kim@acme.example');
        for (const [field, value] of Object.entries(expected.user))
          assert.deepEqual(known[field], value, `${field} after ${what}`);
      }
      if (expected.members) {
        const group = await scim('GET', `/Groups/${ids.group}`);
        const logins = group.body.members.map(({ display }: { display: string }) => display);
        assert.deepEqual(logins, expected.members, what);
      }
    }
  });

// developer.okta.com/standards/SCIM/SCIMFiles/Okta-SCIM-20-SPEC-Test.json, exported on 13 May 2024, step by step.
test("Okta's specification test of SCIM 2.0 passes", async () => {
  const { scim, create } = await directory();
  await create('first', {
    name: { givenName: 'Fay', familyName: 'First' },
    emails: [{ value: 'fay@acme.example', primary: true }],
  });
  const list = (await scim('GET', '/Users?count=1&startIndex=1')).body;
  assert.deepEqual(list.schemas, ['urn:ietf:params:scim:api:messages:2.0:ListResponse']);
  for (const name of ['itemsPerPage', 'startIndex', 'totalResults'])
    assert.equal(typeof list[name], 'number', name);
  const [known] = list.Resources;
  const read = (await scim('GET', `/Users/${known.id}`)).body;
  for (const one of [known, read])
    for (const value of [one.id, one.name.familyName, one.name.givenName, one.userName, one.emails[0].value])
      assert.ok(value);
  assert.deepEqual([known.active, read.id], [true, known.id]);
  const filtered = (name: string) =>
    scim('GET', `/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`);
  for (const name of ['abcdefgh@atko.example', 'quinn@atko.example']) {
    const { status, body } = await filtered(name);
    assert.deepEqual([status, body.totalResults, body.schemas], [200, 0, list.schemas]);
  }
  for (const id of ['010101001010101011001010101011', '00919288221112222']) {
    const { status, body } = await scim('GET', `/Users/${id}`);
    assert.deepEqual([status, body.status], [404, '404']);
    assert.ok(body.detail);
    assert.deepEqual(body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error']);
  }
  const quinn = {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    ...{ userName: 'quinn@atko.example', name: { givenName: 'Quinn', familyName: 'Quick' }, active: true },
    emails: [{ primary: true, value: 'quinn@atko.example', type: 'work' }],
    displayName: 'Quinn Quick',
  };
  const made = await scim('POST', '/Users', quinn, 'application/json');
  expectStatus(made, 201);
  const again = await scim('GET', `/Users/${made.body.id}`);
  for (const { body } of [made, again]) {
    assert.deepEqual([body.userName, body.active, body.name], [quinn.userName, true, quinn.name]);
    assert.ok(body.schemas.includes(quinn.schemas[0]));
  }
  expectStatus(await scim('POST', '/Users', quinn, 'application/json'), 409);
  assert.equal((await filtered('QUINN@ATKO.EXAMPLE')).body.totalResults, 1);
  const groups = (await scim('GET', '/Groups')).body;
  assert.deepEqual([groups.totalResults, groups.Resources], [0, []]);
  const stranger = await service.api('GET', '/scim/v2/Users', undefined, '', { authorization: 'non-token' });
  assert.deepEqual([stranger.status, stranger.body.status], [401, '401']);
  assert.ok(stranger.body.detail);
});

test('what is not sent stays, and a manager is an object or a text', async () => {
  const { tenant, scim, create } = await directory();
  await create('boss');
  const { id } = await create('kim', { name: { givenName: 'Kim', familyName: 'K' } });
  const change = async (...operations: object[]) => {
    expectStatus(await scim('PATCH', `/Users/${id}`, patch(...operations)), 200);
    return user(tenant, 'kim');
  };
  const value = { 'name.familyName': 'Kay', [enterprise]: { manager: { value: 'boss' } } };
  const keys = await change({ op: 'replace', value });
  assert.deepEqual([keys.FirstName, keys.LastName, keys.ManagerLoginID], ['Kim', 'Kay', 'boss']);
  assert.equal((await change({ op: 'add', path: 'name', value: { givenName: 'Kimi' } })).LastName, 'Kay');
  assert.equal((await change({ op: 'replace', value: { nickName: 'K' } })).Enabled, true);
  assert.equal((await scim('GET', `/Users/${id}`)).body.nickName, 'K');
  assert.equal((await change({ op: 'remove', path: 'name.givenName' })).FirstName, null);
});

test('a PATCH is applied whole or not at all, and errors are in the format of SCIM', async () => {
  const { tenant, scim, create } = await directory();
  const { id } = await create('lee', { name: { givenName: 'Lee' } });
  for (const [operations, scimType] of [
    [
      [
        { op: 'replace', path: 'name.givenName', value: 'X' },
        { op: 'jump', path: 'a' },
      ],
      'invalidSyntax',
    ],
    [
      [
        { op: 'replace', path: 'name.givenName', value: 'X' },
        { op: 'replace', path: 'active', value: 'maybe' },
      ],
      'invalidValue',
    ],
    [
      [
        { op: 'replace', path: 'name.givenName', value: 'X' },
        { op: 'replace', path: 'emails[type eq', value: 'x' },
      ],
      'invalidPath',
    ],
    [[{ op: 'remove' }], 'noTarget'],
  ] as const) {
    const reply = await scim('PATCH', `/Users/${id}`, patch(...operations));
    assert.deepEqual([reply.status, reply.body.scimType], [400, scimType], JSON.stringify(reply.body));
    assert.deepEqual(reply.body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error']);
    assert.match(reply.headers.get('content-type') ?? '', /^application\/scim\+json/);
  }
  assert.equal((await user(tenant, 'lee')).FirstName, 'Lee');
  const filtered = await scim('GET', '/Users?filter=shoeSize%20eq%201');
  assert.deepEqual([filtered.status, filtered.body.scimType], [400, 'invalidFilter']);
  assert.equal((await scim('POST', '/Users', {})).body.scimType, 'invalidValue');
  const page = (await scim('GET', '/Users?startIndex=1&count=0')).body;
  assert.deepEqual([page.totalResults, page.Resources], [1, []]);
  const without = await service.api('GET', '/scim/v2/Users', undefined, 'x'.repeat(40));
  assert.deepEqual([without.status, without.body.status], [401, '401']);
});

test('groups are filled and emptied by operations that answer 204', async () => {
  const { tenant, scim, create, find } = await directory();
  const [a, b, c] = [await create('a'), await create('b'), await create('c')];
  const made = await scim('POST', '/Groups', {
    displayName: 'Sales',
    externalId: 'g1',
    members: [{ value: a.id }],
  });
  expectStatus(made, 201);
  const { id } = made.body;
  const change = async (...operations: object[]) =>
    expectStatus(await scim('PATCH', `/Groups/${id}`, patch(...operations)), 204);
  const members = async () =>
    (await scim('GET', `/Groups/${id}`)).body.members.map(({ display }: { display: string }) => display);
  await change({ op: 'Add', path: 'members', value: [{ value: b.id }, { value: c.id }, { value: b.id }] });
  assert.deepEqual(await members(), ['a', 'b', 'c']);
  // With values, a removal removes only these.
  await change({ op: 'Remove', path: 'members', value: [{ value: b.id }] });
  await change({ op: 'remove', path: `members[value eq "${c.id}"]` });
  assert.deepEqual(await members(), ['a']);
  await change({
    op: 'replace',
    value: { displayName: 'Ahead', members: [{ value: b.id }, { value: c.id }] },
  });
  assert.deepEqual(await members(), ['b', 'c']);
  assert.equal((await user(tenant, 'b')).GroupName, 'Ahead');
  assert.equal((await user(tenant, 'a')).GroupName, null);
  expectStatus(await scim('POST', '/Groups', { displayName: 'Aardvarks', members: [{ value: b.id }] }), 201);
  assert.deepEqual(
    [(await user(tenant, 'b')).GroupName, (await user(tenant, 'b')).Groups],
    ['Aardvarks', ['Aardvarks', 'Ahead']],
  );
  assert.equal((await scim('GET', `/Users/${b.id}`)).body.groups.length, 2);
  assert.equal((await find(`id eq "${id}" and members eq "${b.id}"`, '/Groups')).totalResults, 1);
  assert.equal((await find(`displayName eq "AHEAD"`, '/Groups')).Resources[0].members, undefined);
  assert.equal((await scim('GET', `/Groups/${id}?excludedAttributes=members`)).body.members, undefined);
  const wrong = await scim(
    'PATCH',
    `/Groups/${id}`,
    patch({ op: 'add', path: 'members', value: [{ value: 'x' }] }),
  );
  assert.deepEqual([wrong.status, wrong.body.scimType], [400, 'invalidValue']);
  expectStatus(await scim('DELETE', `/Groups/${id}`), 204);
  assert.deepEqual((await user(tenant, 'b')).Groups, ['Aardvarks']);
});

test('a key that expires within 30 days is reported', async () => {
  const { tenant } = await directory();
  const add = (Name: string, days: number) => {
    const ExpiresAt = new Date(Date.now() + days * 86_400_000).toISOString();
    const body = { Name, Scopes: ['scim:write'], ExpiresAt };
    return service.api('POST', `/tenant/${tenant.TenantID}/key`, body);
  };
  for (const [name, days] of [
    ['soon', 20],
    ['later', 40],
  ] as const)
    expectStatus(await add(name, days), 201);
  const { Keys } = (await tenant.api('GET', '/provisioning')).body;
  const expiring = Keys.filter(({ Expiring }: { Expiring: boolean }) => Expiring);
  assert.deepEqual(
    expiring.map(({ Name }: { Name: string }) => Name),
    ['soon'],
  );
});

test('the service describes itself', async () => {
  const { scim } = await directory();
  assert.equal((await scim('GET', '/ServiceProviderConfig')).body.patch.supported, true);
  assert.equal((await scim('GET', '/Schemas')).body.totalResults, 3);
  assert.equal((await scim('GET', `/Schemas/${enterprise}`)).body.name, 'EnterpriseUser');
  assert.deepEqual((await scim('GET', '/ResourceTypes/User')).body.endpoint, '/Users');
});

test('a deactivation ends launches, and one tenant never reaches another', async () => {
  const { tenant, scim, create } = await directory();
  const other = await directory();
  const { id } = await create('max');
  const course = await newCourse(service);
  const { LaunchURL } = (await tenant.api('POST', `/enrol/max/${course}`)).body;
  const click = async () => (await fetch(LaunchURL, { redirect: 'manual' })).status;
  assert.equal(await click(), 303);
  for (const [method, body] of [
    ['GET'],
    ['DELETE'],
    ['PATCH', patch({ op: 'replace', path: 'active', value: false })],
    ['PUT', { userName: 'x' }],
  ] as const)
    expectStatus(await other.scim(method, `/Users/${id}`, body), 404);
  const group = await other.scim('POST', '/Groups', { displayName: 'x', members: [{ value: id }] });
  expectStatus(group, 400);
  expectStatus(
    await scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false })),
    200,
  );
  assert.equal(await click(), 403);
});

test('the guard stops a sync that disables too many users, and a dry run changes nothing', async () => {
  const { tenant, scim, create } = await directory();
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push((await create(`p${n}`)).id);
  const off = (id = '') =>
    scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
  const tried = async () => (await tenant.api('GET', '/provisioning/test')).body;
  assert.deepEqual([(await tried()).Passed, (await tried()).Steps.length], [true, 4]);
  expectStatus(await tenant.api('PUT', '/provisioning', { Mode: 'dry_run' }), 200);
  expectStatus(await off(ids[0]), 200);
  expectStatus(await scim('POST', '/Users', { userName: 'dry' }), 201);
  assert.equal((await user(tenant, 'p0')).Enabled, true);
  expectProblem(await tenant.api('GET', '/user/dry'), 404, 'user_not_found');
  assert.equal((await tenant.api('GET', '/provisioning/log')).body.Items[0].DryRun, true);
  expectStatus(await tenant.api('PUT', '/provisioning', { Mode: 'live' }), 200);
  for (const id of ids.slice(0, 3)) expectStatus(await off(id), 200);
  const stopped = await off(ids[3]);
  assert.equal(stopped.status, 403);
  assert.match(stopped.body.detail, /confirm/);
  assert.equal((await user(tenant, 'p3')).Enabled, true);
  assert.ok((await tenant.api('GET', '/provisioning')).body.StoppedAt);
  const failed = (await tried()).Steps.at(-1);
  assert.deepEqual([failed.Step, failed.Passed], ['answers', false]);
  assert.match(failed.Detail, /answered with 403: This sync would disable/);
  const confirmed = await tenant.api('POST', '/provisioning/confirm');
  assert.deepEqual([confirmed.status, confirmed.body.StoppedAt], [200, null]);
  expectStatus(await off(ids[3]), 200);
});

test("an administrator's address can be changed only with users:admin", async () => {
  const { tenant, scim, find } = await directory();
  expectStatus(
    await tenant.api('POST', '/user', { LoginID: 'chief', IsAdmin: true, Email: 'chief@acme.example' }),
    201,
  );
  const { id } = (await find('userName eq "chief"')).Resources[0];
  const moved = await scim(
    'PATCH',
    `/Users/${id}`,
    patch({ op: 'replace', path: 'emails', value: [{ value: 'evil@acme.example' }] }),
  );
  expectStatus(moved, 403);
  expectStatus(
    await scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: 'False' })),
    200,
  );
});
