import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, newCourse } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const open = async () => play(service, (await service.enrol(await newCourse(service))).LaunchURL);

test('a commit takes 10,000 elements named as the data models name them, and no more', async () => {
  const { commit } = await open();
  const elements = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`cmi.interactions.${at}.id`, 'i']));
  assert.equal((await commit({ Data: elements(10_000) })).status, 200);
  expectProblem(await commit({ Data: elements(10_001) }), 422, 'validation_failed');
});

test('names that no data model has are rejected', async () => {
  const { commit } = await open();
  for (const name of [
    '',
    'x',
    'cmi',
    'cmi.',
    'evil.core',
    'cmi.core\n',
    'cmi.Ä',
    `cmi.${'a'.repeat(41)}`,
    'cmi..a',
  ])
    expectProblem(await commit({ Data: { [name]: '1' } }), 422, 'validation_failed');
});

test('what is nested deeper than a commit is rejected', async () => {
  const { commit } = await open();
  const deep = { 'cmi.a': { b: { c: 'd' } } } as unknown as Record<string, string>;
  assert.equal((await commit({ Data: deep })).status, 422);
});

test('a unit with 64 kB of suspend data in any script and 250 full interactions is taken', async () => {
  const { commit, session } = await open();
  const Data: Record<string, string> = {
    'cmi.suspend_data': '漢'.repeat(64_000),
    'cmi.location': 'é'.repeat(1_000),
  };
  for (let at = 0; at < 250; at++) {
    const element = (name: string) => `cmi.interactions.${at}.${name}`;
    Data[element('id')] = `urn:interaction:${at}`;
    Data[element('type')] = 'fill-in';
    Data[element('learner_response')] = 'ü'.repeat(250);
    Data[element('correct_responses.0.pattern')] = 'x'.repeat(250);
    Data[element('description')] = 'y'.repeat(250);
    Data[element('objectives.0.id')] = `urn:objective:${at}`;
    for (const name of ['timestamp', 'weighting', 'result', 'latency'])
      Data[element(name)] = '2026-01-01T00:00:00';
  }
  const reply = await commit({ Data, Tree: JSON.stringify({ Changes: 'z'.repeat(200_000) }) });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.equal(reply.body.Number, session.NextCommit);
});

test('120 commits of a launch a minute are taken; then it is told when to go on, and other launches are not held up', async () => {
  const { commit } = await open();
  const other = await open();
  const answers = [];
  for (let sent = 0; sent < 125; sent++) answers.push(await commit({ Number: 1 }));
  const rejected = answers.filter(({ status }) => status === 429);
  assert.deepEqual(new Set(answers.slice(0, 120).map(({ status }) => status)), new Set([200]));
  assert.equal(rejected.length, 5);
  for (const { headers } of rejected) assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.equal((await other.commit({})).status, 200);
});
