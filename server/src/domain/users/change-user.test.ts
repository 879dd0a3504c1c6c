import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { allPages, expectProblem, expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const { api, user, events } = await newTenant(service);

test('PUT changes the fields sent, keeps the others, and reports what changed', async () => {
  const LoginID = await user({ FirstName: 'Ann', LastName: 'Lee', GroupName: 'A', IsAdmin: true });
  const before = (await api('GET', `/user/${LoginID}`)).body;
  const changed = await api('PUT', `/user/${LoginID}`, { GroupName: 'B' });
  expectStatus(changed, 200);
  assert.deepEqual(
    { ...changed.body, UpdatedAt: '' },
    { ...before, GroupName: 'B', Groups: ['B'], UpdatedAt: '' },
  );
  assert.deepEqual((await api('GET', `/user/${LoginID}`)).body, changed.body);
  const [, reported, ...more] = await events({ LoginID });
  assert.equal(reported?.type, 'user.updated');
  assert.deepEqual(reported?.data, { LoginID, Changed: ['GroupName'] });
  assert.deepEqual(more, []);
});

test('repeating a PUT changes nothing and writes no event', async () => {
  const LoginID = await user();
  await api('PUT', `/user/${LoginID}`, { FirstName: 'Bo' });
  const reported = (await events({ LoginID })).length;
  expectStatus(await api('PUT', `/user/${LoginID}`, { FirstName: 'Bo' }), 200);
  expectStatus(await api('PUT', `/user/${LoginID}`, {}), 200);
  assert.equal((await events({ LoginID })).length, reported);
});

test('null clears a text field and resets a flag to its default', async () => {
  const LoginID = await user({
    FirstName: 'Ann',
    Email: 'a@b',
    IsAdmin: true,
    Register: true,
    Enabled: false,
  });
  const { body } = await api('PUT', `/user/${LoginID}`, {
    FirstName: null,
    Email: null,
    IsAdmin: null,
    Register: null,
    Enabled: null,
  });
  const { FirstName, Email, IsAdmin, Register, Enabled } = body;
  assert.deepEqual([FirstName, Email, IsAdmin, Register, Enabled], [null, null, false, false, true]);
});

test('a LoginID in the body must match the path', async () => {
  const LoginID = await user();
  expectStatus(await api('PUT', `/user/${LoginID}`, { LoginID, FirstName: 'x' }), 200);
  const refused = await api('PUT', `/user/${LoginID}`, { LoginID: `${LoginID}x`, FirstName: 'y' });
  expectProblem(refused, 422, 'login_id_immutable', 'LoginID');
  assert.equal((await api('GET', `/user/${LoginID}`)).body.FirstName, 'x');
});

test('an invalid PUT is rejected and changes nothing', async () => {
  const LoginID = await user({ FirstName: 'Ann' });
  expectProblem(await api('PUT', `/user/${LoginID}`, { Frist: 'x' }), 422, 'unknown_field', 'Frist');
  expectProblem(
    await api('PUT', `/user/${LoginID}`, { FirstName: 1 }),
    422,
    'validation_failed',
    'FirstName',
  );
  expectProblem(await api('PUT', '/user/nobody', { FirstName: 'x' }), 404, 'user_not_found', 'LoginID');
  expectProblem(await api('GET', '/user/nobody'), 404, 'user_not_found', 'LoginID');
  const other = await newTenant(service);
  expectProblem(await other.api('PUT', `/user/${LoginID}`, { FirstName: 'x' }), 404, 'user_not_found');
  assert.equal((await api('GET', `/user/${LoginID}`)).body.FirstName, 'Ann');
});

test('disabling a user has its own event', async () => {
  const LoginID = await user();
  await api('PUT', `/user/${LoginID}`, { Enabled: false });
  await api('PUT', `/user/${LoginID}`, { Enabled: false });
  await api('PUT', `/user/${LoginID}`, { Enabled: true });
  const types = (await events({ LoginID })).map(({ type }) => type).sort();
  assert.deepEqual(types, ['user.created', 'user.disabled', 'user.updated', 'user.updated']);
  assert.equal((await api('GET', `/user/check/${LoginID}`)).body.Result, 1);
});

test('the list can be filtered by group, email address, status and a part of a name', async () => {
  const group = unique('group');
  const ann = await user({ GroupName: group, Email: `${group}@Example.ORG`, FirstName: '100%_a\\b' });
  const bob = await user({ GroupName: group, Enabled: false, LastName: 'ÄRGER' });
  const ids = async (query: string) =>
    (await api('GET', `/user?${query}`)).body.Items.map((item: { LoginID: string }) => item.LoginID);
  const text = (value: string) => encodeURIComponent(value);
  assert.deepEqual(await ids(`GroupName=${group}`), [ann, bob]);
  assert.deepEqual(await ids(`GroupName=${group}&Enabled=false`), [bob]);
  assert.deepEqual(await ids(`GroupName=${group}&Enabled=true`), [ann]);
  assert.deepEqual(await ids(`Email=${group}@example.org`), [ann]);
  assert.deepEqual(await ids(`GroupName=${group}&Search=${text('100%_A\\B')}`), [ann]);
  assert.deepEqual(await ids(`GroupName=${group}&Search=${text('100%')}`), [ann]);
  assert.deepEqual(await ids(`GroupName=${group}&Search=${text('_')}`), [ann]);
  assert.deepEqual(await ids(`GroupName=${group}&Search=${text('1_0')}`), []);
  assert.equal((await ids(`Search=${text(bob)}`))[0], bob);
  assert.deepEqual(await ids(`GroupName=${group.toUpperCase()}`), []);
});

test('an email address with non-ASCII letters is found exactly as it was written', async () => {
  const Email = 'JÖRG@ÄRGER.example';
  const LoginID = await user({ Email });
  const { body } = await api('GET', `/user?Email=${encodeURIComponent(Email)}`);
  assert.deepEqual(
    body.Items.map((item: { LoginID: string }) => item.LoginID),
    [LoginID],
  );
});

test('the pages contain each user once, and each page indicates whether another one follows', async () => {
  const own = await newTenant(service);
  const made = ['b', 'A', 'ä', 'Z', '10', '9', 'a', '😀', 'é'];
  for (const LoginID of made) await own.api('POST', '/user', { LoginID });
  for (const limit of [1, 2, 3, 8, 9, 10]) {
    const { items, pages } = await allPages((address) => own.api('GET', address), '/user', limit);
    assert.deepEqual(items.map(({ LoginID }) => LoginID).sort(), [...made].sort());
    assert.equal(pages, Math.ceil(made.length / limit));
  }
});

test('a list rejects unknown filters and values', async () => {
  for (const [query, code, param] of [
    ['Limit=0', 'validation_failed', 'Limit'],
    ['Limit=201', 'validation_failed', 'Limit'],
    ['Limit=abc', 'validation_failed', 'Limit'],
    ['Limit=1&Limit=2', 'validation_failed', 'Limit'],
    ['Cursor=nonsense', 'validation_failed', 'Cursor'],
    ['Enabled=maybe', 'validation_failed', 'Enabled'],
    ['groupname=x', 'unknown_field', 'groupname'],
  ] as const)
    expectProblem(await api('GET', `/user?${query}`), 422, code, param);
  expectStatus(await api('GET', '/user?Limit=200'), 200);
});
