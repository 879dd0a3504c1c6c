import assert from 'node:assert/strict';
import { after } from 'node:test';
import { parse } from 'csv-parse/sync';
import { packCourse } from '../../../test/journeys/course-packages.ts';
import { mailAttachments, mailChecks } from '../../src/app/mail-checks.ts';
import { issueCertificates } from '../../src/domain/certificates/issue.ts';
import { expireEnrolments } from '../../src/domain/enrolments/expire.ts';
import { type Outcome, outcomes } from '../../src/domain/enrolments/record/states.ts';
import { startDispatcher } from '../../src/domain/events/webhooks/dispatcher.ts';
import { sendMails } from '../../src/domain/mail/send.ts';
import { countActivity } from '../../src/domain/reports/count-activity.ts';
import { countCompletion } from '../../src/domain/reports/count-completion.ts';
import { runSchedules } from '../../src/domain/reports/schedules/run-schedules.ts';
import { followRequirements } from '../../src/domain/requirements/follow.ts';
import { movableClock } from './clock.ts';
import { play, scorm12 } from './player.ts';
import { startService, type TestService } from './service.ts';
import { startMailServer } from './smtp.ts';
import { expectStatus, newTenant, type TestTenant } from './tenant.ts';
import { until } from './until.ts';
import { startReceiver } from './webhooks.ts';

/** How many people hold how many enrolments, in turn on so many courses and in so many groups. */
export type Size = { people: number; enrolments: number; courses: number; groups: number };

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

/**
 * One mixed set of enrolments, as everyone sees it: records, lists, counts, files, reports, events, webhooks, emails,
 * obligations, certificates and evidence. Failed counts nowhere as passed.
 */
