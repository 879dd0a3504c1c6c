import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { packCourse } from '../../test/journeys/course-packages.ts';
import { mailAttachments, mailChecks } from '../src/app/mail-checks.ts';
import { expireEnrolments } from '../src/domain/enrolments/expire.ts';
import { type Outcome, outcomes } from '../src/domain/enrolments/record/states.ts';
import { startDispatcher } from '../src/domain/events/webhooks/dispatcher.ts';
import { startReceiver } from '../src/domain/events/webhooks/test-support.ts';
import { sendMails } from '../src/domain/mail/send.ts';
import { countCompletion } from '../src/domain/reports/count-completion.ts';
import { runSchedules } from '../src/domain/reports/schedules/run-schedules.ts';
import { movableClock } from './support/clock.ts';
import { play, scorm12 } from './support/player.ts';
import { startService } from './support/service.ts';
import { startMailServer } from './support/smtp.ts';
import { allPages, expectStatus, newTenant } from './support/tenant.ts';
import { until } from './support/until.ts';

// One mixed set of enrolments, as everyone sees it: records, lists, counts, files, reports, events, webhooks and emails.

const clock = movableClock();
const mails = await startMailServer();
const service = await startService({
  now: clock.now,
  env: {
    ...{ SMTP_URL: mails.url, MAIL_FROM: 'noreply@lectern.example', MAIL_RATE_LIMIT: '0' },
    WEBHOOK_ALLOW: '127.0.0.1',
  },
});
const dispatcher = startDispatcher(service.ctx);
const receiver = await startReceiver();
after(async () => {
  await dispatcher.stop(1_000);
  await receiver.kill();
  await service.close();
  await mails.close();
});

/** What happens to an enrolment, and what people then call it. */
type Story = [Outcome, (learner: Learner) => Promise<unknown>];
type Learner = {
  /** Plays a SCORM 1.2 course that sets this status. */
  report: (status: string, score?: number) => Promise<void>;
  put: (body: object) => Promise<void>;
};
const decide = (result: object) => ({ Override: { ...result, Reason: 'Paper exam' } });
const stories: Story[] = [
  ['expired', async () => {}],
  ['expired', ({ report }) => report('incomplete')],
  ['not_started', ({ put }) => put({ ExpiresAt: null })],
  ['in_progress', async ({ report, put }) => [await report('incomplete'), await put({ ExpiresAt: null })]],
  ['passed', ({ report }) => report('passed', 90)],
  ['failed', ({ report }) => report('failed', 20)],
  ['passed', async ({ report }) => [await report('failed', 20), await report('passed', 80)]],
  ['completed', ({ report }) => report('completed')],
  ['withdrawn', async ({ report, put }) => [await report('incomplete'), await put({ Withdrawn: true })]],
  ['failed', async ({ report, put }) => [await report('failed', 10), await put({ Withdrawn: true })]],
  ['passed', async ({ report, put }) => [await report('passed'), await put({ Withdrawn: true })]],
  ['failed', async ({ report, put }) => [await report('passed'), await put(decide({ Success: 'failed' }))]],
  ['passed', ({ put }) => put(decide({ Completion: 'completed', Success: 'passed' }))],
  ['failed', ({ put }) => put(decide({ Success: 'failed' }))],
  ['failed', ({ put }) => put(decide({ Completion: 'completed', Success: 'failed' }))],
  [
    'completed',
    async ({ report, put }) => [
      await report('failed'),
      await put(decide({ Completion: 'completed', Success: 'unknown' })),
    ],
  ],
];

