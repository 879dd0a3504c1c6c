import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant, unique } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api, events } = await newTenant(service);
const other = await newTenant(service);
const CourseID = await newCourse(service, {}, { standard: { Seats: 1000 } });

async function imported() {
  const LoginID = unique('import-');
  expectStatus(await api('POST', '/user', { LoginID }), 201);
  return LoginID;
}

async function enrolled(LoginID: string) {
  const made = await api('POST', `/enrol/${LoginID}/${CourseID}`);
  expectStatus(made, 201);
  const address = `/enrolment/${LoginID}/${made.body.EnrollID}`;
  const undo = { Withdrawn: true, IfUntouched: true };
  return {
    ...made.body,
    address,
    undo: () => api('PUT', address, undo),
    plan: () => api('PUT', `${address}?Plan=true`, undo),
    status: async () => (await api('GET', address)).body.Status,
  };
}

const erase = (LoginID: string) => api('DELETE', `/user/${LoginID}?Untouched=true`);
const planErase = (LoginID: string) => api('DELETE', `/user/${LoginID}?Untouched=true&Plan=true`);

/** Neither the plan nor the call removes the user, and both say why. */
async function staysUser(LoginID: string, reason: string) {
  for (const call of [planErase, erase]) {
    const refused = await call(LoginID);
    expectProblem(refused, 409, 'touched');
    assert.equal(refused.body.reason, reason);
  }
  expectStatus(await api('GET', `/user/${LoginID}`), 200);
}

test('an imported enrolment and its user can be removed after a plan, and repeating the calls is safe', async () => {
  const LoginID = await imported();
  const { EnrollID, plan, undo, status } = await enrolled(LoginID);
  const planned = await plan();
  expectStatus(planned, 200);
  assert.equal(planned.body.Status, 'withdrawn');
  assert.equal(await status(), 'enrolled');
  await staysUser(LoginID, 'enrolled');
  for (let i = 0; i < 2; i++) expectStatus(await undo(), 200);
  assert.equal(await status(), 'withdrawn');
  const types = (await events({ EnrollID })).map(({ type }) => type);
  assert.deepEqual(types, ['enrolment.created', 'enrolment.withdrawn']);
  expectStatus(await planErase(LoginID), 200);
  expectStatus(await api('GET', `/user/${LoginID}`), 200);
  const receipt = await erase(LoginID);
  expectStatus(receipt, 200);
  assert.equal((await erase(LoginID)).body.ReceiptID, receipt.body.ReceiptID);
  expectProblem(await api('GET', `/user/${LoginID}`), 404, 'user_not_found');
  const erased = (await events({})).filter(({ type }) => type === 'user.erased');
  assert.ok(erased.some(({ data }) => data.ReceiptID === receipt.body.ReceiptID));
});

test('an enrolment that was launched or changed is not removed', async () => {
  const LoginID = await imported();
  const launched = await enrolled(LoginID);
  await play(service, launched.LaunchURL);
  const changed = await enrolled(await imported());
  expectStatus(await api('PUT', changed.address, { Reference: 'order-9' }), 200);
  for (const [enrolment, reason] of [
    [launched, 'used'],
    [changed, 'changed'],
  ] as const)
    for (const refused of [await enrolment.plan(), await enrolment.undo()]) {
      expectProblem(refused, 409, 'touched');
      assert.equal(refused.body.reason, reason);
    }
  assert.equal(await launched.status(), 'in_progress');
  assert.equal(await changed.status(), 'enrolled');
  await staysUser(LoginID, 'used');
  await staysUser(changed.LoginID, 'enrolled');
  expectStatus(await api('PUT', launched.address, { Withdrawn: true }), 200);
  await staysUser(LoginID, 'used');
});

test('a user who was changed, invited or exported is not removed', async () => {
  const changed = await imported();
  expectStatus(await api('PUT', `/user/${changed}`, { FirstName: 'Eve' }), 200);
  await staysUser(changed, 'changed');
  const invited = await imported();
  expectStatus(await api('POST', '/invitation', { LoginID: invited }), 201);
  await staysUser(invited, 'used');
  await enrolled(invited);
  await staysUser(invited, 'used');
  await enrolled(changed);
  await staysUser(changed, 'changed');
  const exported = await imported();
  expectStatus(await api('GET', `/user/${exported}/export`), 200);
  await staysUser(exported, 'used');
});

test('an administrator without any activity or changes is removed', async () => {
  const LoginID = unique('admin-');
  expectStatus(await api('POST', '/user', { LoginID, IsAdmin: true }), 201);
  expectStatus(await erase(LoginID), 200);
});

test('another tenant cannot undo anything', async () => {
  const LoginID = await imported();
  const { address, status } = await enrolled(LoginID);
  const undo = await other.api('PUT', address, { Withdrawn: true, IfUntouched: true });
  expectProblem(undo, 404, 'enrolment_not_found');
  expectProblem(await other.api('DELETE', `/user/${LoginID}?Untouched=true`), 404, 'user_not_found');
  assert.equal(await status(), 'enrolled');
});

test('nothing is removed after an hour', async () => {
  const LoginID = await imported();
  const { undo } = await enrolled(await imported());
  clock.advance({ minutes: 59 });
  expectStatus(await planErase(LoginID), 200);
  clock.advance({ minutes: 2 });
  const refused = await undo();
  expectProblem(refused, 409, 'touched');
  assert.equal(refused.body.reason, 'older');
  await staysUser(LoginID, 'older');
});
