import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { allPages, expectProblem, expectStatus, newTenant, unique } from '../../../../test/support/tenant.ts';
import type { AttemptRules } from '../../catalogue/attempt-rules.ts';

const service = await startService();
after(service.close);
const tenant = await newTenant(service);
const { api, user } = tenant;
const file = await packCourse('phishing');

async function course(Attempts: Partial<AttemptRules> | null = null): Promise<string> {
  const CourseID = unique('asked');
  expectStatus(await service.importPackage(CourseID, file), 201);
  await service.api('PUT', `/course/${CourseID}/option/open`, { Attempts });
  return CourseID;
}

const answers = (count: number, more = '') =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      [`cmi.interactions.${n}.id`, `q${n}`],
      [`cmi.interactions.${n}.student_response`, `a${n}${more}`],
      [`cmi.interactions.${n}.result`, n % 2 ? 'correct' : 'wrong'],
      [`cmi.interactions.${n}.latency`, '00:00:05'],
    ]).flat(),
  );

async function answered(CourseID: string, data: Record<string, string>) {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const { commit } = await play(service, LaunchURL);
  expectStatus(await commit({ Data: { ...scorm12('passed', 80), ...data } }), 200);
  return { LoginID, EnrollID, address: `/enrolment/${LoginID}/${EnrollID}` };
}

test("an enrolment's activity shows units, objectives and interactions", async () => {
  const objective = { 'cmi.objectives.0.id': 'links', 'cmi.objectives.0.status': 'passed' };
  const { address } = await answered(await course(), { ...answers(2), ...objective });
  const reply = await api('GET', `${address}/activity`);
  expectStatus(reply, 200);
  const [unit, ...others] = reply.body.Items;
  assert.deepEqual(others, []);
  assert.deepEqual([unit.Success, unit.Score, unit.Launch, unit.Attempts], ['passed', 80, 1, null]);
  assert.deepEqual(unit.Objectives, [
    { ObjectiveID: 'links', Description: null, Completion: 'completed', Success: 'passed', Score: null },
  ]);
  const [first, second] = unit.Interactions;
  assert.deepEqual(
    [first.InteractionID, first.Response, first.Result, first.LatencySeconds],
    ['q0', 'a0', 'incorrect', 5],
  );
  assert.equal(second.Result, 'correct');
});

test('only the enrolment of this user and tenant is shown', async () => {
  const { address, EnrollID } = await answered(await course(), answers(1));
  expectProblem(
    await api('GET', `/enrolment/${await user()}/${EnrollID}/activity`),
    404,
    'enrolment_not_found',
  );
  const other = await newTenant(service);
  expectProblem(await other.api('GET', `${address}/activity`), 404, 'enrolment_not_found');
});

test("a course's interactions are listed page by page and as CSV, for this tenant only", async () => {
  const CourseID = await course();
  const learners = [];
  for (const count of [3, 0, 5]) learners.push(await answered(CourseID, answers(count)));
  for (let idle = 0; idle < 30; idle += 1) await api('POST', `/enrol/${await user()}/${CourseID}`);
  learners.push(await answered(CourseID, answers(2)));
  const address = `/enrolment/course/${CourseID}/interaction`;
  const wanted = learners.flatMap(({ LoginID }, at) =>
    Array.from({ length: [3, 0, 5, 2][at] ?? 0 }, (_, n) => `${LoginID} q${n}`),
  );
  for (const limit of [1, 2, 4, 200]) {
    const { items } = await allPages((page) => api('GET', page), address, limit);
    const found = items.map(
      (item: { LoginID?: string; InteractionID?: string }) => `${item.LoginID} ${item.InteractionID}`,
    );
    assert.deepEqual(found, wanted, String(limit));
  }
  const csv = await api('GET', address, undefined, { accept: 'text/csv' });
  assert.equal(String(csv.body).trim().split('\n').length, wanted.length + 1);
  const other = await newTenant(service);
  assert.deepEqual((await other.api('GET', address)).body.Items, []);
});

type Listed = { Attempt: number; InteractionID: string; Response: string };