export async function everyFigureAgrees({ people, enrolments, courses, groups }: Size): Promise<void> {
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

  const tenant = await newTenant(service, { Language: 'en' });
  const hook = { URL: receiver.url };
  expectStatus(await tenant.api('POST', '/webhook', hook), 201);
  const boss = await tenant.user({ IsAdmin: true, Email: 'boss@acme.example' });
  const schedule = {
    ...{ Name: 'Daily', Report: 'completion', By: 'group', Delivery: 'email', Recipients: [boss] },
    ...{ Every: 'day', Time: '07:00', TimeZone: 'UTC' },
  };
  expectStatus(await tenant.api('POST', '/report/schedule', schedule), 201);
  const courseIds = Array.from({ length: courses }, (_, at) => `phishing-${at + 1}`);
  const file = await packCourse('phishing');
  for (const course of courseIds) {
    await service.importPackage(course, file);
    expectStatus(await service.api('PUT', `/course/${course}/option/month`, { Duration: 'P30D' }), 201);
    const certificate = { Title: course, Certificate: { On: 'passed' } };
    expectStatus(await service.api('PUT', `/course/${course}`, certificate), 200);
  }
  const groupNames = ['Sales', 'Support', 'Warehouse', 'Office', 'Drivers'].slice(0, groups);
  const users = Array.from({ length: people }, (_, n) => ({
    ...{ LoginID: `learner-${n}`, GroupName: groupNames[n % groups], ManagerLoginID: boss },
  }));
  await bulk(tenant, '/user/bulk', users);
  const rows = courseIds
    .flatMap((CourseID) => users.map(({ LoginID }) => ({ LoginID, CourseID })))
    .slice(0, enrolments);
  assert.equal(rows.length, enrolments);
  const wanted = new Map<string, Wanted>();
  await eachOf(await bulk(tenant, '/enrol/bulk', rows), async (enrolled, n) => {
    const { LoginID = '', CourseID: course = '', EnrollID = '', LaunchURL = '' } = enrolled;
    // Each course and each group gets all stories.
    const who = n % people;
    const [outcome, happen] = stories[(who + 3 * Math.floor(n / people)) % stories.length] as Story;
    await happen({
      report: async (status, score) => {
        expectStatus(await (await play(service, LaunchURL)).commit({ Data: scorm12(status, score) }), 200);
      },
      put: async (body) =>
        expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, body), 200),
    });
    wanted.set(EnrollID, { outcome, course, group: groupNames[who % groups] ?? '' });
  });
  clock.advance({ days: 31 });
  await toEnd(() => expireEnrolments(service.ctx));

  const expected = [...wanted].map(([id, { outcome }]) => [id, outcome] as const).toSorted();
  const countOf = (outcome: string, { group, course }: Part = {}) =>
    [...wanted.values()].filter(
      (one) =>
        outcome.split(',').includes(one.outcome) &&
        (group === undefined || one.group === group) &&
        (course === undefined || one.course === course),
    ).length;
  const all = everyRow(tenant);

  // Records, the list, its filter and its counts.
  const items = (await Promise.all(courseIds.map((course) => all(`/enrolment?CourseID=${course}`)))).flat();
  assert.deepEqual(outcomesOf(items), expected);
  await eachOf(items, async ({ LoginID, EnrollID, Outcome }) => {
    assert.equal((await tenant.api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body.Outcome, Outcome);
  });
  await eachOf(users, async ({ LoginID }) => {
    const own = items.filter((one) => one.LoginID === LoginID);
    const { Enrolments } = (await tenant.api('GET', `/user/${LoginID}/export`)).body;
    assert.deepEqual(outcomesOf(Enrolments), outcomesOf(own));
  });
  for (const outcome of [...outcomes, 'passed,completed']) {
    const { body } = await tenant.api('GET', `/enrolment?Outcome=${outcome}&Count=true`);
    assert.equal(body.Count.Records, countOf(outcome), outcome);
    assert.equal((await all(`/enrolment?Outcome=${outcome}`)).length, countOf(outcome), outcome);
  }

  // The file.
  const csv = async (path: string) =>
    parse((await tenant.api('GET', path, undefined, { accept: 'text/csv' })).body, {
      columns: true,
    }) as Row[];
  assert.deepEqual(outcomesOf(await csv('/enrolment')), expected);

  // Events, and the webhooks that carried them: the last word about each enrolment.
  const last = new Map<string, unknown>();
  const events = await everyEvent(tenant);
  for (const { EnrollID, Data } of events) if (Data.Outcome) last.set(EnrollID, Data.Outcome);
  for (const { EnrollID } of await all('/enrolment?Outcome=not_started'))
    last.set(EnrollID, last.get(EnrollID) ?? 'not_started');
  assert.deepEqual([...last].toSorted(), expected);
  await until('all webhooks have arrived', () => receiver.received.length >= events.length, 300);
  const sent = new Map(receiver.received.map(({ event }) => [event.EventID, event.Data]));
  for (const { EventID, Data } of events) assert.deepEqual(sent.get(EventID), Data);

  // The report, its file, and the file in the email.
  await tenant.api('GET', '/report/completion');
  await toEnd(() => countCompletion(service.ctx));
  const figures = {
    ...{ NotStarted: 'not_started', InProgress: 'in_progress', Passed: 'passed', Failed: 'failed' },
    ...{ Completed: 'passed,completed', Expired: 'expired', Withdrawn: 'withdrawn' },
  };
  const check = (line: Record<string, unknown>, part: Part = {}) => {
    for (const [figure, outcome] of Object.entries(figures))
      assert.equal(Number(line[figure]), countOf(outcome, part), `${figure} ${JSON.stringify(part)}`);
    const relevant = countOf(outcomes.filter((one) => one !== 'withdrawn').join(), part);
    const rate = Math.round((1_000 * countOf('passed,completed', part)) / relevant) / 10;
    assert.equal(Number(line.CompletionRate), rate);
  };
  const [total] = (await tenant.api('GET', '/report/completion?By=total')).body.Items;
  check(total);
  assert.equal(
    total.Enrolments,
    total.NotStarted + total.InProgress + total.Completed + total.Failed + total.Expired + total.Withdrawn,
  );
  for (const { GroupName: group, CourseID: course, ...line } of [
    ...(await csv('/report/completion?By=group')),
    ...(await csv('/report/completion?By=course')),
    ...(await csv('/report/completion?By=course_and_group')),
  ])
    check(line, { ...(group && { group }), ...(course && { course }) });
  clock.advance({ days: 1 });
  await runSchedules(service.ctx);
  await sendMails(service.ctx, mailChecks, mailAttachments);
  const [mail] = mails.mails;
  const mailed = parse(mail?.csv ?? '', { columns: true, bom: true }) as Row[];
  assert.deepEqual(mailed.map(({ GroupName }) => GroupName).toSorted(), groupNames.toSorted());
  for (const { GroupName = '', ...line } of mailed) check(line, { group: GroupName });

  const from = new Date(clock.now().getTime() - 60 * 86_400_000).toISOString().slice(0, 10);
  // What happened, by day. An enrolment that fails is not completed on that day.
  await tenant.api('GET', '/report/activity');
  await toEnd(() => countActivity(service.ctx));
  const days = await all(`/report/activity?From=${from}`);
  const completions = events.filter(
    ({ Type, Data }) => Type === 'enrolment.completed' && Data.Outcome !== 'failed',
  );
  assert.equal(
    days.reduce((sum, day) => sum + day.Completions, 0),
    completions.length,
  );

  await proofAgrees(service, tenant, {
    clock,
    courses: courseIds,
    groups: groupNames,
    people,
    manager: boss,
    csv,
  });
}

