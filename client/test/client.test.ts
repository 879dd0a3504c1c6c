import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newCourse, newTenant, type TestTenant, unique } from '../../server/test/support/tenant.ts';
import { createLectern, type Lectern, LecternError, withReturn } from '../src/index.ts';

let service: TestService;
let tenant: TestTenant;
let lectern: Lectern;

before(async () => {
  service = await startService();
  tenant = await newTenant(service);
  lectern = createLectern({ baseUrl: `${service.baseUrl}/`, key: tenant.key });
});
after(() => service.close());

const refusal = (code: string, status: number) => (error: unknown) =>
  error instanceof LecternError && error.code === code && error.status === status;

test('calls return records, even for identifiers that need encoding', async () => {
  const LoginID = unique('å+b/c d@example.com');
  const user = await lectern.post('/user', { body: { LoginID, FirstName: 'Ada' } });
  assert.deepEqual([user.LoginID, user.FirstName], [LoginID, 'Ada']);
  const params = { path: { LoginID } };
  await lectern.put('/user/{LoginID}', { params, body: { GroupName: 'R&D' } });
  assert.equal((await lectern.get('/user/{LoginID}', { params })).GroupName, 'R&D');
  const receipt = await lectern.delete('/user/{LoginID}', { params });
  assert.equal(typeof receipt, 'object');
});

test('an error response becomes a LecternError with all details', async () => {
  const LoginID = await tenant.user({ FirstName: 'Ada' });
  await assert.rejects(lectern.post('/user', { body: { LoginID, FirstName: 'Eve' } }), (error) => {
    assert.ok(error instanceof LecternError);
    assert.deepEqual([error.code, error.status], ['user_exists', 409]);
    assert.ok(error.detail.length > 10 && error.message.includes(error.detail));
    assert.match(error.requestId ?? '', /^[\w-]{36}$/);
    assert.ok(error.members.differs);
    return true;
  });
  const wrong = { LoginID: '' } as { LoginID: string };
  await assert.rejects(lectern.post('/user', { body: wrong }), (error) => {
    assert.ok(error instanceof LecternError);
    assert.deepEqual([error.status, error.param], [422, 'LoginID']);
    return true;
  });
  const stranger = createLectern({ baseUrl: service.baseUrl, key: 'x'.repeat(43) });
  await assert.rejects(stranger.get('/user'), refusal('unauthorized', 401));
});

test("an operator's key acts on the named tenant", async () => {
  const LoginID = await tenant.user();
  const { operatorKey: key, baseUrl } = service;
  const operator = createLectern({ baseUrl, key, tenant: tenant.TenantID });
  assert.equal((await operator.get('/user/{LoginID}', { params: { path: { LoginID } } })).LoginID, LoginID);
  const other = createLectern({ baseUrl, key, tenant: 'test' });
  await assert.rejects(
    other.get('/user/{LoginID}', { params: { path: { LoginID } } }),
    refusal('user_not_found', 404),
  );
});

test('lists are async iterators across all pages', async () => {
  const GroupName = unique('group');
  const made = [
    await tenant.user({ GroupName }),
    await tenant.user({ GroupName }),
    await tenant.user({ GroupName }),
  ];
  const seen: string[] = [];
  const query = { GroupName, Limit: 2 };
  for await (const user of lectern.items('/user', { params: { query } })) seen.push(user.LoginID);
  assert.deepEqual(seen, made.sort());
  const sizes: number[] = [];
  for await (const page of lectern.pages('/user', { params: { query } })) sizes.push(page.Items.length);
  assert.deepEqual(sizes, [2, 1]);
  for await (const _ of lectern.items('/user')) break;
});

