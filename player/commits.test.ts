import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { memoryStorage } from '../server/test/support/memory-storage.ts';
import { unitOf } from '../standards/test-support.ts';
import type { RunTimeData, Standard } from '../standards/types.ts';
import { createCommits } from './commits.ts';
import type { Commit, Session } from './contract.ts';
import { openJournal } from './journal.ts';
import type { SaveState } from './save-state.ts';
import { replay } from './session.ts';

const receipt: Session['Receipt'] = {
  Number: 0,
  Status: 'in_progress',
  Completion: 'incomplete',
  Success: 'unknown',
  Score: null,
  Progress: 0,
  Ended: null,
};

function sessionOf(Standard: Standard): Session {
  const units = ['a', 'b'].map((UnitID) => unitOf({ UnitID, MasteryScore: 80 }));
  return {
    Session: 'session',
    Mode: 'normal',
    Launch: 1,
    NextCommit: 1,
    EnrollID: 'enrolment',
    CourseTitle: 'Course',
    Language: null,
    Branding: { Name: null, Language: null, LogoPath: null, Colour: null, Light: null, Dark: null },
    Learner: { ID: 'lee', Name: 'Lee' },
    Standard,
    Tree: { Units: units, Sequencing: null, ObjectivesGlobalToSystem: true, SharedDataGlobalToSystem: true },
    ContentPath: null,
    Data: {},
    Evidence: {},
    TreeState: null,
    Shared: { globals: [], buckets: [] },
    LastUnitID: null,
    ReturnURL: null,
    Receipt: receipt,
  };
}

type Answer = (commit: Commit) => Response;
const accept: Answer = (commit) => Response.json({ ...receipt, Number: commit.Number });

const real = ['performance', 'window', 'navigator', 'fetch'].map(
  (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
);
// Restores the globals, because other test files run in the same process.
after(() => {
  for (const [name, own] of real)
    if (own) Object.defineProperty(globalThis, name, own);
    else Reflect.deleteProperty(globalThis, name);
});

/** Simulates a browser with a clock, storage, and a network that responds as the test specifies. */
function openBrowser(t: TestContext, { standard = 'scorm12', room }: { standard?: Standard; room?: number }) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_000_000 });
  const storage = memoryStorage(room);
  const sent: Commit[] = [];
  const leaving: number[] = [];
  const network = {
    onLine: false,
    answer: accept,
    sendBeacon: (_: string, body: string) => {
      leaving.push(JSON.parse(body).Number);
      return true;
    },
  };
  const define = (name: string, value: unknown) =>
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  let uptime = 0;
  // Node calls `markResourceTiming` when a request of another file in this process ends.
  define('performance', { now: () => uptime, markResourceTiming: () => {} });
  define('window', globalThis);
  define('navigator', network);
  define('fetch', async (_: string, { body }: { body: string }) => {
    if (!network.onLine) throw new TypeError('Failed to fetch');
    const commit: Commit = JSON.parse(body);
    sent.push(commit);
    return network.answer(commit);
  });
  const journal = openJournal(() => storage);
  const states: SaveState[] = [];
  const commits = createCommits(sessionOf(standard), journal, {
    state: (state) => void states.push(state),
    receipt: () => {},
    stopped: () => {},
  });
  return {
    ...{ commits, journal, leaving, network, sent, states },
    numbers: () => sent.map((commit) => commit.Number),
    journaled: () => journal.list().map(({ Commit }) => Commit.Number),
    save: (Data: RunTimeData, more: Partial<Commit> = {}) => commits.save({ UnitID: 'a', Data, ...more }, 0),
    /** Advances time in small steps and processes all events. */
    async pass(milliseconds: number) {
      for (let left = milliseconds; left > 0; left -= 500) {
        uptime += Math.min(left, 500);
        t.mock.timers.tick(Math.min(left, 500));
        for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
    },
    connect() {
      network.onLine = true;
      commits.online();
    },
  };
}

const result12 = (status: string, score: number, at = ''): RunTimeData => ({
  'cmi.core.lesson_status': status,
  'cmi.core.score.raw': String(score),
  'cmi.core.lesson_location': at,
});
const result2004 = (success: string, scaled: string): RunTimeData => ({
  'cmi.completion_status': 'completed',
  'cmi.success_status': success,
  'cmi.score.scaled': scaled,
});

test('a pass followed by a failure while offline is kept and sent before the failure', async (t) => {
  const passed = { scorm12: result12('passed', 90), 'scorm2004-4th': result2004('passed', '0.9') };
  const failed = { scorm12: result12('failed', 10), 'scorm2004-4th': result2004('failed', '0.1') };
  for (const standard of ['scorm12', 'scorm2004-4th'] as const) {
    const { save, journaled, pass, connect, sent } = openBrowser(t, { standard });
    save(passed[standard]);
    save(failed[standard]);
    await pass(1_000);
    assert.deepEqual(journaled(), [1, 2]);
    connect();
    await pass(5_000);
    assert.deepEqual(
      sent.map(({ Data }) => Data),
      [passed[standard], failed[standard]],
    );
    assert.deepEqual(journaled(), []);
    t.mock.timers.reset();
  }
});

