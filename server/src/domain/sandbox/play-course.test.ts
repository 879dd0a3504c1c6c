import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { au, courseStructure } from '../../../../standards/cmi5/test-support.ts';
import { categories, extensions, lmsVerbs } from '../../../../standards/cmi5/vocabulary.ts';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { importAicc } from '../../../test/support/aicc.ts';
import { packFiles, packUnits } from '../../../test/support/packages.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant, unique } from '../../../test/support/tenant.ts';

let now = () => new Date();
const service = await startService({ now: () => now() });
after(service.close);
const sandbox = await newTenant(service, { Status: 'test' });

async function imported(zip: string): Promise<string> {
  const CourseID = unique('robot');
  expectStatus(await service.importPackage(CourseID, zip), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/standard`, {}), 201);
  return CourseID;
}

async function robotOf(CourseID: string, tenant = sandbox) {
  const LoginID = await tenant.user();
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const types = async () => (await tenant.events({ EnrollID })).map(({ type }) => type);
  const address = `/test/play/${EnrollID}`;
  return {
    LoginID,
    EnrollID,
    types,
    play: (body: object, headers = {}) => tenant.api('POST', address, body, headers),
  };
}

const resultOf = ({ body }: { body: Record<string, unknown> }) => [
  body.Status,
  body.Completion,
  body.Success,
  body.Score,
];

test('the robot completes a web page, which has no score', async () => {
  const { play, types } = await robotOf(await newCourse(service));
  const begun = await play({ Status: 'incomplete' });
  expectStatus(begun, 200);
  assert.deepEqual(resultOf(begun), ['in_progress', 'incomplete', 'unknown', null]);
  assert.deepEqual(resultOf(await play({ Status: 'passed', Score: 85 })), [
    'completed',
    'completed',
    'unknown',
    null,
  ]);
  const all = await types();
  assert.equal(all.filter((type) => type === 'enrolment.launched').length, 2);
  assert.ok(all.includes('enrolment.completed'));
});

test('the robot fails and then passes SCORM 1.2 courses of one and several units', async () => {
  for (const zip of [await packCourse('phishing'), await packUnits(3)]) {
    const { play, types } = await robotOf(await imported(zip));
    const failed = await play({ Status: 'failed', Score: 20 });
    expectStatus(failed, 200);
    assert.deepEqual(resultOf(failed).slice(2), ['failed', 20]);
    assert.deepEqual(resultOf(await play({ Status: 'passed', Score: 85 })), [
      'completed',
      'completed',
      'passed',
      85,
    ]);
    const all = await types();
    assert.ok(all.includes('enrolment.failed') && all.includes('enrolment.passed'), all.join());
  }
});

test('the robot passes a SCORM 2004 course, once per Idempotency-Key', async () => {
  const { play, types } = await robotOf(await imported(await packCourse('fire-safety')));
  const headers = { 'idempotency-key': unique('play') };
  for (const _ of [1, 2]) {
    const passed = await play({ Status: 'passed', Score: 90 }, headers);
    expectStatus(passed, 200);
    assert.deepEqual(resultOf(passed), ['completed', 'completed', 'passed', 90]);
  }
  assert.equal((await types()).filter((type) => type === 'enrolment.launched').length, 1);
});

test('the robot passes an AICC course', async () => {
  const { play } = await robotOf(await importAicc(service));
  const passed = await play({ Status: 'passed', Score: 95 });
  expectStatus(passed, 200);
  assert.deepEqual(resultOf(passed), ['completed', 'completed', 'passed', 95]);
});

const cmi5 = (...aus: string[]) =>
  packFiles({ 'cmi5.xml': courseStructure(aus.join('')), 'index.html': '<!doctype html>' });
const auOf = (name: string, attributes: string) => au({ id: `https://example.com/${name}`, attributes });

type Sent = {
  verb: { id: string };
  result?: { score?: { scaled: number }; success?: boolean; completion?: boolean; duration?: string };
  context: {
    extensions?: Record<string, unknown>;
    contextActivities?: { grouping?: { id: string }[]; category?: { id: string }[] };
  };
};

/** The statements of an enrolment, oldest first, without those of the service itself. */
async function sentBy({ EnrollID }: { EnrollID: string }): Promise<Sent[]> {
  const query = new URLSearchParams({ registration: EnrollID, ascending: 'true', limit: '200' });
  const version = { 'x-experience-api-version': '1.0.3' };
  const { body } = await sandbox.api('GET', `/xapi/statements?${query}`, undefined, version);
  const own = Object.values(lmsVerbs) as string[];
  return (body.statements as Sent[]).filter(({ verb }) => !own.includes(verb.id));
}

const unitOf = ({ context }: Sent) => context.contextActivities?.grouping?.[0]?.id.split('/').at(-1);
const verbOf = ({ verb }: Sent) => verb.id.split('/').at(-1) ?? '';

/** The verbs of each unit, in order. */
const verbsByUnit = (statements: Sent[]) =>
  Object.fromEntries(
    [...Map.groupBy(statements, unitOf)].map(([unit, sent]) => [unit, sent.map(verbOf).join(' ')]),
  );

test('the robot passes a cmi5 course of several AUs, in one launch', async () => {
  const zip = await cmi5(
    auOf('reading', 'moveOn="Completed"'),
    auOf('exam', 'moveOn="CompletedAndPassed" masteryScore="0.8"'),
    auOf('quiz', 'moveOn="Passed"'),
    auOf('extra', 'moveOn="NotApplicable"'),
  );
  const robot = await robotOf(await imported(zip));
  const passed = await robot.play({ Status: 'passed', Score: 85 });
  expectStatus(passed, 200);
  assert.deepEqual(resultOf(passed), ['completed', 'completed', 'passed', 85]);
  assert.deepEqual([passed.body.Launches, passed.body.TotalSeconds, passed.body.Progress], [1, 4, 100]);

  const statements = await sentBy(robot);
  const all = 'initialized passed completed terminated';
  assert.deepEqual(verbsByUnit(statements), { reading: all, exam: all, quiz: all, extra: all });
  const exam = statements.filter((statement) => unitOf(statement) === 'exam');
  const mastery = exam.map(({ context }) => context.extensions?.[extensions.masteryScore]);
  assert.deepEqual(mastery, [undefined, 0.8, undefined, undefined]);
  assert.equal(new Set(exam.map(({ context }) => context.extensions?.[extensions.sessionId])).size, 1);
  assert.deepEqual(
    exam.map(({ context }) => context.contextActivities?.category?.map(({ id }) => id)),
    [
      [categories.cmi5],
      [categories.cmi5, categories.moveOn],
      [categories.cmi5, categories.moveOn],
      [categories.cmi5],
    ],
  );
  assert.deepEqual(
    exam.map(({ result }) => result),
    [
      undefined,
      { score: { scaled: 0.85 }, success: true, duration: 'PT1S' },
      { completion: true, duration: 'PT1S' },
      { duration: 'PT1S' },
    ],
  );
  const types = await robot.types();
  for (const type of ['launched', 'progressed', 'completed', 'passed'])
    assert.ok(types.includes(`enrolment.${type}`), types.join());
  assert.equal(types.filter((type) => type === 'enrolment.launched').length, 1);
});

test('a score below the mastery score of an AU is reported as failed, and a score above it as passed', async () => {
  const zip = await cmi5(
    auOf('exam', 'moveOn="CompletedAndPassed" masteryScore="0.333"'),
    auOf('quiz', 'moveOn="Passed"'),
  );
  const robot = await robotOf(await imported(zip));
  const missed = await robot.play({ Status: 'passed', Score: 33.2 });
  expectStatus(missed, 200);
  assert.deepEqual(resultOf(missed), ['in_progress', 'incomplete', 'failed', 33.2]);
  assert.deepEqual(verbsByUnit(await sentBy(robot)), {
    exam: 'initialized failed terminated',
    quiz: 'initialized passed completed terminated',
  });
  assert.ok((await robot.types()).includes('enrolment.failed'));
  const reached = await robot.play({ Status: 'failed', Score: 33.3 });
  expectStatus(reached, 200);
  assert.deepEqual(resultOf(reached), ['completed', 'completed', 'passed', 33.25]);
});

test('the robot reports each status to a cmi5 course as AUs do, and reports nothing twice', async () => {
  const zip = await cmi5(auOf('exam', 'moveOn="CompletedAndPassed"'));
  const robot = await robotOf(await imported(zip));
  const plays: [object, string, unknown[]][] = [
    [{ Status: 'incomplete', Score: 10 }, '', ['in_progress', 'incomplete', 'unknown', null]],
    [{ Status: 'failed', Score: 20 }, 'failed ', ['in_progress', 'incomplete', 'failed', 20]],
    [{ Status: 'completed', Score: 30 }, 'completed ', ['in_progress', 'incomplete', 'failed', 20]],
    [{ Status: 'passed' }, 'passed ', ['completed', 'completed', 'passed', 20]],
    // The AU is completed and passed, so it is opened for review.
    [{ Status: 'passed', Score: 90 }, '', ['completed', 'completed', 'passed', 20]],
  ];
  const verbs: string[] = [];
  for (const [body, reported, result] of plays) {
    const played = await robot.play(body);
    expectStatus(played, 200);
    assert.deepEqual(resultOf(played), result);
    verbs.push(`initialized ${reported}terminated`);
    assert.equal((await sentBy(robot)).map(verbOf).join(' '), verbs.join(' '));
  }
});

test('an Idempotency-Key also covers the statements of a cmi5 course', async () => {
  const zip = await cmi5(auOf('one', 'moveOn="Completed"'), auOf('two', 'moveOn="Completed"'));
  const robot = await robotOf(await imported(zip));
  const headers = { 'idempotency-key': unique('play') };
  for (const _ of [1, 2]) {
    const played = await robot.play({ Status: 'completed' }, headers);
    expectStatus(played, 200);
    assert.deepEqual(
      [...resultOf(played), played.body.Launches],
      [...['completed', 'completed', 'unknown', null, 1]],
    );
  }
  assert.equal((await sentBy(robot)).length, 6);
});

test('plays at the same time, with and without an Idempotency-Key, do not block each other', async () => {
  const tenant = await newTenant(service, { Status: 'test' });
  const names = Array.from({ length: 20 }, (_, n) => `part-${n}`);
  const CourseID = await imported(await cmi5(...names.map((name) => auOf(name, 'moveOn="Completed"'))));
  const robots = [];
  for (let n = 0; n < 5; n++) robots.push(await robotOf(CourseID, tenant));
  const plays = await Promise.all(
    robots.map(({ play }, n) =>
      play({ Status: 'passed' }, n % 2 ? { 'idempotency-key': unique('play') } : {}),
    ),
  );
  for (const played of plays) {
    expectStatus(played, 200);
    assert.deepEqual([played.body.Status, played.body.Launches], ['completed', 1]);
  }
});

test('the robot plays an xAPI package with statements about its activities', async () => {
  const activity = (id: string) =>
    `<activity id="urn:lectern:${id}"><name>${id}</name><launch>index.html</launch></activity>`;
  const tincan = `<tincan><activities>${activity('one')}${activity('two')}</activities></tincan>`;
  const CourseID = await imported(await packFiles({ 'tincan.xml': tincan, 'index.html': '<!doctype html>' }));
  const robot = await robotOf(CourseID);
  const plays: [object, string, unknown[]][] = [
    [{ Status: 'incomplete' }, 'attempted', ['in_progress', 'incomplete', 'unknown', null]],
    [{ Status: 'failed', Score: 40 }, 'failed', ['in_progress', 'incomplete', 'failed', 40]],
    [{ Status: 'passed', Score: 85 }, 'passed', ['completed', 'completed', 'passed', 85]],
  ];
  for (const [n, [body, verb, result]] of plays.entries()) {
    const played = await robot.play(body);
    expectStatus(played, 200);
    assert.deepEqual([...resultOf(played), played.body.Launches], [...result, n + 1]);
    assert.deepEqual((await sentBy(robot)).slice(2 * n).map(verbOf), [verb, verb]);
  }
  const types = await robot.types();
  for (const type of ['failed', 'passed', 'completed']) assert.ok(types.includes(`enrolment.${type}`), type);

  const other = await robotOf(CourseID);
  const completed = await other.play({ Status: 'completed' });
  assert.deepEqual(resultOf(completed), ['completed', 'completed', 'unknown', null]);
});

test('in a large cmi5 course, each play reports the next 30 AUs, at most once a minute', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `part-${n}`);
  const zip = await cmi5(...names.map((name) => auOf(name, 'moveOn="Completed"')));
  const robot = await robotOf(await imported(zip));
  const first = await robot.play({ Status: 'completed' });
  expectStatus(first, 200);
  assert.deepEqual([first.body.Status, first.body.Progress], ['in_progress', 75]);
  const early = await robot.play({ Status: 'completed' });
  expectProblem(early, 429, 'too_many_requests');
  assert.match(early.body.detail, /Limit of 30 launches of units/);
  now = () => new Date(Date.now() + 61_000);
  const second = await robot.play({ Status: 'completed' });
  now = () => new Date();
  expectStatus(second, 200);
  assert.deepEqual([second.body.Status, second.body.Launches], ['completed', 2]);
});

