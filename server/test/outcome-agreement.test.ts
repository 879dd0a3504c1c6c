import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { packCourse } from '../../test/journeys/course-packages.ts';
import { mailAttachments, mailChecks } from '../src/app/mail-checks.ts';
import { issueCertificates } from '../src/domain/certificates/issue.ts';
import { expireEnrolments } from '../src/domain/enrolments/expire.ts';
import { type Outcome, outcomes } from '../src/domain/enrolments/record/states.ts';
import { startDispatcher } from '../src/domain/events/webhooks/dispatcher.ts';
import { startReceiver } from '../src/domain/events/webhooks/test-support.ts';
import { sendMails } from '../src/domain/mail/send.ts';
import { countCompletion } from '../src/domain/reports/count-completion.ts';
import { runSchedules } from '../src/domain/reports/schedules/run-schedules.ts';
import { followRequirements } from '../src/domain/requirements/follow.ts';
import { movableClock } from './support/clock.ts';
import { play, scorm12 } from './support/player.ts';
import { startService } from './support/service.ts';
import { startMailServer } from './support/smtp.ts';
import { allPages, expectStatus, newTenant, type TestTenant } from './support/tenant.ts';
import { until } from './support/until.ts';

// One mixed set of enrolments, as everyone sees it: records, lists, counts, files, reports, events, webhooks, emails,
// obligations, certificates and evidence.

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
  expectStatus(await service.api('PUT', `/course/${course}`, { Certificate: { On: 'passed' } }), 200);
  const wanted = new Map<string, { outcome: Outcome; group: string }>();
  for (const [n, [outcome, happen]] of stories.entries()) {
    const group = n % 2 === 0 ? 'Sales' : 'Support';
    const LoginID = await tenant.user({ GroupName: group, ManagerLoginID: boss });
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

  await proofAgrees(tenant, { course, manager: boss, csv });
});

type Row = Record<string, string>;
type Obligation = { LoginID: string; Status: string; External: boolean; EnrollID: string | null };
type Enrolment = { LoginID: string; EnrollID: string; Outcome: Outcome; Success: string };
type Proved = {
  course: string;
  manager: string;
  csv: (path: string) => Promise<Row[]>;
};

