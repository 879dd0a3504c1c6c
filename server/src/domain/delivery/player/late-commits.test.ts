import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../../test/support/clock.ts';
import { play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api, user } = await newTenant(service);
await service.importPackage('phishing', await packCourse('phishing'));
await service.api('PUT', '/course/phishing/option/month', { Duration: 'P30D' });
await service.api('PUT', '/course/phishing/option/unlimited', {});

async function enrolled(option = 'unlimited') {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/phishing/${option}`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  const read = async () => (await api('GET', address)).body;
  const commits = async () => {
    const { Items } = (await api('GET', `${address}/timeline?Limit=200`)).body;
    return Items.filter((entry: { Kind: string }) => entry.Kind === 'commit');
  };
  return { LoginID, address, LaunchURL: LaunchURL as string, read, commits };
}

const bookmark = (text: string) => ({ 'cmi.suspend_data': text, 'cmi.core.exit': 'suspend' });

async function bookmarkOf(launchUrl: string): Promise<string | undefined> {
  const { session } = await play(service, launchUrl);
  const [data] = Object.values(session.Data);
  return data?.['cmi.suspend_data'];
}

test("a course completed offline counts even if a phone has opened it since, and the phone's bookmark is kept", async () => {
  const { LaunchURL, read, commits } = await enrolled();
  const laptop = await play(service, LaunchURL);
  await laptop.commit({ Data: { ...scorm12('incomplete'), ...bookmark('laptop') } });
  const phone = await play(service, LaunchURL);
  const first = await phone.commit({ Data: { ...scorm12('incomplete', 10), ...bookmark('phone') } });
  assert.deepEqual([first.body.Number, first.body.Ended], [2, null]);
  const sent = {
    Number: 2,
    Data: { ...scorm12('passed', 90), ...bookmark('laptop, offline'), 'cmi.core.session_time': '00:20:00' },
  };
  const late = await laptop.commit(sent);
  expectStatus(late, 200);
  assert.deepEqual(late.body, {
    Number: 2,
    Status: 'completed',
    Completion: 'completed',
    Success: 'passed',
    Score: 90,
    Progress: 100,
    Ended: 'session_superseded',
  });
  assert.deepEqual((await laptop.commit(sent)).body, late.body);
  const { Status, Score, TotalSeconds } = await read();
  assert.deepEqual([Status, Score, TotalSeconds], ['completed', 90, 1200]);
  assert.deepEqual(
    (await commits())
      .map(({ Launch, Commit }: { Launch: number; Commit: number }) => [Launch, Commit])
      .sort(),
    [
      [1, 1],
      [1, 2],
      [2, 2],
    ],
  );
  assert.equal((await phone.commit({ Data: scorm12('incomplete', 10) })).body.Status, 'completed');
  await phone.commit({ Data: bookmark('phone') });
  assert.equal(await bookmarkOf(LaunchURL), 'phone');
});

test('a commit counts if it arrives within LATE_RESULTS_DAYS of the end of access, and is rejected after that', async () => {
  const { LaunchURL, read, commits } = await enrolled('month');
  const first = await play(service, LaunchURL);
  clock.advance({ days: 29, hours: 23 });
  assert.equal(await first.alive(), 410);
  const { commit, file, alive } = await play(service, LaunchURL);
  clock.advance({ hours: 2 });
  assert.equal((await read()).Status, 'expired');
  assert.equal((await file('index.html')).status, 403);
  assert.equal(await alive(), 403);
  clock.advance({ days: 6 });
  const reply = await commit({ Data: scorm12('incomplete', 40) });
  expectStatus(reply, 200);
  assert.deepEqual([reply.body.Score, reply.body.Ended], [40, 'access_expired']);
  const passed = await commit({ Data: scorm12('passed', 80) });
  assert.equal(passed.body.Status, 'completed');
  clock.advance({ days: 1 });
  const late = await commit({ Number: 9, Data: scorm12('passed', 100) });
  expectProblem(late, 409, 'results_too_late');
  expectStatus(await commit({ Number: 2, Data: scorm12('passed', 80) }), 200);
  const { Status, Score } = await read();
  assert.deepEqual([Status, Score], ['completed', 80]);
  const refused = (await commits()).at(-1);
  assert.deepEqual([refused.Refused, refused.Data.Score], ['results_too_late', 100]);
});

test('a commit for a withdrawn enrolment or a disabled user is rejected but shown, and counts if the change is reversed', async () => {
  for (const [change, undo, status, code] of [
    ['withdraw', 'restore', 403, 'enrolment_withdrawn'],
    ['disable', 'enable', 409, 'user_disabled'],
  ] as const) {
    const { LoginID, address, LaunchURL, read, commits } = await enrolled();
    const { commit, alive } = await play(service, LaunchURL);
    await commit({ Data: scorm12('incomplete', 10) });
    const setAccess = (on: boolean) =>
      change === 'withdraw'
        ? api('PUT', address, { Withdrawn: on })
        : api('PUT', `/user/${LoginID}`, { Enabled: !on });
    expectStatus(await setAccess(true), 200);
    assert.equal(await alive(), status, undo);
    const before = await read();
    for (let send = 0; send < 2; send++)
      expectProblem(await commit({ Number: 2, Data: scorm12('passed', 90) }), status, code);
    expectStatus(await commit({ Number: 1, Data: scorm12('incomplete', 10) }), 200);
    assert.deepEqual(await read(), before);
    const entries = await commits();
    assert.deepEqual(
      entries.map(({ Commit, Refused }: { Commit: number; Refused: string | null }) => [Commit, Refused]),
      [
        [1, null],
        [2, code],
      ],
    );
    assert.deepEqual([entries[1].Data.Success, entries[1].Data.Score], ['passed', 90]);
    expectStatus(await setAccess(false), 200);
    expectStatus(await commit({ Number: 2, Data: scorm12('passed', 90) }), 200);
    assert.equal((await read()).Score, 90);
    assert.equal((await commits())[1].Refused, null);
  }
});

test('a commit number more than 1,000 ahead is rejected with the expected number and blocks nothing', async () => {
  const { LaunchURL, read } = await enrolled();
  const { commit } = await play(service, LaunchURL);
  for (const number of [2_000_000_000, 1_002]) {
    const reply = await commit({ Number: number, Data: scorm12('passed', 100) });
    expectProblem(reply, 409, 'commit_number_ahead', 'Number');
    assert.equal(reply.body.Expected, 1);
  }
  assert.equal((await read()).Completion, 'unknown');
  expectStatus(await commit({ Number: 1_001, Data: scorm12('incomplete', 20) }), 200);
  expectStatus(await commit({ Number: 1_002, Data: scorm12('incomplete', 60) }), 200);
  assert.equal((await read()).Score, 60);
});

test('after the learner has exited, a session accepts only commits that were sent before the exit', async () => {
  const { LaunchURL, read, commits } = await enrolled();
  const { commit, alive, file } = await play(service, LaunchURL);
  expectStatus(await commit({ Number: 3, Data: scorm12('incomplete', 10), Exit: true }), 200);
  expectProblem(await commit({ Number: 4, Data: scorm12('passed', 100) }), 410, 'session_exited');
  assert.equal(await alive(), 410);
  assert.equal((await file('index.html')).status, 410);
  const before = await commit({ Number: 2, Data: scorm12('incomplete', 50) });
  expectStatus(before, 200);
  assert.equal(before.body.Ended, 'session_ended');
  const { Score, Completion } = await read();
  assert.deepEqual([Score, Completion], [50, 'incomplete']);
  assert.equal((await commits()).filter(({ Refused }: { Refused: string | null }) => Refused).length, 1);
});

test('a session without a heartbeat for a day has ended, whatever it sends; after LATE_RESULTS_DAYS it accepts nothing', async () => {
  const { LaunchURL } = await enrolled();
  const { commit, file, alive } = await play(service, LaunchURL);
  clock.advance({ hours: 25 });
  for (let day = 0; day < 7; day++) {
    assert.equal(await alive(), 410);
    const reply = await commit({ Data: scorm12('incomplete', day) });
    expectStatus(reply, 200);
    assert.equal(reply.body.Ended, 'session_ended');
    assert.equal((await file('index.html')).status, 410);
    clock.advance({ days: 1 });
  }
  expectProblem(await commit({ Data: scorm12('passed', 100) }), 409, 'results_too_late');
});
