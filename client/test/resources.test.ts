import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { newCourse, newTenant, type TestTenant, unique } from '../../server/test/support/tenant.ts';
import { createLectern, type Lectern, LecternError } from '../src/index.ts';

let service: TestService;
let tenant: TestTenant;
let lectern: Lectern;
let operator: Lectern;
let CourseID: string;

before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  tenant = await newTenant(service);
  lectern = createLectern({ baseUrl: service.baseUrl, key: tenant.key });
  operator = createLectern({ baseUrl: service.baseUrl, key: service.operatorKey });
  CourseID = await newCourse(service);
});
after(() => service.close());

const refusal = (code: string, status: number) => (error: unknown) =>
  error instanceof LecternError && error.code === code && error.status === status;

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const rows: T[] = [];
  for await (const row of list) rows.push(row);
  return rows;
}

test('users are created, read, changed, listed across pages and erased', async () => {
  const GroupName = unique('group');
  const logins = [unique('a/b c'), unique('d')].sort();
  for (const LoginID of logins) await lectern.users.create({ LoginID, GroupName, FirstName: 'Ada' });
  const [LoginID = ''] = logins;
  assert.equal((await lectern.users.update(LoginID, { LastName: 'Lovelace' })).LastName, 'Lovelace');
  assert.equal((await lectern.users.get(LoginID)).LastName, 'Lovelace');
  const listed = await all(lectern.users.list({ GroupName, Limit: 1 }));
  assert.deepEqual(
    listed.map((user) => user.LoginID),
    logins,
  );
  assert.ok((await all(lectern.users.list())).length >= 2);
  await lectern.users.delete(LoginID, { Plan: true });
  await lectern.users.get(LoginID);
  await lectern.users.delete(LoginID);
  await assert.rejects(lectern.users.get(LoginID), refusal('user_not_found', 404));
});

test('enrolments are created, found by person, changed and withdrawn', async () => {
  const LoginID = await tenant.user({ FirstName: 'Víctor', LastName: 'Müller' });
  const { EnrollID, Status } = await lectern.enrolments.create(LoginID, CourseID, { Reference: 'order 7' });
  assert.equal(Status, 'enrolled');
  const found = await all(lectern.enrolments.list({ Search: 'muller vic' }));
  assert.deepEqual(
    found.map((enrolment) => enrolment.EnrollID),
    [EnrollID],
  );
  await lectern.enrolments.update(LoginID, EnrollID, { Withdrawn: true });
  assert.equal((await lectern.enrolments.get(LoginID, EnrollID)).Status, 'withdrawn');
});

test("the operator's courses, and those offered to a tenant", async () => {
  const id = unique('course');
  await operator.courses.create(id, { Title: 'Ladders', URL: 'https://web.example/' });
  assert.equal((await operator.courses.update(id, { Title: 'Ladder safety' })).Title, 'Ladder safety');
  assert.equal((await operator.courses.get(id)).CourseID, id);
  const ids = (await all(operator.courses.list({ Search: 'Ladder safety' }))).map(
    (course) => course.CourseID,
  );
  assert.deepEqual(ids, [id]);
  const offered = await all(lectern.courses.offered());
  assert.ok(offered.some((course) => course.CourseID === CourseID));
  await operator.courses.delete(id);
  await assert.rejects(operator.courses.get(id), refusal('course_not_found', 404));
});

test('enrolment keys are issued, read by the key or its KeyID, listed and revoked', async () => {
  const PurchaseOrder = unique('order');
  const { Items } = await lectern.keys.create({
    CourseIDs: [CourseID],
    DurationIDs: ['standard'],
    Quantity: 2,
    PurchaseOrder,
  });
  const [{ Key, KeyID } = { Key: '', KeyID: '' }] = Items;
  assert.equal((await lectern.keys.get(Key)).KeyID, KeyID);
  assert.equal((await lectern.keys.delete(KeyID)).Status, 'revoked');
  const statuses = (await all(lectern.keys.list({ PurchaseOrder }))).map((key) => key.Status).sort();
  assert.deepEqual(statuses, ['available', 'revoked']);
});

test('webhooks are created, read, changed, listed and deleted', async () => {
  const { WebhookID } = await lectern.webhooks.create({ URL: 'http://127.0.0.1:9/' });
  const Types = ['user.created'] as const;
  assert.deepEqual((await lectern.webhooks.update(WebhookID, { Types: [...Types] })).Types, Types);
  assert.equal((await lectern.webhooks.get(WebhookID)).URL, 'http://127.0.0.1:9/');
  assert.deepEqual(
    (await all(lectern.webhooks.list())).map((webhook) => webhook.WebhookID),
    [WebhookID],
  );
  await lectern.webhooks.delete(WebhookID);
  await assert.rejects(lectern.webhooks.get(WebhookID), refusal('webhook_not_found', 404));
});

test('invitations are created, read, listed and revoked', async () => {
  const LoginID = await tenant.user();
  const { InvitationURL } = await lectern.invitations.create({ LoginID });
  assert.match(String(InvitationURL), /^http/);
  assert.equal((await lectern.invitations.get(LoginID)).Status, 'pending');
  const pending = await all(lectern.invitations.list({ Status: 'pending' }));
  assert.deepEqual(
    pending.map((invitation) => invitation.LoginID),
    [LoginID],
  );
  await lectern.invitations.delete(LoginID);
  assert.deepEqual(await all(lectern.invitations.list({ Status: 'pending' })), []);
});

test('wrong fields and parameters are compile-time errors', async () => {
  const refused = refusal('unknown_field', 422);
  const LoginID = unique('x');
  // @ts-expect-error: there is no such field.
  const create = () => lectern.users.create({ LoginID, Nickname: 'x' });
  // @ts-expect-error: there is no such filter.
  const list = () => all(lectern.users.list({ Nickname: 'x' }));
  await assert.rejects(create, refused);
  await assert.rejects(list, refused);
});