test('every figure about the same enrolments agrees, and failed counts nowhere as passed', async () => {
  const tenant = await newTenant(service, { Language: 'en' });
  const hook = { URL: receiver.url };
  expectStatus(await tenant.api('POST', '/webhook', hook), 201);
  const boss = await tenant.user({ IsAdmin: true, Email: 'boss@acme.example' });
  const schedule = {
    ...{ Name: 'Daily', Report: 'completion', By: 'group', Delivery: 'email', Recipients: [boss] },
    ...{ Every: 'day', Time: '07:00', TimeZone: 'UTC' },
  };
  expectStatus(await tenant.api('POST', '/report/schedule', schedule), 201);
  const course = 'phishing';
  await service.importPackage(course, await packCourse(course));
  expectStatus(await service.api('PUT', `/course/${course}/option/month`, { Duration: 'P30D' }), 201);
  const wanted = new Map<string, { outcome: Outcome; group: string }>();
  for (const [n, [outcome, happen]] of stories.entries()) {
    const group = n % 2 === 0 ? 'Sales' : 'Support';
    const LoginID = await tenant.user({ GroupName: group });
    const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/${course}`)).body;
    await happen({
      report: async (status, score) => {
        expectStatus(await (await play(service, LaunchURL)).commit({ Data: scorm12(status, score) }), 200);
      },
      put: async (body) =>
        expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, body), 200),
    });
    wanted.set(EnrollID, { outcome, group });
  }
  clock.advance({ days: 31 });
  await expireEnrolments(service.ctx);

  const expected = [...wanted].map(([id, { outcome }]) => [id, outcome] as const).toSorted();
  const countOf = (outcome: string, group?: string) =>
    [...wanted.values()].filter(
      (one) => outcome.split(',').includes(one.outcome) && (group === undefined || one.group === group),
    ).length;

  // Records, the list, its filter and its counts.
  const { items } = await allPages((address) => tenant.api('GET', address), `/enrolment?CourseID=${course}`);
  assert.deepEqual(items.map(({ EnrollID, Outcome }) => [EnrollID, Outcome]).toSorted(), expected);
  for (const { LoginID, EnrollID, Outcome } of items) {
    assert.equal((await tenant.api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body.Outcome, Outcome);
    const [exported] = (await tenant.api('GET', `/user/${LoginID}/export`)).body.Enrolments;
    assert.equal(exported.Outcome, Outcome);
  }
  for (const outcome of [...outcomes, 'passed,completed']) {
    const { body } = await tenant.api('GET', `/enrolment?Outcome=${outcome}&Count=true`);
    assert.deepEqual([body.Items.length, body.Count.Records], [countOf(outcome), countOf(outcome)], outcome);
  }

  // The file.
  const csv = async (path: string) =>
    parse((await tenant.api('GET', path, undefined, { accept: 'text/csv' })).body, {
      columns: true,
    }) as Record<string, string>[];
  assert.deepEqual((await csv('/enrolment')).map((row) => [row.EnrollID, row.Outcome]).toSorted(), expected);

  // Events, and the webhooks that carried them: the last word about each enrolment.
  const last = new Map<string, unknown>();
  const { Items } = (await tenant.api('GET', '/events?Limit=200')).body;
  for (const { EnrollID, Data } of Items) if (Data.Outcome) last.set(EnrollID, Data.Outcome);
  const stillNew = (await tenant.api('GET', '/enrolment?Outcome=not_started')).body.Items[0].EnrollID;
  last.set(stillNew, last.get(stillNew) ?? 'not_started');
  assert.deepEqual([...last].toSorted(), expected);
  await until('all webhooks have arrived', () => receiver.received.length >= Items.length);
  for (const { EventID, Data } of Items) {
    const sent = receiver.received.find(({ event }) => event.EventID === EventID);
    assert.deepEqual(sent?.event.Data, Data);
  }

  // The report, its file, and the file in the email.
  await tenant.api('GET', '/report/completion');
  await countCompletion(service.ctx);
  const figures = {
    ...{ NotStarted: 'not_started', InProgress: 'in_progress', Passed: 'passed', Failed: 'failed' },
    ...{ Completed: 'passed,completed', Expired: 'expired', Withdrawn: 'withdrawn' },
  };
  const check = (line: Record<string, unknown>, group?: string) => {
    for (const [figure, outcome] of Object.entries(figures))
      assert.equal(Number(line[figure]), countOf(outcome, group), `${figure} ${group}`);
    const relevant = countOf(outcomes.filter((one) => one !== 'withdrawn').join(), group);
    const rate = Math.round((1_000 * countOf('passed,completed', group)) / relevant) / 10;
    assert.equal(Number(line.CompletionRate), rate);
  };
  const [total] = (await tenant.api('GET', '/report/completion?By=total')).body.Items;
  check(total);
  assert.equal(
    total.Enrolments,
    total.NotStarted + total.InProgress + total.Completed + total.Failed + total.Expired + total.Withdrawn,
  );
  for (const line of await csv('/report/completion?By=group')) check(line, line.GroupName);
  clock.advance({ days: 1 });
  await runSchedules(service.ctx);
  await sendMails(service.ctx, mailChecks, mailAttachments);
  const [mail] = mails.mails;
  const mailed = parse(mail?.csv ?? '', { columns: true, bom: true }) as Record<string, string>[];
  assert.deepEqual(mailed.map(({ GroupName }) => GroupName).toSorted(), ['Sales', 'Support']);
  for (const line of mailed) check(line, line.GroupName);

  const from = new Date(clock.now().getTime() - 60 * 86_400_000).toISOString().slice(0, 10);
  // What happened, by day. An enrolment that fails is not completed on that day.
  const [day] = (await tenant.api('GET', `/report/activity?From=${from}&Limit=200`)).body.Items.filter(
    ({ Enrolments }: { Enrolments: number }) => Enrolments > 0,
  );
  const completions = Items.filter(
    ({ Type, Data }: { Type: string; Data: { Outcome?: string } }) =>
      Type === 'enrolment.completed' && Data.Outcome !== 'failed',
  );
  assert.equal(day.Completions, completions.length);
});
