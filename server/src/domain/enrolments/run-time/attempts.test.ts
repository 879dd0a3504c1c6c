import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../../test/support/clock.ts';
import { click, play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../../test/support/tenant.ts';
import type { AttemptRules } from '../../catalogue/attempt-rules.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api, user } = await newTenant(service);
const file = await packCourse('phishing');

async function course(Attempts: Partial<AttemptRules> | null): Promise<string> {
  const CourseID = unique('retaken');
  expectStatus(await service.importPackage(CourseID, file), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, { Attempts }), 201);
  return CourseID;
}

async function learner(Attempts: Partial<AttemptRules> | null) {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${await course(Attempts)}`)).body;
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  const read = async () => (await api('GET', path)).body;
  const open = () => play(service, LaunchURL);
  const take = async (status: string, score: number, data: Record<string, string> = {}) => {
    const session = await open();
    expectStatus(await session.commit({ Data: { ...scorm12(status, score), ...data }, Exit: true }), 200);
    return session;
  };
  const attempts = async () => (await api('GET', `${path}/attempt`)).body.Items;
  const refusal = async () => {
    const { MayLaunch, NextAttemptAt, Rules } = (await api('GET', `${path}/explain`)).body;
    const failed = Rules.filter(({ Passed }: { Passed: boolean }) => !Passed);
    return { MayLaunch, NextAttemptAt, failed: failed.map(({ Rule }: { Rule: string }) => Rule), Rules };
  };
  const events = async () => {
    const { Items } = (await api('GET', `${path}/timeline`)).body;
    return Items.map(({ Type }: { Type: string | null }) => Type).filter(Boolean);
  };
  return { LoginID, EnrollID, LaunchURL, path, read, open, take, attempts, refusal, events };
}

const answer = (text: string) => ({
  'cmi.interactions.0.id': 'q1',
  'cmi.interactions.0.student_response': text,
  'cmi.suspend_data': `seen ${text}`,
});

test('without rules, an enrolment has one attempt that stays open', async () => {
  const { read, open, take, attempts } = await learner(null);
  await take('failed', 30, answer('a'));
  const { session } = await open();
  assert.equal(Object.values(session.Data)[0]?.['cmi.suspend_data'], 'seen a');
  const { Attempts, Attempt, AttemptsUsed } = await read();
  assert.deepEqual([Attempts, Attempt, AttemptsUsed], [null, 1, 1]);
  assert.equal((await attempts()).length, 1);
});

test('a launch after a failed attempt starts another attempt until the limit is reached', async () => {
  const { path, LaunchURL, read, open, take, attempts, refusal, events } = await learner({ Limit: 2 });
  await take('failed', 30, answer('a'));
  const { session, commit } = await open();
  assert.equal(Object.values(session.Data)[0]?.['cmi.suspend_data'], undefined);
  assert.deepEqual([session.Receipt.Success, (await read()).Attempt], ['failed', 2]);
  expectStatus(await commit({ Data: { ...scorm12('incomplete'), ...answer('b') } }), 200);
  assert.deepEqual((await refusal()).failed, []);
  const resumed = await open();
  assert.equal(Object.values(resumed.session.Data)[0]?.['cmi.suspend_data'], 'seen b');
  expectStatus(await resumed.commit({ Data: { ...scorm12('failed', 50), ...answer('b') } }), 200);
  const { MayLaunch, failed, Rules } = await refusal();
  assert.deepEqual([MayLaunch, failed], [false, ['attempts_left']]);
  const { status, text } = await click(LaunchURL);
  assert.equal(status, 403);
  assert.ok(text.includes('You have used 2 of 2 attempts at this course.'), text);
  assert.ok(text.includes(Rules.find(({ Passed }: { Passed: boolean }) => !Passed).Detail));
  const { Success, Score, AttemptsUsed } = await read();
  assert.deepEqual([Success, Score, AttemptsUsed], ['failed', 50, 2]);
  const [first, second] = await attempts();
  assert.deepEqual([first.Attempt, first.Score, first.EndedBy, first.Launches], [1, 30, 'launch', 1]);
  assert.deepEqual([second.Attempt, second.Score, second.EndedAt, second.Launches], [2, 50, null, 2]);
  const answerOf = async (query: string) =>
    (await api('GET', `${path}/activity${query}`)).body.Items[0].Interactions[0].Response;
  assert.deepEqual(
    [await answerOf('?Attempt=1'), await answerOf('?Attempt=2'), await answerOf('')],
    ['a', 'b', 'b'],
  );
  expectProblem(await api('GET', `${path}/activity?Attempt=3`), 422, 'validation_failed');
  const types = (await events()).filter((type: string) => type.includes('attempt'));
  assert.deepEqual(types, [
    'enrolment.attempt_finished',
    'enrolment.attempt_started',
    'enrolment.attempt_finished',
  ]);
});

test('a passed attempt is reopened, unless the rules start another attempt', async () => {
  const passing = await learner({ Limit: 1 });
  await passing.take('passed', 90, answer('a'));
  assert.equal((await passing.open()).session.Receipt.Success, 'passed');
  assert.equal((await passing.read()).Attempt, 1);
  const improving = await learner({ Limit: 2, After: 'finished' });
  await improving.take('passed', 70);
  await improving.take('passed', 90);
  assert.deepEqual((await improving.refusal()).failed, ['attempts_left']);
  assert.equal((await improving.read()).Score, 90);
});

test('the rules decide whether the best, last or first attempt counts', async () => {
  const results: Record<string, unknown> = {};
  for (const Counts of ['best', 'last', 'first'] as const) {
    const { take, read } = await learner({ Counts, After: 'finished' });
    for (const [status, score] of [
      ['failed', 40],
      ['passed', 90],
      ['passed', 80],
    ] as const)
      await take(status, score);
    const { Status, Success, Score, Attempt } = await read();
    results[Counts] = [Status, Success, Score, Attempt];
  }
  assert.deepEqual(results, {
    best: ['completed', 'passed', 90, 3],
    last: ['completed', 'passed', 80, 3],
    first: ['in_progress', 'failed', 40, 3],
  });
});

test('an unfinished attempt does not count if another attempt is finished', async () => {
  const { take, open, read } = await learner({ Counts: 'last' });
  await take('failed', 40);
  const { commit } = await open();
  const receipt = await commit({ Data: scorm12('incomplete', 10) });
  assert.deepEqual([receipt.body.Success, receipt.body.Score], ['failed', 40]);
  assert.deepEqual([(await read()).Score, (await read()).Attempt], [40, 2]);
});

test('a cool-down delays the next attempt', async () => {
  const { LaunchURL, take, refusal, open, read } = await learner({ CoolDown: 'PT2H' });
  await take('failed', 40);
  const { failed, NextAttemptAt } = await refusal();
  assert.deepEqual(failed, ['cool_down_over']);
  const wait = Date.parse(NextAttemptAt) - clock.now().getTime();
  assert.ok(wait > 7_190_000 && wait <= 7_200_000, String(wait));
  for (const [language, sentence] of [
    ['en', /The next attempt can start on \d+ \p{L}+ \d{4} at \d\d:\d\d UTC\./u],
    ['de', /Der nächste Versuch ist ab dem \d+\. \p{L}+ \d{4} um \d\d:\d\d UTC möglich\./u],
    ['fr', /La prochaine tentative sera possible à partir du \d+ \p{L}+ \d{4} à \d\d:\d\d UTC\./u],
  ] as const)
    assert.match((await click(LaunchURL, 'GET', { 'accept-language': language })).text, sentence);
  clock.advance({ hours: 2 });
  assert.equal((await refusal()).NextAttemptAt, null);
  await open();
  assert.equal((await read()).Attempt, 2);
});

test('a cool-down of the maximum length is not shortened', async () => {
  const { take, refusal } = await learner({ CoolDown: 'P999DT999H999M' });
  await take('failed', 40);
  const wait = Date.parse((await refusal()).NextAttemptAt) - clock.now().getTime();
  const longest = ((999 * 24 + 999) * 60 + 999) * 60_000;
  assert.ok(wait > longest - 60_000 && wait <= longest, String(wait));
});

test('late results from a launch belong to its attempt', async () => {
  const { take, open, read, attempts, path } = await learner({});
  const late = await open();
  expectStatus(await late.commit({ Data: scorm12('failed', 40) }), 200);
  const current = await open();
  expectStatus(await current.commit({ Data: scorm12('incomplete', 5) }), 200);
  const sent = { Number: late.session.NextCommit + 6, Data: { ...scorm12('passed', 95), ...answer('late') } };
  expectStatus(await late.commit(sent), 200);
  expectStatus(await late.commit(sent), 200);
  const { Success, Score, Attempt } = await read();
  assert.deepEqual([Success, Score, Attempt], ['passed', 95, 2]);
  const [first, second] = await attempts();
  assert.deepEqual([first.Score, first.Success, second.Score], [95, 'passed', 5]);
  const { Interactions } = (await api('GET', `${path}/activity?Attempt=1`)).body.Items[0];
  assert.equal(Interactions[0].Response, 'late');
  await take('failed', 20);
  assert.deepEqual([(await read()).Success, (await read()).Attempt], ['passed', 2]);
});

test('a reset keeps the history and lets the learner start over', async () => {
  const { path, read, open, take, attempts, refusal, events } = await learner({ Limit: 1 });
  const { alive } = await take('failed', 40, answer('a'));
  await assert.rejects(open());
  const reply = await api('POST', `${path}/reset`, { Reason: 'The network failed.' });
  expectStatus(reply, 200);
  const { Status, Success, Score, Progress, Attempt, AttemptsUsed, CompletedAt } = reply.body;
  assert.deepEqual([Status, Success, Score, Progress], ['in_progress', 'unknown', null, 0]);
  assert.deepEqual([Attempt, AttemptsUsed, CompletedAt], [2, 0, null]);
  assert.deepEqual(await read(), reply.body);
  assert.notEqual(await alive(), 204);
  assert.deepEqual((await refusal()).failed, []);
  const [first, second] = await attempts();
  assert.deepEqual([first.Discarded, first.EndedBy, first.Reason], [true, 'reset', 'The network failed.']);
  assert.deepEqual([second.StartedAt, second.Launches], [null, 0]);
  expectStatus(await api('POST', `${path}/reset`, { Reason: 'Again' }), 200);
  assert.equal((await read()).Attempt, 2);
  await take('passed', 80);
  assert.deepEqual([(await read()).Success, (await read()).AttemptsUsed], ['passed', 1]);
  assert.equal((await events()).filter((type: string) => type === 'enrolment.reset').length, 1);
  assert.match(JSON.stringify((await api('GET', `${path}/activity?Attempt=1`)).body), /"Response":"a"/);
});

test('a session open at the time of a reset ends, and its results do not count', async () => {
  const { path, open, read } = await learner(null);
  const { commit, alive } = await open();
  expectStatus(await commit({ Data: scorm12('incomplete', 10) }), 200);
  expectStatus(await api('POST', `${path}/reset`, { Reason: 'Wrong person' }), 200);
  expectStatus(await commit({ Data: scorm12('passed', 100) }), 200);
  assert.notEqual(await alive(), 204);
  assert.deepEqual([(await read()).Success, (await read()).Score], ['unknown', null]);
  await open();
  assert.deepEqual([(await read()).Attempt, (await read()).Launches], [2, 2]);
});

test("changing an enrolment's rules also changes which earlier attempt counts", async () => {
  const { path, take, read, refusal } = await learner({ Limit: 2, After: 'finished', Counts: 'last' });
  await take('passed', 90);
  await take('failed', 30);
  assert.deepEqual([(await read()).Score, (await refusal()).failed], [30, ['attempts_left']]);
  const reply = await api('PUT', path, { Attempts: { Limit: 3, After: 'finished' } });
  expectStatus(reply, 200);
  assert.deepEqual([reply.body.Score, reply.body.Success], [90, 'passed']);
  assert.deepEqual(reply.body.Attempts, {
    Limit: 3,
    CoolDown: null,
    Counts: 'best',
    After: 'finished',
    Review: false,
  });
  assert.deepEqual((await refusal()).failed, []);
  expectStatus(await api('PUT', path, { Attempts: null }), 200);
  assert.equal((await read()).Attempts, null);
});

test('rules set after the first attempt also apply to it', async () => {
  const { path, take, open, read } = await learner(null);
  await take('failed', 30);
  expectStatus(await api('PUT', path, { Attempts: { Limit: 2 } }), 200);
  await open();
  assert.equal((await read()).Attempt, 2);
});

test('invalid rules are rejected with a clear error', async () => {
  const CourseID = await course(null);
  const bad: [unknown, RegExp][] = [
    [{ Limit: 0 }, /Limit.*1 or more/],
    [{ Limit: 101 }, /Limit.*100 or less/],
    [{ CoolDown: 'tomorrow' }, /CoolDown.*P1D/],
    [{ CoolDown: 'P1M' }, /CoolDown.*P1D/],
    [{ Counts: 'average' }, /Counts.*best/],
    [{ Limit: 1, CoolDown: 'P1D' }, /no second attempt/],
  ];
  for (const [Attempts, wording] of bad) {
    const reply = await service.api('PUT', `/course/${CourseID}/option/open`, { Attempts });
    expectProblem(reply, 422, 'validation_failed');
    assert.match(`${reply.body.param} ${reply.body.detail}`, wording);
    assert.match(reply.body.param, /^Attempts/);
  }
  const unknown = await service.api('PUT', `/course/${CourseID}/option/open`, { Attempts: { Max: 3 } });
  expectProblem(unknown, 422, 'unknown_field');
});

test("another tenant's enrolment is not found, and a reason is required", async () => {
  const { path, take } = await learner(null);
  await take('failed', 30);
  const other = await newTenant(service);
  const body = { Reason: 'Mine' };
  expectProblem(await other.api('POST', `${path}/reset`, body), 404, 'enrolment_not_found');
  expectProblem(await other.api('GET', `${path}/attempt`), 404, 'enrolment_not_found');
  expectProblem(await api('POST', `${path}/reset`, {}), 422, 'validation_failed');
});

test('a new attempt plays the current release', async () => {
  const { path, take, open } = await learner({});
  const { CourseID } = (await api('GET', path)).body;
  await take('failed', 30);
  expectStatus(await service.importPackage(CourseID, await packCourse('fire-safety')), 200);
  const { session } = await open();
  assert.match(JSON.stringify(session.Tree), /fire/i);
  const { Items } = (await api('GET', `${path}/activity?Attempt=1`)).body;
  assert.notEqual(Items[0].Title, null);
});

test("an erased person's earlier attempts keep only results", async () => {
  const { LoginID, path, take } = await learner({});
  await take('failed', 30, answer('private words'));
  await take('passed', 80);
  expectStatus(await api('POST', `${path}/reset`, { Reason: 'private reason' }), 200);
  const known = JSON.stringify((await api('GET', `/user/${LoginID}/export`)).body);
  assert.match(known, /private words/);
  assert.match(known, /private reason/);
  expectStatus(await api('DELETE', `/user/${LoginID}`), 200);
});
