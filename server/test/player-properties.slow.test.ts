import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Unit } from '../../standards/types.ts';
import { packCourse, packRow } from '../../test/journeys/course-packages.ts';
import type { Receipt, Session } from '../src/domain/delivery/player/schemas.ts';
import { checkProblem, closeAgent, send } from './support/fuzz-responses.ts';
import { invalidValue, jsonText, unusualTexts } from './support/fuzz-values.ts';
import { type Play, play } from './support/player.ts';
import { startService } from './support/service.ts';

// Sends everything that a course, or anyone else, can send to the content origin.

const runs = Number(process.env.PROPERTY_RUNS ?? 200);
const service = await startService();
after(async () => {
  closeAgent();
  await service.close();
});
await service.importPackage('scorm12', await packRow());
await service.importPackage('scorm2004', await packCourse('fire-safety'));

const interactions = (prefix: string, names: string[]) => names.map((name) => `${prefix}.${name}`);
const elements: Record<string, string[]> = {
  scorm12: [
    ...interactions('cmi.core', [
      'student_id',
      'student_name',
      'lesson_location',
      'credit',
      'lesson_status',
      'entry',
      'score.raw',
      'score.min',
      'score.max',
      'total_time',
      'lesson_mode',
      'exit',
      'session_time',
    ]),
    ...interactions('cmi', ['suspend_data', 'launch_data', 'comments', 'comments_from_lms', '_version']),
    ...interactions('cmi.student_data', ['mastery_score', 'max_time_allowed', 'time_limit_action']),
    ...interactions('cmi.student_preference', ['audio', 'language', 'speed', 'text']),
    ...interactions('cmi.objectives.0', ['id', 'status', 'score.raw', 'score.min', 'score.max']),
    ...interactions('cmi.interactions.0', [
      'id',
      'type',
      'time',
      'student_response',
      'result',
      'latency',
      'weighting',
    ]),
    ...interactions('cmi.interactions.0', ['objectives.0.id', 'correct_responses.0.pattern']),
    ...[
      'cmi.objectives._count',
      'cmi.interactions._count',
      'cmi.interactions.99999.id',
      'cmi.core._children',
    ],
  ],
  scorm2004: [
    ...interactions('cmi', [
      'completion_status',
      'completion_threshold',
      'credit',
      'entry',
      'exit',
      'launch_data',
      'learner_id',
      'learner_name',
      'location',
      'max_time_allowed',
      'mode',
      'progress_measure',
      'scaled_passing_score',
      'score.scaled',
      'score.raw',
      'score.min',
      'score.max',
      'session_time',
      'success_status',
      'suspend_data',
      'time_limit_action',
      'total_time',
      '_version',
    ]),
    ...interactions('cmi.learner_preference', [
      'audio_level',
      'language',
      'delivery_speed',
      'audio_captioning',
    ]),
    ...interactions('cmi.comments_from_learner.0', ['comment', 'location', 'timestamp']),
    ...interactions('cmi.objectives.0', [
      'id',
      'score.scaled',
      'success_status',
      'completion_status',
      'progress_measure',
      'description',
    ]),
    ...interactions('cmi.interactions.0', [
      'id',
      'type',
      'timestamp',
      'learner_response',
      'result',
      'latency',
      'weighting',
      'description',
    ]),
    ...['adl.nav.request', 'adl.data.0.id', 'adl.data.0.store', 'cmi.objectives._count'],
  ],
};

const figures = [
  '1e308',
  '-1e308',
  '1e999',
  '-0',
  '0',
  '100',
  '100.1',
  '-5',
  '50,5',
  '1e-300',
  'Infinity',
  'NaN',
  '0x64',
  '٥٠',
  '1_000',
  '9'.repeat(400),
];
const times = [
  '9999:99:99.99',
  '-1:00:00',
  '99999999999:00:00',
  'P9999999999Y',
  'PT1E9S',
  'P-1D',
  'PT.S',
  'PT1H',
  '00:10:00',
  'P1Y1M1DT1H1M1.1S',
];
const words = [
  'passed',
  'completed',
  'failed',
  'incomplete',
  'browsed',
  'not attempted',
  'PASSED',
  'p',
  'suspend',
  'logout',
  'time-out',
  'no-credit',
  'unknown',
];
const value = fc.oneof(
  fc.constantFrom(...figures),
  fc.constantFrom(...times),
  fc.constantFrom(...words),
  fc.constantFrom(...unusualTexts),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double().map(String),
);
const unusual = fc
  .stringMatching(/^(cmi|adl|lectern)(\.[a-z0-9_]{1,40}){1,10}$/)
  .filter((name) => name.length <= 255);

