import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../test/support/clock.ts';
import { observed, serve } from '../../../test/support/nodes.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { ownPage } from '../../../test/support/sign-in.ts';
import { expectStatus, newCourse, newTenant, unique } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { startReceiver } from '../../../test/support/webhooks.ts';
import { noticeEnds } from '../certificates/notices.ts';
import { sendReminders } from '../reminders/job.ts';
import { runSchedules } from '../reports/schedules/run-schedules.ts';
import { followRequirements } from '../requirements/follow.ts';
import { eventTypes } from './types.ts';
import { startDispatcher } from './webhooks/dispatcher.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(service.close);
await service.importPackage('phishing', await packCourse('phishing'));
await service.api('PUT', '/course/phishing/option/month', { Duration: 'P30D' });

async function enrolled(tenant: Awaited<ReturnType<typeof newTenant>>) {
  const LoginID = await tenant.user();
  const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/phishing`)).body;
  return { LoginID, LaunchURL: LaunchURL as string, address: `/enrolment/${LoginID}/${EnrollID}` };
}

test('every change to an enrolment writes one event, and all listed types occur', async (t) => {
  const tenant = await newTenant(service);
  let seen = 0;
  /**
   * Compares the new event types in sorted order, because the events of one change have the same time and no
   * fixed order.
   */
  async function expectNewTypes(types: string[]): Promise<void> {
    const all = await tenant.events();
    const fresh = all.slice(seen).map(({ type }) => type);
    assert.deepEqual(fresh.sort(), types.sort());
    seen = all.length;
    clock.advance({ seconds: 1 });
  }
  const { LoginID, LaunchURL, address } = await enrolled(tenant);
  await expectNewTypes(['user.created', 'enrolment.created']);
  const { commit } = await play(service, LaunchURL);
  await expectNewTypes(['enrolment.launched']);
  for (const [data, types] of [
    [scorm12('incomplete', 10), ['enrolment.progressed']],
    [scorm12('incomplete', 10), []],
    [scorm12('failed', 20), ['enrolment.failed']],
    [scorm12('passed', 90), ['enrolment.completed', 'enrolment.passed']],
    [scorm12('failed', 0), []],
  ] as const) {
    await commit({ Data: data });
    await commit({ Number: 1, Data: data });
    await expectNewTypes([...types]);
  }
  await tenant.api('PUT', address, { Reference: 'r' });
  await expectNewTypes(['enrolment.updated']);
  await tenant.api('PUT', address, { Withdrawn: true });
  await expectNewTypes(['enrolment.withdrawn']);
  await tenant.api('POST', `/enrol/${LoginID}/phishing`);
  await expectNewTypes(['enrolment.created']);
  await tenant.api('PUT', '/settings', { Reminders: { Enabled: true } });
  await sendReminders(service.ctx);
  clock.advance({ days: 28 });
  await sendReminders(service.ctx);
  await expectNewTypes(['enrolment.ending']);
  clock.advance({ days: 3 });
  await tenant.api('POST', `/enrol/${LoginID}/phishing`);
  await expectNewTypes(['enrolment.created', 'enrolment.expired']);
  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/phishing`, { IfEnrolled: 'extend' }), 200);
  await expectNewTypes(['enrolment.extended']);
  expectStatus(await tenant.api('POST', `/enrol/${LoginID}/phishing`, { IfEnrolled: 'renew' }), 201);
  await expectNewTypes(['enrolment.created', 'enrolment.renewed']);
  const course = { CourseIDs: [await newCourse(service)], DurationIDs: ['standard'] };
  const [key] = (await tenant.api('POST', '/enrolment/key', course)).body.Items;
  await expectNewTypes([]);
  expectStatus(await tenant.api('POST', `/enrol/key/${LoginID}/${key.Key}`), 201);
  expectStatus(await tenant.api('POST', `/enrol/key/${LoginID}/${key.Key}`), 200);
  await expectNewTypes(['enrolment.created', 'key.redeemed']);
  await service.importPackage('phishing', await packCourse('phishing'));
  await expectNewTypes(['course.released', 'package.imported']);
  await tenant.api('PUT', `/user/${LoginID}`, { FirstName: 'x' });
  await expectNewTypes(['user.updated']);
  const { InvitationURL } = (await tenant.api('POST', '/invitation', { LoginID })).body;
  await expectNewTypes(['invitation.created']);
  const accepted = { Token: new URL(InvitationURL).hash.slice(1), Password: '0'.repeat(64) };
  expectStatus(await service.api('POST', '/session/invitation', accepted, '', ownPage), 200);
  await expectNewTypes(['invitation.accepted', 'user.updated']);
  await tenant.api('PUT', `/user/${LoginID}`, { Enabled: false });
  await expectNewTypes(['user.updated', 'user.disabled']);
  const EmailAddress = 'nobody@mail.example';
  await tenant.api('PUT', `/user/${LoginID}`, { Email: EmailAddress });
  await expectNewTypes(['user.updated']);
  expectStatus(await tenant.api('POST', '/mail/bounce', { EmailAddress, Kind: 'permanent' }), 200);
  await expectNewTypes(['mail.bounced']);

  const retaken = unique('retaken');
  await service.importPackage(retaken, await packCourse('phishing'));
  expectStatus(await service.api('PUT', `/course/${retaken}/option/standard`, { Attempts: {} }), 201);
  const other = await tenant.user();
  const again = (await tenant.api('POST', `/enrol/${other}/${retaken}`)).body;
  seen = (await tenant.events()).length;
  await (await play(service, again.LaunchURL)).commit({ Data: scorm12('failed', 20) });
  await expectNewTypes(['enrolment.launched', 'enrolment.failed', 'enrolment.attempt_finished']);
  await play(service, again.LaunchURL);
  await expectNewTypes(['enrolment.attempt_started', 'enrolment.launched']);
  expectStatus(
    await tenant.api('POST', `/enrolment/${other}/${again.EnrollID}/reset`, { Reason: 'Ill' }),
    200,
  );
  await expectNewTypes(['enrolment.reset']);

  const times = { Every: 'day', Time: '07:00', TimeZone: 'UTC', Delivery: 'webhook' };
  const schedule = await tenant.api('POST', '/report/schedule', {
    Name: 'Daily',
    Report: 'activity',
    ...times,
  });
  expectStatus(await tenant.api('POST', `/report/schedule/${schedule.body.ScheduleID}/run`), 200);
  await runSchedules(service.ctx);
  await expectNewTypes(['report.ready']);

  const receiver = await startReceiver();
  receiver.answer((response) => response.writeHead(503).end());
  t.after(receiver.kill);
  const dispatcher = startDispatcher(service.ctx);
  t.after(() => dispatcher.stop(1_000));
  const { WebhookID } = (await tenant.api('POST', '/webhook', { URL: receiver.url })).body;
  await tenant.api('PUT', `/user/${LoginID}`, { FirstName: 'y' });
  await expectNewTypes(['user.updated']);
  const hook = async () => (await tenant.api('GET', `/webhook/${WebhookID}`)).body;
  await until('it fails', async () => (await hook()).FailingSince !== null);
  clock.advance({ hours: 73 });
  await until('it is disabled', async () => (await hook()).Status === 'disabled');
  await expectNewTypes(['webhook.disabled']);

  const before = await tenant.events();
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  await expectNewTypes(['enrolment.withdrawn', 'enrolment.withdrawn', 'user.erased']);

  const enrolment = `/enrolment/${other}/${again.EnrollID}`;
  expectStatus(await tenant.api('PUT', `/certificate/template/${retaken}`, { ValidFor: 'P30D' }), 200);
  await tenant.api('PUT', enrolment, { Override: { Success: 'passed', Reason: 'Exam' } });
  seen = (await tenant.events()).length;
  const certificate = (await tenant.api('GET', `${enrolment}/certificate`)).body;
  await expectNewTypes(['certificate.issued']);
  for (const type of ['certificate.expiring', 'certificate.expired']) {
    clock.advance({ days: 29 });
    await noticeEnds(service.ctx);
    await expectNewTypes([type]);
  }
  const revocation = { Reason: 'Exam repeated' };
  expectStatus(await tenant.api('POST', `/certificate/${certificate.Number}/revoke`, revocation), 200);
  await expectNewTypes(['certificate.revoked']);

  const required = await tenant.user();
  const requirement = { Title: 'Fire safety', CourseIDs: [await newCourse(service)], DueAfter: 'P30D' };
  const terms = { ValidFor: 'P1Y', Audience: { LoginIDs: [required] } };
  expectStatus(await tenant.api('PUT', '/requirement/fire', { ...requirement, ...terms }), 201);
  const followFor = async (days: number) => {
    clock.advance({ days });
    await followRequirements(service.ctx);
  };
  for (const days of [20, 20]) await followFor(days);
  const [{ EnrollID }] = (await tenant.api('GET', `/obligation/${required}`)).body.Items;
  const passed = { Override: { Success: 'passed', Reason: 'Exam' } };
  expectStatus(await tenant.api('PUT', `/enrolment/${required}/${EnrollID}`, passed), 200);
  for (const days of [0, 340, 40]) await followFor(days);
  expectStatus(await tenant.api('PUT', `/user/${required}`, { Enabled: false }), 200);
  await followFor(0);
  const elsewhere = { LoginID: required, Title: 'First aid', CompletedAt: '2020-01-01' };
  const { CompletionID } = (await tenant.api('POST', '/completion', elsewhere)).body;
  expectStatus(await tenant.api('DELETE', `/completion/${CompletionID}?Reason=mistake`), 200);
  const all = await tenant.events();
  const { rows } = await sql<{ position: number }>`
    select position from event where tenant_id = ${tenant.TenantID} order by position`.execute(
    service.ctx.db,
  );
  assert.deepEqual(
    rows.map(({ position }) => position),
    all.map((_, n) => n + 1),
    'every way of writing an event gives it the next position',
  );
  // scores.test.ts has a platform.
  const here = eventTypes.filter((type) => !type.startsWith('score.'));
  assert.deepEqual([...new Set(all.map(({ type }) => type))].sort(), here.sort());
  const done = before.find(({ type }) => type === 'enrolment.completed');
  const { Status, Completion, Success, Score } = done?.data ?? {};
  assert.deepEqual([Status, Completion, Success, Score], ['completed', 'completed', 'passed', 90]);
});

test('a change whose event cannot be written is rolled back', async () => {
  const tenant = await newTenant(service);
  const { LoginID, address } = await enrolled(tenant);
  const node = await serve(
    observed(service.ctx, ({ text }) => {
      if (text.startsWith('insert into event ')) throw new Error('the log is full');
    }),
  );
  const before = [await tenant.api('GET', `/user/${LoginID}`), await tenant.api('GET', address)];
  for (const [url, payload] of [
    [`/user/${LoginID}`, { FirstName: 'changed' }],
    [address, { Withdrawn: true }],
  ] as const) {
    const headers = { authorization: `Bearer ${tenant.key}` };
    const reply = await node.api.inject({ method: 'PUT', url, headers, payload });
    assert.equal(reply.statusCode, 500);
  }
  await node.close();
  const later = [await tenant.api('GET', `/user/${LoginID}`), await tenant.api('GET', address)];
  assert.deepEqual(
    later.map(({ body }) => body),
    before.map(({ body }) => body),
  );
});