/** What is required, completed elsewhere, certified and proved to auditors follows from the same outcomes. */
async function proofAgrees(tenant: TestTenant, { course, manager, csv }: Proved): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: each list has other fields.
  const all = async (path: string): Promise<any[]> =>
    (await allPages((address) => tenant.api('GET', address), path)).items;
  const count = async (path: string): Promise<number> =>
    (await tenant.api('GET', `${path}&Count=true&Limit=1`)).body.Count.Records;

  // Of those who have not completed it, one did so elsewhere, one failed there, and one completion was a mistake.
  const open = (await all(`/enrolment?Outcome=expired,not_started,in_progress`)) as Enrolment[];
  const [elsewhere = '', failing = '', mistaken = ''] = open.map(({ LoginID }) => LoginID);
  const CompletedAt = clock.now().toISOString();
  const record = async (LoginID: string, Success: string) => {
    const reply = await tenant.api('POST', '/completion', {
      LoginID,
      CourseID: course,
      CompletedAt,
      Success,
    });
    expectStatus(reply, 201);
    return reply.body.CompletionID;
  };
  await record(elsewhere, 'passed');
  await record(failing, 'failed');
  const mistake = await record(mistaken, 'passed');
  expectStatus(await tenant.api('DELETE', `/completion/${mistake}?Reason=Wrong%20person`), 200);
  const completions = await all('/completion');
  assert.equal(await count('/completion?Order=oldest'), completions.length);
  assert.deepEqual(
    (await csv('/completion')).map((row) => [row.LoginID, row.Success]),
    completions.map(({ LoginID, Success }) => [LoginID, Success]),
  );

  const RequirementID = 'phishing-yearly';
  const requirement = {
    ...{ Title: 'Phishing', CourseIDs: [course], Audience: { Groups: ['Sales', 'Support'] } },
    ...{ DueAfter: 'P14D', CountsEarlier: true },
  };
  expectStatus(await tenant.api('PUT', `/requirement/${RequirementID}`, requirement), 201);
  await followRequirements(service.ctx);
  clock.advance({ days: 20 });
  await expireEnrolments(service.ctx);
  await followRequirements(service.ctx);
  await issueCertificates(service.ctx);

  const enrolments = (await all('/enrolment')) as Enrolment[];
  const learners = (await all('/user')).filter(({ GroupName }) => GroupName);
  const groupOf = new Map(learners.map(({ LoginID, GroupName }) => [LoginID, GroupName]));
  const completed = new Set(
    [
      ...enrolments.filter(({ Outcome }) => Outcome === 'passed' || Outcome === 'completed'),
      ...completions.filter(({ Success }) => Success !== 'failed'),
    ].map(({ LoginID }) => LoginID),
  );
  const expected = learners
    .map(({ LoginID }) => [LoginID, completed.has(LoginID) ? 'met' : 'overdue'])
    .toSorted();

  // Obligations: the list, its file, each person's, the explanation, the manager's team.
  const obligations = (await all('/obligation?Present=true')) as Obligation[];
  const stated = (rows: readonly { LoginID: string; Status: string }[]) =>
    rows.map(({ LoginID, Status }) => [LoginID, Status]).toSorted();
  assert.deepEqual(stated(obligations), expected);
  assert.deepEqual(
    (await csv('/obligation?Present=true')).map(({ LoginID, Status }) => [LoginID, Status]).toSorted(),
    expected,
  );
  assert.deepEqual(
    obligations.filter(({ External }) => External).map(({ LoginID }) => LoginID),
    [elsewhere],
  );
  const team = await all(`/team/${manager}`);
  for (const [LoginID = '', status] of expected) {
    assert.deepEqual(stated(await all(`/obligation/${LoginID}`)), [[LoginID, status]]);
    const why = (await tenant.api('GET', `/obligation/${LoginID}/${RequirementID}/explain`)).body;
    assert.deepEqual([why.Status, why.SatisfiedBy !== null], [status, status === 'met']);
    const member = team.find((one) => one.LoginID === LoginID);
    assert.deepEqual([member.Met, member.Overdue], status === 'met' ? [1, 0] : [0, 1]);
  }

  // The compliance report: each figure is as long as the list behind it.
  const filters = {
    ...{ requirement: 'RequirementID', group: 'GroupName', manager: 'ManagerLoginID', total: '' },
  };
  const statuses = { NotDue: 'not_due', DueSoon: 'due_soon', Overdue: 'overdue', Met: 'met' };
  for (const [by, filter] of Object.entries(filters)) {
    const lines = await all(`/report/compliance?By=${by}`);
    const file = await csv(`/report/compliance?By=${by}`);
    assert.equal(file.length, lines.length);
    for (const [at, line] of lines.entries()) {
      const behind = `/obligation?Present=true${filter && `&${filter}=${encodeURIComponent(line[filter])}`}`;
      assert.equal(line.Obligations, await count(behind), `${by}: all`);
      for (const [figure, status] of Object.entries(statuses)) {
        assert.equal(line[figure], await count(`${behind}&Status=${status}`), `${by}: ${figure}`);
        assert.equal(Number(file[at]?.[figure]), line[figure], `${by}: ${figure} in the file`);
      }
      assert.equal(line.ValidPercent, Math.round((1_000 * line.Met) / line.Obligations) / 10);
    }
  }
  const [sum] = await all('/report/compliance?By=total');
  assert.deepEqual([sum.Obligations, sum.Met], [learners.length, completed.size]);

  // The last word of the events about each person's obligation.
  const told = new Map<string, string>();
  for (let cursor = ''; ; ) {
    const { body } = await tenant.api('GET', `/events?Limit=200${cursor && `&Cursor=${cursor}`}`);
    for (const { Type, LoginID } of body.Items)
      if (/^obligation\.(met|overdue)$/.test(Type)) told.set(LoginID, Type.slice('obligation.'.length));
    if (body.Items.length === 0) break;
    cursor = encodeURIComponent(body.NextCursor);
  }
  assert.deepEqual([...told].toSorted(), expected);

  // Training records: of each person, and what was completed in the period.
  const reached = ({ Outcome }: { Outcome: string }) => Outcome === 'passed' || Outcome === 'completed';
  const idOf = (row: { EnrollID: string | null; CompletionID?: string }) => row.EnrollID ?? row.CompletionID;
  const records = (await Promise.all(learners.map(({ LoginID }) => all(`/report/record/${LoginID}`)))).flat();
  const results = [
    ...enrolments.map(({ EnrollID, Outcome }) => [EnrollID, Outcome]),
    ...completions.map(({ CompletionID, Success }) => [CompletionID, Success]),
  ];
  assert.deepEqual(records.map((row) => [idOf(row), row.Outcome]).toSorted(), results.toSorted());
  const today = clock.now().toISOString().slice(0, 10);
  const from = new Date(clock.now().getTime() - 90 * 86_400_000).toISOString().slice(0, 10);
  const period = await all(`/report/record?From=${from}&To=${today}`);
  assert.deepEqual(period.map(idOf).toSorted(), records.filter(reached).map(idOf).toSorted());

  // Certificates: one for each pass, in every list.
  const passes = enrolments.filter(({ Outcome }) => Outcome === 'passed');
  const certificates = await all('/certificate');
  assert.equal(certificates.length, passes.length);
  const valid = certificates.filter(({ Status }) => Status === 'valid');
  const ids = (rows: readonly { EnrollID: string }[]) => rows.map(({ EnrollID }) => EnrollID).toSorted();
  assert.deepEqual(ids(valid), ids(passes));
  assert.equal(await count('/certificate?Status=valid'), passes.length);
  assert.equal((await csv('/certificate')).length, certificates.length);
  for (const LoginID of groupOf.keys()) {
    const own = certificates.filter((one) => one.LoginID === LoginID);
    assert.deepEqual(await all(`/certificate/user/${LoginID}`), own);
    const exported = (await tenant.api('GET', `/user/${LoginID}/export`)).body;
    assert.equal(
      exported.CompletionsFromElsewhere.length,
      completions.filter((one) => one.LoginID === LoginID).length,
    );
    assert.deepEqual(
      stated(exported.Obligations),
      expected.filter(([login]) => login === LoginID),
    );
    assert.deepEqual(
      exported.Certificates.map((one: Row) => one.Number),
      own.map((one) => one.Number),
    );
  }

  // The evidence pack: the same results, certificates and completions, and the report of that day from the list's groups.
  const pack = await fetch(`${service.baseUrl}/evidence`, {
    headers: { authorization: `Bearer ${tenant.key}` },
  });
  const lines = (await pack.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [proved, external] = [
    lines.filter(({ EnrollID }) => EnrollID),
    lines.filter(({ CompletionID }) => CompletionID),
  ];
  assert.equal(lines.at(-1).Rows, enrolments.length + completions.length);
  const proofs = (rows: readonly { EnrollID: string; Success: string }[]) =>
    rows.map(({ EnrollID, Success }) => [EnrollID, Success]).toSorted();
  assert.deepEqual(proofs(proved), proofs(enrolments));
  assert.deepEqual(
    proved
      .filter(({ CompletedAt }) => CompletedAt !== null)
      .map(({ EnrollID }) => EnrollID)
      .toSorted(),
    ids(enrolments.filter(reached)),
  );
  for (const { EnrollID, Certificates } of proved)
    assert.deepEqual(
      Certificates.map((one: Row) => [one.Number, one.RevokedAt]),
      certificates.filter((one) => one.EnrollID === EnrollID).map((one) => [one.Number, one.RevokedAt]),
    );
  assert.deepEqual(
    external.map(({ CompletionID, Success }) => [CompletionID, Success]),
    completions.map(({ CompletionID, Success }) => [CompletionID, Success]),
  );
}
