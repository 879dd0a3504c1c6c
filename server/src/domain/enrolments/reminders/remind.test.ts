import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { movableClock } from '../../../../test/support/clock.ts';
import { observed, otherNode } from '../../../../test/support/nodes.ts';
import { play } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { startMailServer } from '../../../../test/support/smtp.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
  unique,
} from '../../../../test/support/tenant.ts';
import { mailChecks } from '../../../app/mail-checks.ts';
import { sendMails } from '../../mail/send.ts';
import { createUser } from '../../users/create-user.ts';
import { enrol } from '../enrol.ts';
import { expireEnrolments } from '../expire.ts';
import { remindOfEnds } from './remind.ts';

const server = await startMailServer();
const clock = movableClock();
const service = await startService({
  now: clock.now,
  env: { SMTP_URL: server.url, MAIL_FROM: 'noreply@lectern.example', MAIL_RATE_LIMIT: '0' },
});
after(async () => {
  await service.close();
  await server.close();
});
/** Sends reminders left over from earlier tests. */
beforeEach(async () => {
  await send();
  server.mails = [];
});

const Title = 'Fire safety';
const CourseID = await newCourse(
  service,
  { Title },
  {
    month: { Duration: 'P30D' },
    fortnight: { Duration: 'P14D' },
    week: { Duration: 'P7D' },
    unlimited: {},
    launch: { Duration: 'P30D', StartsOn: 'launch' },
  },
);
const Email = 'ann@acme.example';

const remind = () => remindOfEnds(service.ctx);
const send = () => sendMails(service.ctx, mailChecks);

/** Creates a tenant that has an event. The job finds only such tenants. */
async function knownTenant(fields: object = {}): Promise<TestTenant> {
  const tenant = await newTenant(service, { Name: 'Acme', ...fields });
  await tenant.user();
  await remind();
  return tenant;
}

async function enrolled(tenant: TestTenant, option = 'month', fields: Record<string, unknown> = { Email }) {
  const LoginID = await tenant.user(fields);
  const again = (body: object = {}, to = option) =>
    tenant.api('POST', `/enrol/${LoginID}/${CourseID}/${to}`, body);
  const made = await again();
  expectStatus(made, 201);
  const { EnrollID, LaunchURL } = made.body;
  return {
    LoginID,
    EnrollID,
    LaunchURL,
    again,
    put: async (body: object) =>
      expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, body), 200),
    reminders: async () =>
      (await tenant.events({ EnrollID }))
        .filter(({ type }) => type === 'enrolment.ending')
        .map(({ data }) => data as { Days: number; ExpiresAt: string; MailID: string | null }),
  };
}

const daysOf = (reminders: { Days: number }[]) => reminders.map(({ Days }) => Days);

/** Moves the clock to a few minutes after `days`, and runs the job. */
async function pass(days: number): Promise<void> {
  clock.advance({ days, minutes: 5 });
  await remind();
}

test('a learner is reminded 14 and 3 days before access ends, once each, by event and email', async () => {
  const tenant = await knownTenant();
  const learner = await enrolled(tenant, 'month', { Email, FirstName: 'Ann', LastName: 'O’Neil' });
  await pass(15);
  assert.deepEqual(await learner.reminders(), []);
  await pass(1);
  await remind();
  const [first, ...more] = await learner.reminders();
  assert.deepEqual([first?.Days, more], [14, []]);
  const { ExpiresAt } = (await tenant.api('GET', `/enrolment/${learner.LoginID}/${learner.EnrollID}`)).body;
  assert.equal(first?.ExpiresAt, ExpiresAt);
  await send();
  await send();
  const [mail, ...others] = server.mails;
  assert.ok(mail);
  assert.deepEqual([others, mail.to], [[], [Email]]);
  assert.equal(mail.headers.get('message-id'), `<${first?.MailID}@lectern.example>`);
  assert.equal(mail.headers.get('subject'), 'Your access to Fire safety ends soon');
  assert.ok(mail.text.startsWith('Hello Ann O’Neil,\n'), mail.text);
  const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  assert.ok(mail.text.includes(`ends on ${date.format(new Date(ExpiresAt))} at `), mail.text);
  const [listed] = (await tenant.api('GET', '/mail')).body.Items;
  assert.deepEqual([listed.Kind, listed.Status, listed.MailID], ['access_ending', 'sent', first?.MailID]);
  await pass(11);
  await pass(1);
  await pass(2);
  assert.deepEqual(daysOf(await learner.reminders()), [14, 3]);
});

