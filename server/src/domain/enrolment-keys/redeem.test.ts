import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode, serve } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  unique,
  withoutNames,
} from '../../../test/support/tenant.ts';
import { newKey, showKey } from './key-text.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const tenant = await newTenant(service);
const { api, user, events, TenantID } = tenant;

async function newKeys(fields: Record<string, unknown> = {}, courses?: string[]) {
  const CourseIDs = courses ?? [await newCourse(service)];
  const DurationIDs = CourseIDs.map(() => 'standard');
  const reply = await api('POST', '/enrolment/key', { CourseIDs, DurationIDs, ...fields });
  expectStatus(reply, 201);
  return reply.body.Items as { Key: string; KeyID: string; CourseIDs: string[] }[];
}

async function newKeyOf(fields: Record<string, unknown> = {}, courses?: string[]) {
  const [key] = await newKeys(fields, courses);
  assert.ok(key);
  return key;
}

const redeem = (LoginID: string, key: string, body?: object) =>
  api('POST', `/enrol/key/${LoginID}/${encodeURIComponent(key)}`, body);
const enrolmentsOf = async (LoginID: string) =>
  (await api('GET', `/enrolment/${LoginID}?Include=LaunchURL`)).body.Items.map(withoutNames);

test('a key enrols the user on all of its courses once and writes events', async () => {
  const courses = [await newCourse(service), await newCourse(service)];
  const { Key, KeyID } = await newKeyOf({ PurchaseOrder: 'PO 7' }, courses);
  const LoginID = await user();
  const reply = await redeem(LoginID, Key.toLowerCase().replaceAll('-', ' '));
  expectStatus(reply, 201);
  assert.equal(reply.body.KeyID, KeyID);
  assert.deepEqual(
    reply.body.Enrolments.map(({ CourseID }: { CourseID: string }) => CourseID),
    courses,
  );
  assert.deepEqual(reply.body.Enrolments, await enrolmentsOf(LoginID));
  const EnrollIDs = reply.body.Enrolments.map(({ EnrollID }: { EnrollID: string }) => EnrollID);
  const reported = await events({ LoginID });
  assert.deepEqual(reported.map(({ type }) => type).sort(), [
    'enrolment.created',
    'enrolment.created',
    'key.redeemed',
    'user.created',
  ]);
  assert.deepEqual(reported.find(({ type }) => type === 'key.redeemed')?.data, {
    KeyID,
    PurchaseOrder: 'PO 7',
    EnrollIDs,
  });
  const { body } = await api('GET', `/enrolment/key/${KeyID}`);
  assert.deepEqual(
    [body.Status, body.RedeemedBy, body.EnrollIDs, body.RedeemedAt],
    ['redeemed', LoginID, EnrollIDs, reply.body.RedeemedAt],
  );
  const again = await redeem(LoginID, Key);
  expectStatus(again, 200);
  assert.deepEqual(again.body, reply.body);
  assert.equal((await events({ LoginID })).length, reported.length);
  expectProblem(await redeem(await user(), Key), 409, 'key_redeemed', 'Key');
});

test('guesses with an Idempotency-Key count, and a rejected guess changes nothing else', async () => {
  const LoginID = await user();
  const guess = (key: string, header: string) =>
    api('POST', `/enrol/key/${LoginID}/${encodeURIComponent(key)}`, {}, { 'idempotency-key': header });
  const [first, second] = [await newCourse(service), await newCourse(service)];
  const { Key } = await newKeyOf({ Group: 'Acme' }, [first, second]);
  await service.api('PUT', `/course/${second}`, { Status: 'retired' });
  for (const replayed of [null, 'true']) {
    const refused = await guess(Key, `${LoginID} refused`);
    expectProblem(refused, 409, 'course_retired');
    assert.equal(refused.headers.get('idempotency-replayed'), replayed);
  }
  assert.deepEqual(await enrolmentsOf(LoginID), []);
  assert.equal((await api('GET', `/user/${LoginID}`)).body.GroupName, null);
  for (let n = 0; n < 10; n++) expectStatus(await guess(showKey(newKey()), `${LoginID} ${n}`), 404);
  expectStatus(await guess(showKey(newKey()), `${LoginID} 10`), 429);
});