// biome-ignore lint/suspicious/noExplicitAny: each list and file has other fields.
type Row = Record<string, any>;
type Wanted = { outcome: Outcome; course: string; group: string };
type Part = { group?: string; course?: string };
type Obligation = {
  LoginID: string;
  RequirementID: string;
  Status: string;
  External: boolean;
  EnrollID: string | null;
};
type Enrolment = { LoginID: string; EnrollID: string; CourseID: string; Outcome: Outcome; Success: string };
type Proved = {
  clock: ReturnType<typeof movableClock>;
  courses: string[];
  groups: string[];
  people: number;
  manager: string;
  csv: (path: string) => Promise<Row[]>;
};

/** What is required, completed elsewhere, certified and proved to auditors follows from the same outcomes. */
async function proofAgrees(
  service: TestService,
  tenant: TestTenant,
  { clock, courses, groups, people, manager, csv }: Proved,
): Promise<void> {
  const all = everyRow(tenant);
  const count = async (path: string): Promise<number> =>
    (await tenant.api('GET', `${path}&Count=true&Limit=1`)).body.Count.Records;

  // Of those who have not completed it, one did so elsewhere, one failed there, and one completion was a mistake.
  const [course = ''] = courses;
  const unfinished = `/enrolment?Outcome=expired,not_started,in_progress&CourseID=${course}`;
  const open = (await all(unfinished)) as Enrolment[];
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

  // Each course is required of everybody.
  for (const required of courses) {
    const requirement = {
      ...{ Title: required, CourseIDs: [required], Audience: { Groups: groups } },
      ...{ DueAfter: 'P14D', CountsEarlier: true },
    };
    expectStatus(await tenant.api('PUT', `/requirement/${required}?Confirm=${people}`, requirement), 201);
  }
  await toEnd(() => followRequirements(service.ctx));
  clock.advance({ days: 20 });
  await toEnd(() => expireEnrolments(service.ctx));
  await toEnd(() => followRequirements(service.ctx));
  await toEnd(() => issueCertificates(service.ctx));

  const enrolments = (await all('/enrolment')) as Enrolment[];
  const learners = (await all('/user')).filter(({ GroupName }) => GroupName);
  const completed = new Set(
    [
      ...enrolments.filter(({ Outcome }) => Outcome === 'passed' || Outcome === 'completed'),
      ...completions.filter(({ Success }) => Success !== 'failed'),
    ].map(({ LoginID, CourseID }) => `${LoginID} ${CourseID}`),
  );
  const met = (LoginID: string, course: string) => completed.has(`${LoginID} ${course}`);
  const expectedOf = (LoginID: string) =>
    courses.map((course) => [LoginID, course, met(LoginID, course) ? 'met' : 'overdue']);
  const expected = learners.flatMap(({ LoginID }) => expectedOf(LoginID)).toSorted();

  // Obligations: the list, its file, each person's, the explanation, the manager's team.
  const obligations = (await all('/obligation?Present=true')) as Obligation[];
  const stated = (rows: readonly Row[]) =>
    rows.map(({ LoginID, RequirementID, Status }) => [LoginID, RequirementID, Status]).toSorted();
  assert.deepEqual(stated(obligations), expected);
  assert.deepEqual(stated(await csv('/obligation?Present=true')), expected);
  assert.deepEqual(
    obligations.filter(({ External }) => External).map(({ LoginID }) => LoginID),
    [elsewhere],
  );
  const team = new Map((await all(`/team/${manager}`)).map((member) => [member.LoginID, member]));
  await eachOf(learners, async ({ LoginID }) => {
    const own = expectedOf(LoginID);
    assert.deepEqual(stated(await all(`/obligation/${LoginID}`)), own);
    const { Met, Overdue } = team.get(LoginID) ?? {};
    const isMet = own.filter(([, , status]) => status === 'met').length;
    assert.deepEqual([Met, Overdue], [isMet, own.length - isMet]);
  });
  await eachOf(expected, async ([LoginID, RequirementID, status]) => {
    const why = (await tenant.api('GET', `/obligation/${LoginID}/${RequirementID}/explain`)).body;
    assert.deepEqual([why.Status, why.SatisfiedBy !== null], [status, status === 'met']);
  });

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
  assert.deepEqual([sum?.Obligations, sum?.Met], [expected.length, completed.size]);

  // The last word of the events about each obligation.
  const told = new Map<string, string>();
  for (const { Type, LoginID, Data } of await everyEvent(tenant))
    if (/^obligation\.(met|overdue)$/.test(Type))
      told.set(`${LoginID} ${Data.RequirementID}`, Type.slice('obligation.'.length));
  assert.deepEqual(
    [...told].toSorted(),
    expected.map(([login, rule, status]) => [`${login} ${rule}`, status]).toSorted(),
  );

  // Training records: of each person, and what was completed in the period.
  const reached = ({ Outcome }: Row) => Outcome === 'passed' || Outcome === 'completed';
  const idOf = (row: Row) => row.EnrollID ?? row.CompletionID;
  const records: Row[] = [];
  await eachOf(learners, async ({ LoginID }) => {
    records.push(...(await all(`/report/record/${LoginID}`)));
  });
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
  const ids = (rows: readonly Row[]) => rows.map(({ EnrollID }) => EnrollID).toSorted();
  assert.deepEqual(ids(valid), ids(passes));
  assert.equal(await count('/certificate?Status=valid'), passes.length);
  assert.equal((await csv('/certificate')).length, certificates.length);
  await eachOf(learners, async ({ LoginID }) => {
    const own = certificates.filter((one) => one.LoginID === LoginID);
    assert.deepEqual(await all(`/certificate/user/${LoginID}`), own);
    const exported = (await tenant.api('GET', `/user/${LoginID}/export`)).body;
    assert.equal(
      exported.CompletionsFromElsewhere.length,
      completions.filter((one) => one.LoginID === LoginID).length,
    );
    assert.deepEqual(stated(exported.Obligations), expectedOf(LoginID));
    assert.deepEqual(
      exported.Certificates.map((one: Row) => one.Number),
      own.map((one) => one.Number),
    );
  });

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
  const proofs = (rows: readonly Row[]) =>
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

const outcomesOf = (rows: readonly Row[]) =>
  rows.map(({ EnrollID, Outcome }) => [EnrollID, Outcome]).toSorted();

/** Reads a list to its end. The first page is short, so that short lists have two pages too. */
function everyRow(tenant: TestTenant) {
  return async (path: string): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let more = 'Limit=7'; ; ) {
      const reply = await tenant.api('GET', `${path}${path.includes('?') ? '&' : '?'}${more}`);
      expectStatus(reply, 200);
      rows.push(...reply.body.Items);
      if (reply.body.NextCursor === null) return rows;
      more = `Limit=200&Cursor=${encodeURIComponent(reply.body.NextCursor)}`;
    }
  };
}