test("a course's interactions include those of earlier attempts", async () => {
  const CourseID = await course({ Limit: 3 });
  const { LaunchURL } = (await api('POST', `/enrol/${await user()}/${CourseID}`)).body;
  for (const attempt of ['-1', '-2', '-3']) {
    const { commit } = await play(service, LaunchURL);
    expectStatus(await commit({ Data: { ...scorm12('failed', 20), ...answers(2, attempt) } }), 200);
  }
  const address = `/enrolment/course/${CourseID}/interaction`;
  for (const limit of [1, 2, 3, 200]) {
    const { items } = await allPages((page) => api('GET', page), address, limit);
    assert.deepEqual(
      items.map(({ Attempt, InteractionID, Response }: Listed) => [Attempt, InteractionID, Response]),
      [1, 2, 3].flatMap((n) => [0, 1].map((question) => [n, `q${question}`, `a${question}-${n}`])),
      String(limit),
    );
  }
  const { Questions } = (await api('GET', `/enrolment/course/${CourseID}/question`)).body;
  assert.deepEqual(
    Questions.map((one: { InteractionID: string; Answers: number }) => [one.InteractionID, one.Answers]),
    [
      ['q0', 3],
      ['q1', 3],
    ],
  );
});

test('the answers to each question are counted', async () => {
  const CourseID = await course();
  const asked = (response: string, result: string, latency: string) => ({
    'cmi.interactions.0.id': 'exit',
    'cmi.interactions.0.type': 'choice',
    'cmi.interactions.0.correct_responses.0.pattern': 'b',
    'cmi.interactions.0.student_response': response,
    'cmi.interactions.0.result': result,
    'cmi.interactions.0.latency': latency,
  });
  for (const latency of ['00:00:04', '00:00:08']) await answered(CourseID, asked('b', 'correct', latency));
  // Only the last of two answers counts.
  const again = Object.entries(asked('a', 'wrong', '00:00:03')).map(([name, value]) => [
    name.replace('interactions.0', 'interactions.1'),
    value,
  ]);
  await answered(CourseID, { ...asked('b', 'correct', '00:00:01'), ...Object.fromEntries(again) });
  await answered(CourseID, { 'cmi.interactions.0.id': 'exit', 'cmi.interactions.0.result': '0.5' });
  await answered(CourseID, {});
  const { Questions, NextCursor } = (await api('GET', `/enrolment/course/${CourseID}/question`)).body;
  assert.equal(NextCursor, null);
  const [{ UnitID, UnitTitle, ...question }, ...others] = Questions;
  assert.deepEqual([typeof UnitID, typeof UnitTitle, others], ['string', 'string', []]);
  assert.deepEqual(question, {
    ...{ InteractionID: 'exit', Type: null, Description: null, CorrectResponses: [] },
    ...{ Answers: 4, Correct: 2, Incorrect: 1, Timed: 3, LatencySeconds: 5 },
    Responses: [
      { Response: 'b', Answers: 2 },
      { Response: 'a', Answers: 1 },
    ],
  });
  const other = await newTenant(service);
  assert.deepEqual((await other.api('GET', `/enrolment/course/${CourseID}/question`)).body, {
    Questions: [],
    NextCursor: null,
  });
});

test('many answers are counted in several responses, each of a limited size', async () => {
  const CourseID = await course();
  for (let learner = 0; learner < 3; learner += 1) await answered(CourseID, answers(600));
  await answered(CourseID, { 'cmi.interactions.0.id': 'long', 'cmi.interactions.0.student_response': 'x' });
  const totals = new Map<string, number>();
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    const query: string = cursor && `?Cursor=${cursor}`;
    const reply = await api('GET', `/enrolment/course/${CourseID}/question${query}`);
    expectStatus(reply, 200);
    assert.ok(reply.body.Questions.length <= 1_000);
    for (const { InteractionID, Answers } of reply.body.Questions)
      totals.set(InteractionID, (totals.get(InteractionID) ?? 0) + Answers);
    cursor = reply.body.NextCursor;
  }
  assert.deepEqual([totals.size, totals.get('q599'), totals.get('long'), pages > 0], [601, 3, 1, true]);
  expectProblem(
    await api('GET', `/enrolment/course/${CourseID}/question?Cursor=x`),
    422,
    'validation_failed',
  );
});

test('long answers end a page early, and no answer is lost', async () => {
  const CourseID = await course();
  for (let learner = 0; learner < 3; learner += 1) await answered(CourseID, answers(4, 'x'.repeat(150_000)));
  const { items } = await allPages(
    (page) => api('GET', page),
    `/enrolment/course/${CourseID}/interaction`,
    200,
  );
  assert.equal(items.length, 12);
});

test("a person's answers are exported and erased", async () => {
  const CourseID = await course();
  const { LoginID } = await answered(CourseID, answers(1, '-personal'));
  assert.match(JSON.stringify((await api('GET', `/user/${LoginID}/export`)).body), /a0-personal/);
  expectStatus(await api('DELETE', `/user/${LoginID}`), 200);
  assert.deepEqual((await api('GET', `/enrolment/course/${CourseID}/interaction`)).body.Items, []);
});