function checkResult(result: Record<string, unknown>): void {
  const { Completion, Success, Score, Progress } = result;
  assert.ok(['unknown', 'incomplete', 'completed'].includes(Completion as string), jsonText(result));
  assert.ok(['unknown', 'passed', 'failed'].includes(Success as string), jsonText(result));
  const within = (figure: unknown) => typeof figure === 'number' && figure >= 0 && figure <= 100;
  assert.ok(Score === null || within(Score), jsonText(result));
  assert.ok(within(Progress), jsonText(result));
}

for (const standard of ['scorm12', 'scorm2004'])
  test(`any value of any ${standard} element is stored completely, and the result stays valid`, async () => {
    const enrolment = await service.enrol(standard);
    const played = await play(service, enrolment.LaunchURL);
    const name = fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...(elements[standard] ?? [])) },
      { weight: 1, arbitrary: unusual },
    );
    const property = fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 20 }), async (Data) => {
      service.ctx.load.counts.clear();
      const reply = await played.commit({ Data });
      assert.equal(reply.status, 200, jsonText(reply.body));
      checkResult(reply.body as Receipt);
      const record = await enrolment.read();
      checkResult(record);
      const { TotalSeconds } = record;
      assert.ok(Number.isInteger(TotalSeconds) && TotalSeconds >= 0, String(TotalSeconds));
    });
    await fc.assert(property, { numRuns: runs });
  });

type Sent = { launch: number; number: number; UnitID: string; Data: Record<string, string> };

/**
 * Three independent launches of one enrolment. Each launch numbers its commits from the number that was
 * expected when it was opened.
 */
async function threeLaunches() {
  const enrolment = await service.enrol('scorm12');
  const plays: Play[] = [];
  for (let launch = 0; launch < 3; launch++) plays.push(await play(service, enrolment.LaunchURL));
  const send = async ({ launch, number, UnitID, Data }: Sent) => {
    const reply = await plays[launch]?.commit({ Number: number, UnitID, Data });
    assert.equal(reply?.status, 200, jsonText(reply?.body));
    return reply?.body as Receipt;
  };
  const state = async () => {
    const { Status, Completion, Success, Score, Progress, TotalSeconds } = await enrolment.read();
    const { session } = await play(service, enrolment.LaunchURL);
    const { Data, LastUnitID, Evidence } = session;
    return {
      result: { Status, Completion, Success, Score, Progress, TotalSeconds },
      Data,
      LastUnitID,
      Evidence,
    };
  };
  const units = scosOf(plays[0]?.session.Tree.Units ?? []);
  return { send, state, units };
}

const scosOf = (units: Unit[]): string[] =>
  units.flatMap((unit) => [...(unit.Kind === 'sco' ? [unit.UnitID] : []), ...scosOf(unit.Children)]);

const snapshot = fc.record({
  launch: fc.nat(2),
  unit: fc.nat(),
  status: fc.constantFrom('incomplete', 'completed', 'passed', 'failed'),
  score: fc.option(fc.nat(100), { nil: null }),
  seconds: fc.nat(59),
  /** The times at which the commit arrives. It may get lost or arrive more than once. */
  arrivals: fc.array(fc.nat(1_000), { maxLength: 3 }),
});

