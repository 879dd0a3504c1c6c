import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../../test/support/clock.ts';
import { calls, observed, serve } from '../../../../test/support/nodes.ts';
import { play, post, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api, user, events } = await newTenant(service);
const zip = await packCourse('phishing');
await service.importPackage('phishing', zip);
await service.api('PUT', '/course/phishing/option/month', { Duration: 'P30D' });

async function enrolled() {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/phishing`)).body;
  const address = `/enrolment/${LoginID}/${EnrollID}`;
  const read = async () => (await api('GET', address)).body;
  const types = async () => (await events({ EnrollID })).map(({ type }) => type);
  return { address, LaunchURL: LaunchURL as string, read, types };
}

test('a commit returns a receipt, and the enrolment shows the result', async () => {
  const { LaunchURL, read, types } = await enrolled();
  const { commit } = await play(service, LaunchURL);
  const reply = await commit({ Data: scorm12('incomplete', 40) });
  expectStatus(reply, 200);
  assert.deepEqual(reply.body, {
    Number: 1,
    Status: 'in_progress',
    Completion: 'incomplete',
    Success: 'unknown',
    Score: 40,
    Progress: 0,
    Ended: null,
  });
  const { Completion, Score, LastAccessedAt } = await read();
  assert.deepEqual([Completion, Score], ['incomplete', 40]);
  assert.notEqual(LastAccessedAt, null);
  assert.deepEqual(await types(), ['enrolment.created', 'enrolment.launched', 'enrolment.progressed']);
});

test('a repeated number changes nothing and returns the same receipt', async () => {
  const { LaunchURL, read, types } = await enrolled();
  const { commit } = await play(service, LaunchURL);
  const first = await commit({ Data: scorm12('incomplete', 40) });
  const before = [await read(), await types()];
  clock.advance({ minutes: 5 });
  const again = await commit({ Number: 1, Data: scorm12('incomplete', 40) });
  expectStatus(again, 200);
  assert.deepEqual(again.body, first.body);
  assert.deepEqual([await read(), await types()], before);
});

test('concurrent copies of a commit are stored once', async () => {
  const { LaunchURL, address } = await enrolled();
  const { commit } = await play(service, LaunchURL);
  // A page may send six commits at a time.
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => commit({ Number: 1, Data: scorm12('incomplete', 40) })),
  );
  for (const reply of replies) expectStatus(reply, 200);
  const { Items } = (await api('GET', `${address}/timeline`)).body;
  assert.equal(Items.filter((entry: { Kind: string }) => entry.Kind === 'commit').length, 1);
});

test("the newer launch wins: the older launch's bookmark is ignored, and its page is notified", async () => {
  const { LaunchURL, read } = await enrolled();
  const old = await play(service, LaunchURL);
  await old.commit({ Data: { ...scorm12('incomplete', 30), 'cmi.suspend_data': 'here' } });
  const young = await play(service, LaunchURL);
  assert.equal(young.session.NextCommit, 2);
  expectStatus(
    await young.commit({ Data: { ...scorm12('incomplete', 50), 'cmi.suspend_data': 'there' } }),
    200,
  );
  const before = await read();
  const stale = await old.commit({ Data: { ...scorm12('failed', 0), 'cmi.suspend_data': 'stale' } });
  expectStatus(stale, 200);
  assert.equal(stale.body.Ended, 'session_superseded');
  assert.equal(await old.alive(), 409);
  const { Score, Completion } = await read();
  assert.deepEqual([Score, Completion], [before.Score, before.Completion]);
  assert.equal(await young.alive(), 204);
  const again = await play(service, LaunchURL);
  const [unit = ''] = Object.keys(again.session.Data);
  assert.equal(again.session.Data[unit]?.['cmi.suspend_data'], 'there');
});

test('a better result is never lost: a pass with 90 stays, whatever comes later', async () => {
  const { LaunchURL, read, types } = await enrolled();
  const first = await play(service, LaunchURL);
  const best = (await first.commit({ Data: scorm12('passed', 90) })).body;
  assert.deepEqual([best.Status, best.Success, best.Score], ['completed', 'passed', 90]);
  const { CompletedAt } = await read();
  clock.advance({ days: 1 });
  const second = await play(service, LaunchURL);
  for (const data of [scorm12('failed', 20), scorm12('incomplete'), scorm12('not attempted'), {}]) {
    const { body } = await second.commit({ Data: data });
    const { Status, Completion, Success, Score, Progress } = body;
    assert.deepEqual(
      [Status, Completion, Success, Score, Progress],
      ['completed', 'completed', 'passed', 90, 100],
    );
  }
  assert.equal((await read()).CompletedAt, CompletedAt);
  const reported = await types();
  assert.equal(reported.filter((type) => type === 'enrolment.completed').length, 1);
  assert.equal(reported.filter((type) => type === 'enrolment.passed').length, 1);
  assert.equal(reported.filter((type) => type === 'enrolment.failed').length, 0);
});

test('a failure can become a pass', async () => {
  const { LaunchURL, types } = await enrolled();
  const { commit } = await play(service, LaunchURL);
  const failed = (await commit({ Data: scorm12('failed', 20) })).body;
  assert.deepEqual([failed.Status, failed.Success, failed.Score], ['in_progress', 'failed', 20]);
  const passed = (await commit({ Data: scorm12('passed', 85) })).body;
  assert.deepEqual([passed.Status, passed.Success, passed.Score], ['completed', 'passed', 85]);
  assert.deepEqual((await types()).slice(2, 3), ['enrolment.failed']);
});

test('64 kB of suspend data in SCORM 1.2 is stored completely, with a warning', async () => {
  const { LaunchURL, address } = await enrolled();
  const { commit, session } = await play(service, LaunchURL);
  const text = '😀é山x'.repeat(16_384);
  const [unit = ''] = Object.keys(session.Data);
  const suspend = { 'cmi.suspend_data': text, 'cmi.core.exit': 'suspend' };
  expectStatus(await commit({ Data: { ...scorm12('incomplete'), ...suspend } }), 200);
  const again = await play(service, LaunchURL);
  assert.equal(again.session.Data[unit]?.['cmi.suspend_data'], text);
  const { Items } = (await api('GET', `${address}/timeline`)).body;
  const saved = Items.find((entry: { Kind: string }) => entry.Kind === 'commit');
  assert.match(saved.Warnings[0], /4,096/);
  assert.equal((await again.commit({ Data: { 'cmi.suspend_data': 'x'.repeat(262_145) } })).status, 422);
});

test('NUL and lone surrogates in run-time values come back exactly, also from an earlier attempt', async () => {
  const { LaunchURL, address } = await enrolled();
  const { commit, session } = await play(service, LaunchURL);
  const [unit = ''] = Object.keys(session.Data);
  const text = 'a\0b\ud800c\\u0000 \udfff😀\r\n';
  const own = { ...scorm12('incomplete'), 'cmi.suspend_data': text, 'cmi.core.exit': 'suspend' };
  const answer = { 'cmi.interactions.0.id': 'q\0', 'cmi.interactions.0.student_response': text };
  expectStatus(await commit({ Data: { ...own, ...answer } }), 200);
  const again = await play(service, LaunchURL);
  assert.equal(again.session.Data[unit]?.['cmi.suspend_data'], text);
  const responses = async (query = '') => {
    const { Items } = (await api('GET', `${address}/activity${query}`)).body;
    return Items.map(({ Interactions: [one] }: { Interactions: object[] }) => one);
  };
  const [recorded] = await responses();
  assert.deepEqual([recorded.InteractionID, recorded.Response], ['q\0', text]);
  expectStatus(await api('POST', `${address}/reset`, { Reason: 'Test' }), 200);
  assert.deepEqual(await responses('?Attempt=1'), [recorded]);
});

test('an activity tree with raw NUL characters, which no page writes, is rejected', async () => {
  const { commit } = await play(service, (await enrolled()).LaunchURL);
  expectProblem(await commit({ Tree: '{"a":"\0"}' }), 422, 'validation_failed', 'Tree');
  expectStatus(await commit({ Tree: '{"a":"\\u0000"}' }), 200);
});

test('an invalid commit is rejected, and the next valid commit is accepted', async () => {
  const { LaunchURL, read } = await enrolled();
  const { commit, session } = await play(service, LaunchURL);
  const before = await read();
  const [unit = ''] = Object.keys(session.Data);
  const address = `${service.contentUrl}/play/${session.Session}/commit`;
  const bodies: unknown[] = [
    {},
    [],
    'text',
    { Number: 1 },
    { Number: 0, UnitID: 'x', Data: {} },
    { Number: 1.5, UnitID: 'x', Data: {} },
    { Number: 2 ** 40, UnitID: unit, Data: {} },
    { Number: 1, UnitID: 'no such unit', Data: {} },
    { Number: 1, UnitID: 'a\0', Data: {} },
    { Number: 1, UnitID: 'x', Data: { 'a\nb': { deep: 1 } } },
    { Number: 1, UnitID: 'x', Data: { a: { deep: 1 } } },
    { Number: 1, UnitID: 'x', Data: {}, Root: { Completion: 'done' } },
  ];
  for (const body of bodies) {
    const reply = await post(address, body);
    assert.equal(reply.status, 422, JSON.stringify(body));
  }
  assert.equal((await fetch(address, { method: 'POST', body: '{' })).status, 400);
  assert.equal((await fetch(address, { method: 'POST' })).status, 422);
  const tampered = await post(address.replace('/commit', 'x/commit'), { Number: 1, UnitID: 'x', Data: {} });
  assert.equal(tampered.status, 410);
  assert.deepEqual(await read(), before);
  expectStatus(await commit({ Data: scorm12('incomplete') }), 200);
});

test('a withdrawal between the two statements of a commit takes effect', async () => {
  const { LaunchURL, address, read } = await enrolled();
  const { session } = await play(service, LaunchURL);
  let withdrawn = false;
  const ctx = observed(service.ctx, async (statement) => {
    if (!calls(statement, 'write_progress') || withdrawn) return;
    withdrawn = true;
    expectStatus(await api('PUT', address, { Withdrawn: true }), 200);
  });
  const node = await serve(ctx);
  const [UnitID = ''] = Object.keys(session.Data);
  const reply = await node.content.inject({
    method: 'POST',
    url: `/play/${session.Session}/commit`,
    payload: { Number: 1, UnitID, Data: scorm12('passed', 80) },
  });
  await node.close();
  assert.deepEqual([reply.statusCode, reply.json().code], [403, 'enrolment_withdrawn']);
  const { Status, Completion } = await read();
  assert.deepEqual([withdrawn, Status, Completion], [true, 'withdrawn', 'unknown']);
});

test('the total time adds up across sessions', async () => {
  const { LaunchURL, read } = await enrolled();
  const suspended = { ...scorm12('incomplete'), 'cmi.core.exit': 'suspend' };
  const first = await play(service, LaunchURL);
  await first.commit({ Data: { ...suspended, 'cmi.core.session_time': '00:10:00' }, Exit: true });
  assert.equal((await read()).TotalSeconds, 600);
  const second = await play(service, LaunchURL);
  const [unit = ''] = Object.keys(second.session.Data);
  assert.equal(second.session.LastUnitID, unit);
  const data = { ...second.session.Data[unit], ...suspended, 'cmi.core.session_time': '00:05:00' };
  await second.commit({ Data: data });
  assert.equal((await read()).TotalSeconds, 900);
});