test('a better course result from the SCORM 2004 engine is kept too', async (t) => {
  const { save, journaled } = openBrowser(t, { standard: 'scorm2004-3rd' });
  const root = (Success: 'passed' | 'failed') =>
    ({ Completion: 'completed', Success, Score: null, Progress: null }) as const;
  save({ 'cmi.location': '1' }, { Root: root('passed') });
  save({ 'cmi.location': '2' }, { Root: root('failed') });
  assert.deepEqual(journaled(), [1, 2]);
});

test('a receipt that says the data was not stored is final, and the page shows a warning until the position is saved', async (t) => {
  const { save, journaled, pass, connect, commits, network } = openBrowser(t, {});
  network.answer = (commit) =>
    Response.json({ ...receipt, Number: commit.Number, Warning: 'data_not_stored' });
  connect();
  save(result12('passed', 90));
  await pass(1_000);
  assert.deepEqual([journaled(), commits.state], [[], 'partly']);
  network.answer = accept;
  save(result12('passed', 91));
  await pass(1_000);
  assert.deepEqual([journaled(), commits.state], [[], 'saved']);
});

test('a snapshot with results that are at least as good replaces the earlier one', async (t) => {
  const { save, journaled, commits } = openBrowser(t, {});
  for (let score = 1; score <= 50; score++) save(result12('incomplete', score, `page ${score}`));
  assert.deepEqual(journaled(), [50]);
  save(result12('incomplete', 50, 'page 51'));
  commits.save({ UnitID: 'b', Data: result12('passed', 95) }, 0);
  assert.deepEqual(journaled(), [51, 52]);
});

test('after a hundred commits with falling scores, only the few with the best results are kept', async (t) => {
  const { save, journaled, journal } = openBrowser(t, {});
  for (let score = 100; score > 0; score--)
    save(result12(score % 7 === 0 ? 'completed' : 'incomplete', score));
  assert.ok(journaled().length <= 4, `${journaled()}`);
  assert.deepEqual([journaled()[0], journaled().at(-1)], [1, 100]);
  const scores = journal.list().map(({ Commit }) => Number(Commit.Data['cmi.core.score.raw']));
  assert.equal(Math.max(...scores), 100);
});

test('a later pass that falls below the mastery score does not replace a real pass', async (t) => {
  const { save, journal } = openBrowser(t, {});
  save(result12('completed', 85));
  save(result12('incomplete', 95));
  save(result12('passed', 10));
  const journaled = journal.list().map(({ Commit }) => Commit.Data['cmi.core.score.raw']);
  assert.deepEqual(journaled, ['85', '95', '10']);
});

test("if the device's storage is full, worse results are dropped, but never the best one or the newest bookmark", async (t) => {
  const { save, journaled, commits } = openBrowser(t, { room: 1_000 });
  const long = (status: string, score: number) => result12(status, score, 'x'.repeat(150));
  save(long('passed', 85));
  save(long('incomplete', 95));
  assert.deepEqual(journaled(), [1, 2]);
  save(long('failed', 10));
  assert.deepEqual(journaled(), [1, 3]);
  assert.equal(commits.state, 'unsaved', 'one commit is only in this page');
});

test('a snapshot that does not fit leaves the stored one unchanged', async (t) => {
  const { save, journaled, commits, connect, pass, numbers } = openBrowser(t, { room: 600 });
  save(result12('incomplete', 10));
  save(result12('incomplete', 20, 'x'.repeat(600)));
  assert.deepEqual(journaled(), [1]);
  assert.equal(commits.state, 'unsaved');
  connect();
  await pass(2_000);
  assert.deepEqual(numbers(), [1, 2]);
  assert.deepEqual(journaled(), []);
});

test('after a tab is closed offline, the next page sends both the pass and the newer bookmark', async (t) => {
  const { save, journaled, network, sent, journal } = openBrowser(t, {});
  save(result12('passed', 90, 'the end'));
  save(result12('failed', 10, 'begun again'));
  network.onLine = true;
  await replay(journal);
  assert.deepEqual(
    sent.map(({ Data }) => Data['cmi.core.lesson_location']),
    ['the end', 'begun again'],
  );
  assert.deepEqual(journaled(), []);
});

test("an earlier page's commits with numbers too far ahead are renumbered together", async (t) => {
  const ahead: Answer = (commit) => {
    if (commit.Number <= 1_001) return accept(commit);
    const headers = { 'content-type': 'application/problem+json' };
    return Response.json({ code: 'commit_number_ahead', Expected: 7 }, { status: 409, headers });
  };
  const { journaled, network, journal, numbers } = openBrowser(t, {});
  for (const number of [5_000, 5_001, 5_004])
    journal.write({
      ...{ EnrollID: 'e', Session: 's', CourseTitle: 'Course', KeptAt: 0 },
      Commit: { Number: number, UnitID: 'a', Data: {} },
    });
  Object.assign(network, { onLine: true, answer: ahead });
  await replay(journal);
  assert.deepEqual(numbers(), [5_000, 7, 8, 11]);
  assert.deepEqual(journaled(), []);
});