test('the event log can be read to its end and continued from its cursor', async () => {
  const reader = await newTenant(service);
  const own = createLectern({ baseUrl: service.baseUrl, key: reader.key });
  const read = async (after: string | null) => {
    const types: string[] = [];
    let cursor = after;
    const query = { Limit: 1, ...(after === null ? {} : { after }) };
    for await (const page of own.pages('/events', { params: { query } })) {
      types.push(...page.Items.map(({ Type }) => Type));
      cursor = page.NextCursor;
    }
    return { types, cursor };
  };
  await reader.user();
  const LoginID = await reader.user();
  const first = await read(null);
  assert.deepEqual(first.types, ['user.created', 'user.created']);
  await reader.api('PUT', `/user/${LoginID}`, { FirstName: 'Ada' });
  assert.deepEqual((await read(first.cursor)).types, ['user.updated']);
});

test('the caller chooses one of several enrolment options', async () => {
  const courseId = await newCourse(service, {}, { month: { Duration: 'P30D' }, year: { Duration: 'P365D' } });
  const LoginID = await tenant.user();
  await assert.rejects(lectern.enrol(LoginID, courseId), refusal('multiple_enrolment_options', 409));
  await assert.rejects(
    lectern.enrol(LoginID, courseId, { choose: () => null }),
    refusal('multiple_enrolment_options', 409),
  );
  const chosen = await lectern.enrol(LoginID, courseId, {
    Reference: 'order 7',
    choose: (options) => options.find(({ Duration }) => Duration === 'P365D')?.DurationID ?? null,
  });
  assert.deepEqual([chosen.DurationID, chosen.Reference], ['year', 'order 7']);
  const named = await lectern.enrol(await tenant.user(), courseId, { durationId: 'month' });
  assert.equal(named.DurationID, 'month');
  const single = await lectern.enrol(LoginID, await newCourse(service));
  assert.equal(single.DurationID, 'standard');
});

test('a return URL keeps its own query string', async () => {
  const LoginID = await tenant.user();
  const { EnrollID, LaunchURL } = await lectern.enrol(LoginID, await newCourse(service));
  const params = { path: { LoginID, EnrollID } };
  await lectern.put('/enrolment/{LoginID}/{EnrollID}', { params, body: { Withdrawn: true } });
  const back = 'https://shop.example/done?order=7&step=2#top';
  const page = await (await fetch(withReturn(LaunchURL, back))).text();
  assert.ok(page.includes(`href="${back.replaceAll('&', '&amp;')}"`), page);
  assert.throws(() => withReturn(LaunchURL, 'javascript:alert(1)'), TypeError);
  assert.throws(() => withReturn(LaunchURL, '/done'), TypeError);
});

test('rows are sent in chunks of a thousand, and an invalid row does not affect others', async () => {
  const prefix = unique('bulk');
  async function* rows() {
    for (let row = 1; row <= 1_200; row++) yield row === 1_100 ? {} : { LoginID: `${prefix}-${row}` };
  }
  const results = [];
  for await (const result of lectern.bulk('/user/bulk', rows())) results.push(result);
  assert.deepEqual(
    results.map(({ Row }) => Row),
    Array.from({ length: 1_200 }, (_, index) => index + 1),
  );
  const refused = results.filter(({ Status }) => Status !== 201);
  assert.deepEqual(
    refused.map(({ Row, Status, code }) => [Row, Status, code]),
    [[1_100, 422, 'validation_failed']],
  );
  const LoginID = unique('planned');
  for await (const { Plan } of lectern.bulk('/user/bulk', [{ LoginID }], { plan: true }))
    assert.equal(Plan, 'created');
  await assert.rejects(
    lectern.get('/user/{LoginID}', { params: { path: { LoginID } } }),
    refusal('user_not_found', 404),
  );
});

test('responses that are not JSON are read through the underlying client', async () => {
  const GroupName = unique('group');
  const LoginID = await tenant.user({ GroupName });
  const { data } = await lectern.api.GET('/user', {
    params: { query: { GroupName } },
    headers: { Accept: 'text/csv' },
    parseAs: 'text',
  });
  const [names, row] = (data ?? '').split('\r\n');
  assert.ok(names?.startsWith('LoginID,FirstName'));
  assert.ok(row?.startsWith(`${LoginID},`));
  const params = { path: { LoginID: 'nobody' } };
  await assert.rejects(lectern.api.GET('/user/{LoginID}', { params }), refusal('user_not_found', 404));
});
