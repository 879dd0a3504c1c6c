import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import {
  allPages,
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  unique,
} from '../../../test/support/tenant.ts';

import { countWithin } from '../../infra/calls/limits.ts';

const service = await startService();
after(service.close);
const { api, user } = await newTenant(service);
const course = await newCourse(service);
const body = { CourseIDs: [course], DurationIDs: ['standard'] };

test('keys are created as requested, are unique, and are valid for a year by default', async () => {
  const LoginID = await user();
  const reply = await api('POST', '/enrolment/key', {
    ...body,
    Quantity: 3,
    LoginID,
    Group: 'Acme',
    PurchaseOrder: 'PO 1',
  });
  expectStatus(reply, 201);
  const { Items } = reply.body;
  assert.equal(new Set(Items.map(({ Key }: { Key: string }) => Key)).size, 3);
  for (const { Key, KeyID, ...item } of Items) {
    assert.match(Key, /^([0-9A-Z]{5}-){3}[0-9A-Z]{5}$/);
    assert.ok(Key.startsWith(item.KeyStart));
    assert.deepEqual(
      [item.Status, item.LoginID, item.Group, item.PurchaseOrder, item.CourseIDs, item.DurationIDs],
      ['available', LoginID, 'Acme', 'PO 1', [course], ['standard']],
    );
    const [from, until] = [new Date(item.ValidFrom), new Date(item.ValidUntil)];
    assert.equal(until.getUTCFullYear(), from.getUTCFullYear() + 1);
    const expected = { ...item, KeyID };
    for (const named of [KeyID, Key, Key.toLowerCase().replaceAll('-', '')])
      assert.deepEqual((await api('GET', `/enrolment/key/${named}`)).body, expected);
  }
});

test('at most a thousand keys are created in one call', async () => {
  const PurchaseOrder = unique('order');
  const reply = await api('POST', '/enrolment/key', { ...body, Quantity: 1000, PurchaseOrder });
  expectStatus(reply, 201);
  assert.equal(new Set(reply.body.Items.map(({ Key }: { Key: string }) => Key)).size, 1000);
  const { items } = await allPages(
    (path) => api('GET', path),
    `/enrolment/key?PurchaseOrder=${PurchaseOrder}`,
    200,
  );
  assert.equal(new Set(items.map(({ KeyID }) => KeyID)).size, 1000);
  for (const Quantity of [0, 1001, 1.5, '3'])
    expectProblem(await api('POST', '/enrolment/key', { ...body, Quantity }), 422, 'validation_failed');
});

test('a tenant creates a limited number of keys per minute', async () => {
  const tenant = await newTenant(service);
  countWithin(service.ctx, 'enrolment_keys', tenant.TenantID, 19_001);
  const make = (Quantity: number) => tenant.api('POST', '/enrolment/key', { ...body, Quantity });
  const rejected = await make(1_000);
  expectProblem(rejected, 429, 'too_many_requests');
  assert.ok(Number(rejected.headers.get('retry-after')) > 0);
});

test('keys that could never be redeemed are not created', async () => {
  const make = (fields: object) => api('POST', '/enrolment/key', { ...body, ...fields });
  const draft = await newCourse(service, { Status: 'draft' });
  const retired = await newCourse(service, { Status: 'retired' });
  const hidden = await newCourse(service, { Tenants: ['test'] });
  const grouped = await newCourse(service, {}, { standard: { Groups: ['Acme'] } });
  expectProblem(await make({ CourseIDs: [unique('none')] }), 404, 'course_not_found');
  expectProblem(await make({ CourseIDs: [draft] }), 404, 'course_not_found');
  expectProblem(await make({ CourseIDs: [hidden] }), 404, 'course_not_found');
  expectProblem(await make({ CourseIDs: [retired] }), 409, 'course_retired');
  expectProblem(await make({ DurationIDs: ['none'] }), 404, 'option_not_found', 'DurationIDs');
  expectProblem(await make({ CourseIDs: [grouped], Group: 'Other' }), 404, 'option_not_found');
  expectStatus(await make({ CourseIDs: [grouped], Group: 'Acme' }), 201);
  expectProblem(await make({ DurationIDs: ['standard', 'x'] }), 422, 'validation_failed', 'DurationIDs');
  expectProblem(await make({ CourseIDs: [], DurationIDs: [] }), 422, 'validation_failed', 'CourseIDs');
  expectProblem(await make({ CourseIDs: [course, course] }), 422, 'validation_failed');
  expectProblem(await make({ LoginID: unique('nobody') }), 404, 'user_not_found', 'LoginID');
  expectProblem(await make({ ValidUntil: '2020-01-01T00:00:00Z' }), 422, 'validation_failed', 'ValidUntil');
  expectProblem(await make({ ValidFrom: '2020-01-01T00:00:00Z' }), 422, 'validation_failed', 'ValidUntil');
  expectProblem(await make({ Quantitiy: 3 }), 422, 'unknown_field', 'Quantitiy');
});

test('keys can be listed by purchase order and status', async () => {
  const PurchaseOrder = unique('order');
  const soon = new Date(Date.now() + 60_000).toISOString();
  const [spent, gone] = (await api('POST', '/enrolment/key', { ...body, Quantity: 3, PurchaseOrder })).body
    .Items;
  await api('POST', '/enrolment/key', { ...body, PurchaseOrder, ValidFrom: soon });
  expectStatus(await api('POST', `/enrol/key/${await user()}/${spent.Key}`), 201);
  expectStatus(await api('DELETE', `/enrolment/key/${gone.KeyID}`), 200);
  for (const [Status, count] of Object.entries({
    available: 1,
    scheduled: 1,
    redeemed: 1,
    revoked: 1,
    expired: 0,
  })) {
    const { items } = await allPages(
      (path) => api('GET', path),
      `/enrolment/key?PurchaseOrder=${PurchaseOrder}&Status=${Status}`,
    );
    assert.equal(items.length, count, Status);
    for (const item of items) assert.equal(item.Status, Status);
  }
  expectProblem(await api('GET', '/enrolment/key?Status=used'), 422, 'validation_failed', 'Status');
  expectProblem(await api('GET', '/enrolment/key?Cursor=x'), 422, 'validation_failed', 'Cursor');
});

test('revoking a key is idempotent, but a redeemed key cannot be revoked', async () => {
  const { Items } = (await api('POST', '/enrolment/key', { ...body, Quantity: 2 })).body;
  const [first, second] = Items;
  const revoked = await api('DELETE', `/enrolment/key/${first.Key}`);
  expectStatus(revoked, 200);
  assert.equal(revoked.body.Status, 'revoked');
  assert.deepEqual((await api('DELETE', `/enrolment/key/${first.KeyID}`)).body, revoked.body);
  expectStatus(await api('POST', `/enrol/key/${await user()}/${second.Key}`), 201);
  expectProblem(await api('DELETE', `/enrolment/key/${second.KeyID}`), 409, 'key_redeemed', 'Key');
});