test('when many users redeem one key on two nodes at the same time, only one succeeds', async () => {
  const { Key } = await newKeyOf({}, [await newCourse(service), await newCourse(service)]);
  const users = await Promise.all(Array.from({ length: 12 }, () => user()));
  const nodes = [await serve(service.ctx), await serve(otherNode(service.ctx))];
  const replies = await Promise.all(
    users.map((LoginID, n) =>
      (nodes[n % 2] as (typeof nodes)[0]).api.inject({
        method: 'POST',
        url: `/enrol/key/${LoginID}/${Key}`,
        headers: { authorization: `Bearer ${tenant.key}` },
      }),
    ),
  );
  await Promise.all(nodes.map((node) => node.close()));
  const winners = users.filter((_, n) => replies[n]?.statusCode === 201);
  assert.equal(winners.length, 1);
  for (const reply of replies.filter(({ statusCode }) => statusCode !== 201))
    assert.deepEqual([reply.statusCode, reply.json().code], [409, 'key_redeemed']);
  for (const LoginID of users)
    assert.equal((await enrolmentsOf(LoginID)).length, winners.includes(LoginID) ? 2 : 0);
});

test('a user who redeems a key many times simultaneously is enrolled once', async () => {
  const { Key } = await newKeyOf();
  const LoginID = await user();
  const replies = await Promise.all(Array.from({ length: 8 }, () => redeem(LoginID, Key)));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
  assert.equal((await enrolmentsOf(LoginID)).length, 1);
  assert.equal((await events({ LoginID })).filter(({ type }) => type === 'enrolment.created').length, 1);
});

test('if enrolment on one course fails, no enrolment is created and the key stays unused', async () => {
  const [first, second] = [await newCourse(service), await newCourse(service)];
  const { Key, KeyID } = await newKeyOf({ Group: 'Acme' }, [first, second]);
  const LoginID = await user();
  await service.api('PUT', `/course/${second}`, { Status: 'retired' });
  expectProblem(await redeem(LoginID, Key), 409, 'course_retired');
  assert.deepEqual(await enrolmentsOf(LoginID), []);
  assert.equal((await api('GET', `/user/${LoginID}`)).body.GroupName, null);
  assert.equal((await api('GET', `/enrolment/key/${KeyID}`)).body.Status, 'available');
  await service.api('PUT', `/course/${second}`, { Status: 'published' });
  expectStatus(await redeem(LoginID, Key), 201);
});

test('a key stays unused if the user is already enrolled on one of its courses, unless IfEnrolled is sent', async () => {
  const course = await newCourse(service);
  const { Key, KeyID } = await newKeyOf({}, [course]);
  const LoginID = await user();
  const { EnrollID } = (await api('POST', `/enrol/${LoginID}/${course}`)).body;
  expectProblem(await redeem(LoginID, Key), 409, 'already_enrolled');
  assert.equal((await api('GET', `/enrolment/key/${KeyID}`)).body.Status, 'available');
  const reply = await redeem(LoginID, Key, { IfEnrolled: 'return' });
  expectStatus(reply, 201);
  assert.equal(reply.body.Enrolments[0].EnrollID, EnrollID);
});

test('a key can extend or renew a current enrolment once', async () => {
  const course = await newCourse(service, {}, { standard: { Duration: 'P30D' } });
  const [first, second] = await newKeys({ Quantity: 2 }, [course]);
  const LoginID = await user();
  const before = (await api('POST', `/enrol/${LoginID}/${course}`)).body;
  const extend = () => redeem(LoginID, first?.Key ?? '', { IfEnrolled: 'extend' });
  const replies = await Promise.all([extend(), extend(), extend()]);
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 201]);
  const [extended] = await enrolmentsOf(LoginID);
  assert.equal(Date.parse(extended.ExpiresAt) - Date.parse(before.ExpiresAt), 30 * 86_400_000);
  for (const { body } of replies) assert.deepEqual(body.Enrolments, [extended]);
  const renewed = await redeem(LoginID, second?.Key ?? '', { IfEnrolled: 'renew' });
  expectStatus(renewed, 201);
  assert.notEqual(renewed.body.Enrolments[0].EnrollID, before.EnrollID);
});

test('when two keys compete for the last seat, one gets it and the other remains valid', async () => {
  const full = await newCourse(service, {}, { standard: { Seats: 1 } });
  const keys = await newKeys({ Quantity: 2 }, [await newCourse(service), full]);
  const users = [await user(), await user()];
  const replies = await Promise.all(users.map((LoginID, n) => redeem(LoginID, keys[n]?.Key ?? '')));
  assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409]);
  const loser = replies.findIndex(({ status }) => status === 409);
  assert.deepEqual(await enrolmentsOf(users[loser] ?? ''), []);
  const key = (await api('GET', `/enrolment/key/${keys[loser]?.KeyID}`)).body;
  assert.equal(key.Status, 'available');
});