// biome-ignore lint/suspicious/noExplicitAny: each type of event has other data.
type AnyEvent = { EventID: string; Type: string; LoginID: string; EnrollID: string; Data: any };

async function everyEvent(tenant: TestTenant): Promise<AnyEvent[]> {
  const events: AnyEvent[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await tenant.api('GET', `/events?Limit=200${cursor && `&Cursor=${cursor}`}`);
    if (body.Items.length === 0) return events;
    events.push(...body.Items);
    cursor = encodeURIComponent(body.NextCursor);
  }
}

/** Sends the rows to a bulk operation that must accept them all, and returns its answer to each. */
async function bulk(tenant: TestTenant, path: string, rows: readonly object[]): Promise<Row[]> {
  const lines = rows.map((row) => JSON.stringify(row)).join('\n');
  const reply = await tenant.api('POST', path, lines, { 'content-type': 'application/x-ndjson' });
  expectStatus(reply, 200);
  const answers: Row[] = reply.body
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  for (const answer of answers) assert.equal(Number(answer.Status), 201, JSON.stringify(answer));
  return answers;
}

/** Runs the job until nothing is left. On a slow machine, one run ends before that. */
async function toEnd(job: () => Promise<unknown>): Promise<void> {
  let took: number;
  do {
    const begun = performance.now();
    await job();
    took = performance.now() - begun;
  } while (took > 15_000);
}

/** Works on eight of them at a time. */
async function eachOf<One>(
  list: readonly One[],
  work: (one: One, at: number) => Promise<void>,
): Promise<void> {
  const left = list.entries();
  const worker = async () => {
    for (const [at, one] of left) await work(one, at);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}