test('in a large SCORM course, each play reports the next 30 units', async () => {
  const robot = await robotOf(await imported(await packUnits(40)));
  const first = await robot.play({ Status: 'completed' });
  expectStatus(first, 200);
  assert.deepEqual([first.body.Status, first.body.Progress], ['in_progress', 75]);
  const second = await robot.play({ Status: 'completed' });
  expectStatus(second, 200);
  assert.deepEqual([second.body.Status, second.body.Launches], ['completed', 2]);
});

test('one of two simultaneous plays may fail because the other supersedes its session', async () => {
  const zip = await cmi5(...['one', 'two', 'three'].map((name) => auOf(name, 'moveOn="Completed"')));
  const robot = await robotOf(await imported(zip));
  const plays = await Promise.all([1, 2].map(() => robot.play({ Status: 'completed' })));
  for (const reply of plays) if (reply.status !== 200) expectProblem(reply, 409, 'session_superseded');
  assert.ok(plays.some(({ status }) => status === 200));
});

test('the robot is refused like a learner, plays only in test tenants, and sees no other tenant', async () => {
  const CourseID = await newCourse(service, {}, { month: { Duration: 'P30D' } });
  const own = await robotOf(CourseID);
  expectStatus(await sandbox.api('POST', '/test/clock', { Advance: 'P31D' }), 200);
  expectProblem(await own.play({ Status: 'passed' }), 403, 'launch_refused');
  const normal = await robotOf(CourseID, await newTenant(service));
  expectProblem(await normal.play({ Status: 'passed' }), 409, 'not_a_test_tenant');
  for (const id of [normal.EnrollID, 'nobody'])
    expectProblem(
      await sandbox.api('POST', `/test/play/${id}`, { Status: 'passed' }),
      404,
      'enrolment_not_found',
    );
  expectProblem(await own.play({ Status: 'won' }), 422, 'validation_failed', 'Status');
  expectProblem(await own.play({ Status: 'passed', Score: 101 }), 422, 'validation_failed', 'Score');
});