test('a key for a group adds users without a group to it, and rejects users in another group', async () => {
  const [first, second] = await newKeys({ Quantity: 2, Group: 'Acme' });
  const newcomer = await user();
  expectStatus(await redeem(newcomer, first?.Key ?? ''), 201);
  assert.equal((await api('GET', `/user/${newcomer}`)).body.GroupName, 'Acme');
  const updated = (await events({ LoginID: newcomer })).find(({ type }) => type === 'user.updated');
  assert.deepEqual(updated?.data, { LoginID: newcomer, Changed: ['GroupName'] });
  const otherUser = await user({ GroupName: 'Other' });
  expectProblem(await redeem(otherUser, second?.Key ?? ''), 409, 'key_of_other_group', 'Key');
  expectStatus(await redeem(await user({ GroupName: 'Acme' }), second?.Key ?? ''), 201);
});

test('each rejection has its own code', async () => {
  const LoginID = await user();
  const owner = await user();
  const bound = await newKeyOf({ LoginID: owner });
  expectProblem(await redeem(LoginID, bound.Key), 409, 'key_of_other_user', 'Key');
  expectStatus(await redeem(owner, bound.Key), 201);

  const revoked = await newKeyOf();
  expectStatus(await api('DELETE', `/enrolment/key/${revoked.KeyID}`), 200);
  expectProblem(await redeem(LoginID, revoked.Key), 409, 'key_revoked', 'Key');

  const later = new Date(clock.now().getTime() + 60_000).toISOString();
  const scheduled = await newKeyOf({ ValidFrom: later });
  expectProblem(await redeem(LoginID, scheduled.Key), 409, 'key_not_yet_valid', 'Key');
  const expiring = await newKeyOf({ ValidUntil: later });
  clock.advance({ minutes: 2 });
  expectStatus(await redeem(LoginID, scheduled.Key), 201);
  expectProblem(await redeem(LoginID, expiring.Key), 409, 'key_expired', 'Key');

  const { Key } = await newKeyOf();
  expectProblem(await redeem(LoginID, Key.slice(1)), 422, 'key_mistyped', 'Key');
  expectProblem(await redeem(unique('nobody'), Key), 404, 'user_not_found');
  expectProblem(await redeem(LoginID, Key, { IfEnroled: 'fail' }), 422, 'unknown_field');
  await api('PUT', `/user/${LoginID}`, { Enabled: false });
  expectProblem(await redeem(LoginID, Key), 409, 'user_disabled');
});

test('a key of another tenant is unknown', async () => {
  const other = await newTenant(service);
  const { Key, KeyID } = await newKeyOf();
  const LoginID = await other.user();
  expectProblem(await other.api('POST', `/enrol/key/${LoginID}/${Key}`), 404, 'key_not_found');
  for (const named of [Key, KeyID]) {
    expectProblem(await other.api('GET', `/enrolment/key/${named}`), 404, 'key_not_found');
    expectProblem(await other.api('DELETE', `/enrolment/key/${named}`), 404, 'key_not_found');
  }
  assert.deepEqual((await other.api('GET', '/enrolment/key')).body.Items, []);
  expectStatus(await redeem(await user(), Key), 201);
});

test('guesses, including concurrent ones, are limited per user; mistyped keys do not count', async () => {
  const LoginID = await user();
  const { Key } = await newKeyOf();
  for (let n = 0; n < 12; n++) expectProblem(await redeem(LoginID, Key.slice(1)), 422, 'key_mistyped');
  const guesses = await Promise.all(Array.from({ length: 16 }, () => redeem(LoginID, newKey())));
  assert.equal(guesses.filter(({ body }) => body.code === 'key_not_found').length, 10);
  const refused = guesses.find(({ status }) => status === 429);
  assert.ok(refused);
  expectProblem(refused, 429, 'key_throttled');
  assert.ok(Number(refused.headers.get('retry-after')) > 800);
  expectProblem(await redeem(LoginID, Key), 429, 'key_throttled');
  expectStatus(await redeem(await user(), (await newKeyOf()).Key), 201);
  clock.advance({ minutes: 16 });
  expectStatus(await redeem(LoginID, Key), 201);
});

test('only the hash of a key is stored', async () => {
  const { Key } = await newKeyOf();
  const { rows } = await sql<{ text: string }>`
    select to_jsonb(enrolment_key)::text as text from enrolment_key where tenant_id = ${TenantID}`.execute(
    service.ctx.db,
  );
  assert.ok(rows.length > 0);
  for (const { text } of rows) assert.ok(!text.includes(Key.replaceAll('-', '')) && !text.includes(Key));
});