test('reordered, repeated and lost commits from several launches converge to the best acknowledged result', async () => {
  const property = fc.asyncProperty(
    fc.array(snapshot, { minLength: 1, maxLength: 12 }),
    async (snapshots) => {
      const [chaos, order] = [await threeLaunches(), await threeLaunches()];
      const { units } = chaos;
      const sent = snapshots.map(({ launch, unit, status, score, seconds, arrivals }, index) => ({
        commit: {
          launch,
          number: index + 1,
          UnitID: units[unit % units.length] ?? '',
          Data: {
            'cmi.core.lesson_status': status,
            'cmi.core.session_time': `00:00:${String(seconds).padStart(2, '0')}`,
            'cmi.suspend_data': `${launch}/${index}`,
            'cmi.core.exit': 'suspend',
            ...(score === null ? {} : { 'cmi.core.score.raw': String(score) }),
          },
        },
        arrivals,
      }));
      const arriving = sent
        .flatMap(({ commit, arrivals }) => arrivals.map((at) => ({ commit, at })))
        .sort((a, b) => a.at - b.at);
      for (const { commit } of arriving) checkResult(await chaos.send(commit));
      const taken = sent.filter(({ arrivals }) => arrivals.length > 0).map(({ commit }) => commit);
      const inOrder = taken.toSorted((a, b) => a.launch - b.launch || a.number - b.number);
      for (const commit of inOrder) await order.send(commit);
      const [found, expected] = [await chaos.state(), await order.state()];
      assert.deepEqual({ ...found, Data: bookmarks(found) }, { ...expected, Data: bookmarks(expected) });
      for (const UnitID of units) {
        const scores = taken
          .filter((commit) => commit.UnitID === UnitID)
          .flatMap(({ Data }) => Data['cmi.core.score.raw'] ?? []);
        const best = scores.length === 0 ? null : Math.max(...scores.map(Number));
        assert.equal(found.Evidence[UnitID]?.Score ?? null, best);
      }
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(runs / 10) });
});

const bookmarks = ({ Data }: Pick<Session, 'Data'>) =>
  Object.fromEntries(Object.entries(Data).map(([unit, data]) => [unit, data['cmi.suspend_data']]));

test('a malformed commit is rejected completely, and nothing is stored', async () => {
  const enrolment = await service.enrol('scorm12');
  const played = await play(service, enrolment.LaunchURL);
  await played.commit({ Data: { 'cmi.core.lesson_status': 'incomplete', 'cmi.suspend_data': 'kept' } });
  let before = await enrolment.read();
  const [UnitID = ''] = Object.keys(played.session.Data);
  const right = { Number: 2, UnitID, Data: { 'cmi.core.lesson_status': 'passed' } };
  const broken = fc.oneof(
    fc.tuple(fc.constantFrom('Number', 'UnitID', 'Data', 'Tree', 'Root', 'Exit', 'Else'), invalidValue),
    invalidValue.map((one): [string, unknown] => ['Data', { ...right.Data, 'cmi.core.score.raw': one }]),
  );
  const property = fc.asyncProperty(broken, async ([name, value]) => {
    service.ctx.load.counts.clear();
    const body = Buffer.from(jsonText({ ...right, [name]: value }));
    const response = await send(service.contentUrl, {
      method: 'POST',
      target: `/play/${played.session.Session}/commit`,
      headers: [['content-type', 'application/json']],
      body,
    });
    // A generated commit is occasionally valid by chance.
    if (response.status === 200) before = await enrolment.read();
    else checkProblem(response);
    assert.ok(response.status < 500);
    assert.deepEqual(await enrolment.read(), before);
  });
  await fc.assert(property, { numRuns: runs });
});

test('every path of the content origin responds without status 500', async () => {
  const played = await play(service, (await service.enrol('scorm12')).LaunchURL);
  const part = fc.oneof(
    fc.constantFrom('play', 'player', 'session', 'commit', 'content', 'alive', played.session.Session),
    fc.constantFrom('..', '%', '%00', '%2e%2e', '%2F', '%5c', '', '.', 'index.html', 'x'.repeat(9_000)),
    fc.constantFrom(...unusualTexts).map((text) => encodeURIComponent(text.toWellFormed())),
  );
  const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH');
  const headers = fc.constantFrom<[string, string][]>(
    [],
    [['range', 'bytes=9-1']],
    [['range', 'x'.repeat(500)]],
    [['accept-encoding', 'x'.repeat(500)]],
  );
  const property = fc.asyncProperty(
    fc.array(part, { maxLength: 6 }),
    methods,
    headers,
    async (parts, method, headers) => {
      const response = await send(service.contentUrl, {
        method,
        target: `/${parts.join('/')}`,
        headers,
        body: null,
      });
      assert.ok(response.status < 500, `${response.status} ${response.text.slice(0, 200)}`);
      if (response.status >= 400 && method !== 'HEAD' && !response.type.startsWith('text/html'))
        checkProblem(response);
    },
  );
  await fc.assert(property, { numRuns: runs });
});