test('a page resends its commit with the expected number if another commit has used that number', async (t) => {
  const headers = { 'content-type': 'application/problem+json' };
  const { journaled, network, connect, commits, save, pass, sent } = openBrowser(t, {});
  network.answer = (commit) =>
    commit.Number > 5
      ? accept(commit)
      : Response.json({ code: 'commit_number_ahead', Expected: 6 }, { status: 409, headers });
  save(result12('passed', 90));
  save(result12('failed', 10));
  connect();
  await pass(5_000);
  assert.deepEqual(
    sent.map((commit) => [commit.Number, commit.Data['cmi.core.lesson_status']]),
    [
      [1, 'passed'],
      [6, 'passed'],
      [7, 'failed'],
    ],
  );
  assert.deepEqual([journaled(), commits.state], [[], 'saved']);
});

test('the player honours Retry-After from the service, up to 60 s', async (t) => {
  const headers = { 'content-type': 'application/problem+json' };
  for (const [status, retryAfter, waited] of [
    [429, '20', 20_000],
    [503, '86400', 60_000],
  ] as const) {
    const { save, network, pass, numbers, connect, commits } = openBrowser(t, {});
    network.answer = () => Response.json({}, { status, headers: { ...headers, 'retry-after': retryAfter } });
    connect();
    save(result12('incomplete', 10));
    await pass(1_000);
    assert.deepEqual(numbers(), [1]);
    network.answer = accept;
    commits.online();
    commits.send();
    await pass(waited - 2_500);
    assert.deepEqual(numbers(), [1], 'nothing is sent early');
    await pass(4_000);
    assert.deepEqual(numbers(), [1, 1]);
    assert.equal(commits.state, 'saved');
    t.mock.timers.reset();
  }
});

test("setting the device's clock back does not delay pending commits", async (t) => {
  for (const back of [3_600_000, 2 * 365 * 86_400_000]) {
    const { save, network, pass, numbers, connect } = openBrowser(t, {});
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '2' };
    network.answer = () => Response.json({}, { status: 429, headers });
    connect();
    save(result12('passed', 90));
    await pass(1_000);
    network.answer = accept;
    const now = Date.now;
    t.mock.method(Date, 'now', () => now() - back);
    await pass(4_000);
    assert.deepEqual(numbers(), [1, 1]);
    t.mock.restoreAll();
    t.mock.timers.reset();
  }
});

test('a newly opened page waits briefly if the service asks it to, and then sends the stored commits', async (t) => {
  const { journal, journaled, network, numbers, pass } = openBrowser(t, {});
  journal.write({
    ...{ EnrollID: 'e', Session: 's', CourseTitle: 'Course', KeptAt: 0 },
    Commit: { Number: 1, UnitID: 'a', Data: {} },
  });
  const headers = { 'content-type': 'application/problem+json', 'retry-after': '1' };
  const busy: Answer = () => Response.json({}, { status: 429, headers });
  Object.assign(network, {
    onLine: true,
    answer: (commit: Commit) => (numbers().length < 3 ? busy(commit) : accept(commit)),
  });
  const replayed = replay(journal);
  await pass(3_000);
  assert.equal((await replayed).isOffline, false);
  assert.deepEqual([numbers(), journaled()], [[1, 1, 1], []]);
});

test('a closing page sends each commit once, however often the content commits while the page is closing', async (t) => {
  const { commits, leaving, pass, save } = openBrowser(t, {});
  save(result12('incomplete', 10));
  commits.leave();
  for (const score of [20, 20, 30]) commits.commit({ UnitID: 'a', Data: result12('incomplete', score) });
  save(result12('incomplete', 40));
  await pass(500);
  assert.deepEqual(leaving, [1, 2, 3, 4]);
  commits.stay();
  commits.leave();
  await pass(500);
  assert.deepEqual(leaving, [1, 2, 3, 4, 4]);
});

test('commits from an unknown session are removed after 30 days, once the learner has been informed', async (t) => {
  const { journal, network } = openBrowser(t, {});
  const day = 86_400_000;
  for (const [number, age] of [
    [1, 31],
    [2, 29],
  ] as const)
    journal.write({
      ...{ EnrollID: 'e', Session: 's', CourseTitle: 'Course', KeptAt: Date.now() - age * day },
      Commit: { Number: number, UnitID: 'a', Data: {} },
    });
  network.onLine = true;
  const headers = { 'content-type': 'application/problem+json' };
  network.answer = () => Response.json({ code: 'session_ended' }, { status: 404, headers });
  const { refused, temporarilyRejected } = await replay(journal);
  assert.deepEqual(
    refused.map(({ entry, code }) => [entry.Commit.Number, code]),
    [[1, 'unknown']],
  );
  assert.deepEqual(
    temporarilyRejected.map(({ Commit }) => Commit.Number),
    [2],
  );
  network.answer = () => Response.json({}, { status: 404 });
  assert.equal((await replay(journal)).refused.length, 0, 'only the service can reject a commit permanently');
});