for (const [Language, subject, course] of [
  ['de', 'Ihr Zugang zu Fire safety endet bald', 'Kurs „Fire safety“ endet am '],
  ['fr', 'Votre accès à Fire safety prend bientôt fin', 'cours « Fire safety » prend fin le '],
] as const)
  test(`a reminder is written in the tenant's language: ${Language}`, async () => {
    const tenant = await knownTenant({ Language });
    await enrolled(tenant);
    await pass(17);
    await send();
    const [mail] = server.mails;
    assert.equal(mail?.headers.get('subject'), subject);
    assert.ok(mail.text.includes(course), mail.text);
    assert.ok(mail.html.includes(`<html lang="${Language}">`));
  });

test('a reminder links to the sign-in page, and never contains a link that opens the course without signing in', async () => {
  const tenant = await knownTenant({ PasswordHash: 'sha256-hex' });
  const none = await enrolled(tenant);
  const some = await enrolled(tenant, 'month', { Email, Password: 'a'.repeat(64) });
  await pass(17);
  await send();
  assert.equal(server.mails.length, 2);
  const linksTo = ({ LoginID }: { LoginID: string }) => {
    const { MailID } = mails.find((mail) => mail.LoginID === LoginID) ?? { MailID: '' };
    const mail = server.mails.find(({ headers }) => headers.get('message-id')?.includes(MailID));
    assert.ok(mail && !mail.text.includes('null') && !mail.html.includes('null'));
    return `${mail.text}${mail.html}`.match(/https?:[^\s"<]*/g) ?? [];
  };
  const { Items: mails }: { Items: { LoginID: string; MailID: string }[] } = (
    await tenant.api('GET', '/mail')
  ).body;
  const signIn = `${service.baseUrl}/console/`;
  assert.deepEqual([linksTo(none), linksTo(some)], [[], [signIn, signIn, signIn]]);
});

test('a tenant can choose the days, or turn reminders off', async () => {
  const [chosen, silent] = [
    await knownTenant({ ReminderDays: [10, 20, 1] }),
    await knownTenant({ ReminderDays: [] }),
  ];
  const [one, other] = [await enrolled(chosen), await enrolled(silent)];
  for (const days of [11, 9, 9, 0.9]) await pass(days);
  assert.deepEqual(daysOf(await one.reminders()), [20, 10, 1]);
  assert.deepEqual(await other.reminders(), []);
});

test('days added later send no reminders for enrolments that already end sooner', async () => {
  const tenant = await knownTenant({ ReminderDays: [] });
  const [early, late] = [await enrolled(tenant), await enrolled(tenant)];
  await late.put({ ExpiresAt: new Date(clock.now().getTime() + 40 * 86_400_000).toISOString() });
  await pass(20);
  const address = `/tenant/${tenant.TenantID}`;
  const changed = await service.api('PUT', address, { ReminderDays: [14] });
  assert.deepEqual(changed.body.ReminderDays, [14]);
  await remind();
  await pass(7);
  assert.deepEqual([await early.reminders(), daysOf(await late.reminders())], [[], [14]]);
});

for (const ReminderDays of [[0], [366], [3, 3], [1.5], [6, 5, 4, 3, 2, 1], null])
  test(`invalid days are rejected: ${JSON.stringify(ReminderDays)}`, async () => {
    const tenant = await newTenant(service);
    const reply = await service.api('PUT', `/tenant/${tenant.TenantID}`, { ReminderDays });
    expectProblem(reply, 422, 'validation_failed');
  });

test('a reminder is sent only if access was long enough', async () => {
  const tenant = await knownTenant();
  const [week, fortnight, unlimited] = [
    await enrolled(tenant, 'week'),
    await enrolled(tenant, 'fortnight'),
    await enrolled(tenant, 'unlimited'),
  ];
  await pass(0);
  assert.deepEqual([await week.reminders(), await fortnight.reminders()], [[], []]);
  await pass(4);
  await pass(7);
  assert.deepEqual(daysOf(await week.reminders()), [3]);
  assert.deepEqual(daysOf(await fortnight.reminders()), [3]);
  assert.deepEqual(await unlimited.reminders(), []);
});

test('if access begins with the first launch, so do reminders', async () => {
  const tenant = await knownTenant();
  const [learner, short] = [await enrolled(tenant, 'launch'), await enrolled(tenant, 'launch')];
  await pass(100);
  await play(service, learner.LaunchURL);
  await pass(1);
  assert.deepEqual(await learner.reminders(), []);
  await pass(15);
  assert.deepEqual([daysOf(await learner.reminders()), await short.reminders()], [[14], []]);
});

test('an extension leads to another reminder unless the new end is still within the days of the reminder', async () => {
  const tenant = await knownTenant();
  const [extended, moved, nudged, fortnight] = [
    await enrolled(tenant),
    await enrolled(tenant),
    await enrolled(tenant),
    await enrolled(tenant),
  ];
  await pass(16);
  const inDays = (days: number) => new Date(clock.now().getTime() + days * 86_400_000).toISOString();
  expectStatus(await extended.again({ IfEnrolled: 'extend' }), 200);
  await moved.put({ ExpiresAt: inDays(20) });
  await nudged.put({ ExpiresAt: inDays(13.9) });
  await pass(6);
  assert.deepEqual(daysOf(await moved.reminders()), [14, 14]);
  await pass(5);
  assert.deepEqual(daysOf(await nudged.reminders()), [14, 3]);
  await pass(4);
  // Access has ended. The extension grants exactly 14 days again, which is also the length of the reminder.
  expectStatus(await fortnight.again({ IfEnrolled: 'extend' }, 'fortnight'), 200);
  await pass(0);
  assert.deepEqual(daysOf(await fortnight.reminders()), [14, 3]);
  await pass(15);
  assert.deepEqual(daysOf(await extended.reminders()), [14, 14]);
});

test('no reminders are sent to disabled or erased users, or for completed, withdrawn or expired enrolments', async () => {
  const tenant = await knownTenant();
  const all = {
    disabled: await enrolled(tenant),
    erased: await enrolled(tenant),
    completed: await enrolled(tenant),
    withdrawn: await enrolled(tenant),
    expired: await enrolled(tenant, 'fortnight'),
    open: await enrolled(tenant),
  };
  const page = await play(service, all.completed.LaunchURL);
  await page.commit({ Data: { 'lectern.completion': 'completed' } });
  await tenant.api('PUT', `/user/${all.disabled.LoginID}`, { Enabled: false });
  await tenant.api('DELETE', `/user/${all.erased.LoginID}`);
  await all.withdrawn.put({ Withdrawn: true });
  await expireEnrolments(service.ctx);
  clock.advance({ days: 17 });
  await remind();
  const reminded = Object.entries(all).map(async ([name, { reminders }]) => [name, await reminders()]);
  const found = (await Promise.all(reminded)).filter(([, reminders]) => reminders?.length);
  assert.deepEqual(
    found.map(([name]) => name),
    ['open'],
  );
  await send();
  assert.equal(server.mails.length, 1);
});

test('for a learner without an email address, there is only the event', async () => {
  const tenant = await knownTenant();
  const learner = await enrolled(tenant, 'month', {});
  await pass(17);
  const [{ Days, MailID } = { Days: 0, MailID: '' }] = await learner.reminders();
  assert.deepEqual([Days, MailID], [14, null]);
  await send();
  assert.deepEqual(server.mails, []);
});

test('a queued email is cancelled if its content is no longer true', async () => {
  const tenant = await knownTenant();
  const all = [
    await enrolled(tenant),
    await enrolled(tenant),
    await enrolled(tenant),
    await enrolled(tenant),
    await enrolled(tenant),
  ] as const;
  const [completed, withdrawn, extended, disabled, open] = all;
  await pass(17);
  const page = await play(service, completed.LaunchURL);
  await page.commit({ Data: { 'lectern.completion': 'completed' } });
  await withdrawn.put({ Withdrawn: true });
  await extended.again({ IfEnrolled: 'extend' });
  await tenant.api('PUT', `/user/${disabled.LoginID}`, { Enabled: false });
  await send();
  const { Items } = (await tenant.api('GET', '/mail')).body;
  const statusOf = new Map(
    Items.map((mail: { LoginID: string; Status: string }) => [mail.LoginID, mail.Status]),
  );
  assert.deepEqual(
    all.map(({ LoginID }) => statusOf.get(LoginID)),
    ['cancelled', 'cancelled', 'cancelled', 'cancelled', 'sent'],
  );
  assert.equal(server.mails.length, 1);
  const sent = Items.find(({ LoginID }: { LoginID: string }) => LoginID === open.LoginID);
  assert.equal(server.mails[0]?.headers.get('message-id'), `<${sent?.MailID}@lectern.example>`);
});

test('if the job has not run for a long time, learners get only the last reminder', async () => {
  const tenant = await knownTenant();
  const [learner, past] = [await enrolled(tenant), await enrolled(tenant, 'week')];
  await pass(28);
  assert.deepEqual(daysOf(await learner.reminders()), [3]);
  assert.deepEqual(await past.reminders(), []);
});

test('a suspended tenant sends no reminders until it is resumed', async () => {
  const tenant = await knownTenant();
  const learner = await enrolled(tenant);
  const setStatus = (Status: string) => service.api('PUT', `/tenant/${tenant.TenantID}`, { Status });
  await setStatus('suspended');
  await pass(17);
  await send();
  assert.deepEqual(server.mails, []);
  await setStatus('active');
  await pass(0);
  assert.deepEqual(daysOf(await learner.reminders()), [14]);
});

test('an erasure keeps the number of days of a reminder, but nothing that identifies the person', async () => {
  const tenant = await knownTenant();
  const learner = await enrolled(tenant);
  await pass(17);
  const exported = (await tenant.api('GET', `/user/${learner.LoginID}/export`)).body;
  assert.deepEqual(
    exported.Mails.map(({ Kind }: { Kind: string }) => Kind),
    ['access_ending'],
  );
  expectStatus(await tenant.api('DELETE', `/user/${learner.LoginID}`), 200);
  const [reminder] = await learner.reminders();
  assert.deepEqual([reminder?.Days, reminder?.MailID], [14, null]);
  assert.equal((await tenant.api('GET', '/mail')).body.Items.length, 0);
});

test('three nodes together send one reminder for each of 1,000 enrolments that end at the same moment', async () => {
  const tenant = await knownTenant();
  const ctx = { ...service.ctx, tenantId: tenant.TenantID };
  const logins = Array.from({ length: 1000 }, () => unique('ending'));
  await Promise.all(logins.map((LoginID) => createUser(ctx, { LoginID, Email })));
  await Promise.all(
    logins.map((loginId) => enrol(ctx, { loginId, courseId: CourseID, durationId: 'month' })),
  );
  const end = new Date(clock.now().getTime() + 30 * 86_400_000);
  await ctx.db
    .updateTable('enrolment')
    .set({ expires_at: end })
    .where('tenant_id', '=', tenant.TenantID)
    .execute();
  clock.advance({ days: 17 });
  const nodes = [service.ctx, otherNode(service.ctx), otherNode(service.ctx)];
  const passed = await Promise.all(nodes.map((node) => remindOfEnds(node)));
  const left = await remind();
  assert.equal(
    passed.reduce((sum, count) => sum + count, left),
    1000,
  );
  const reminders = (await tenant.events()).filter(({ type }) => type === 'enrolment.ending');
  assert.equal(new Set(reminders.map(({ enroll_id }) => enroll_id)).size, 1000);
  assert.equal(reminders.length, 1000);
  const { rows } = await service.ctx.engine.query({
    text: 'select 1 from mail where tenant_id = $1',
    values: [tenant.TenantID],
  });
  assert.equal(rows.length, 1000);
});

test('if the reminders of one tenant fail, those of other tenants are still sent', async () => {
  const tenants = [await knownTenant(), await knownTenant(), await knownTenant()];
  const learners = [];
  for (const tenant of tenants) learners.push(await enrolled(tenant));
  clock.advance({ days: 16, minutes: 5 });
  const broken = tenants[1]?.TenantID;
  const node = observed(service.ctx, ({ name, values }) => {
    if (name === 'reminded_learners' && values[0] === broken) throw new Error('the user is locked');
  });
  await assert.rejects(remindOfEnds(node), AggregateError);
  const sent = [];
  for (const learner of learners) sent.push((await learner.reminders()).length);
  assert.deepEqual(sent, [1, 0, 1]);
  await remind();
  assert.equal((await learners[1]?.reminders())?.length, 1);
});
