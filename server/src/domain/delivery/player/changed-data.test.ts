import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sortedData } from '../../../../../standards/changed-data.ts';
import { packUnits } from '../../../../test/support/packages.ts';
import { play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus } from '../../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
expectStatus(await service.importPackage('units', await packUnits(2)), 201);

const start = { 'cmi.core.lesson_location': '1', 'cmi.suspend_data': 'x', ...scorm12('incomplete', 10) };

/** Starts a course whose first commit has all data. */
async function begin() {
  const { LaunchURL, read } = await service.enrol('units');
  const { commit } = await play(service, LaunchURL);
  expectStatus(await commit({ Number: 1, Data: start }), 200);
  const dataOf = async (unit = 'unit-0') => (await play(service, LaunchURL)).session.Data[unit];
  return { LaunchURL, commit, read, dataOf };
}

test('changes apply to the data of the base, whether or not the node has it in memory', async () => {
  // A node has the data in memory only for the next number.
  for (const [second, third] of [
    [2, 3],
    [3, 5],
  ] as const) {
    const { commit, read, dataOf } = await begin();
    const Removed = ['cmi.core.lesson_location'];
    const changes = { Number: second, Data: { 'cmi.core.score.raw': '70' }, Base: { Number: 1, Removed } };
    const reply = await commit(changes);
    expectStatus(reply, 200);
    assert.deepEqual((await commit(changes)).body, reply.body, 'a repeated commit changes nothing');
    const { 'cmi.core.lesson_location': _, ...rest } = { ...start, ...changes.Data };
    const whole = { Number: second, Data: sortedData(rest) };
    assert.deepEqual((await commit(whole)).body, reply.body, 'sent again with all data');
    const Data = { 'cmi.core.lesson_status': 'passed' };
    expectStatus(await commit({ Number: third, Data, Base: { Number: 1, Removed } }), 200);
    const { Success, Score } = await read();
    assert.deepEqual([Success, Score], ['passed', 70]);
    const data = await dataOf();
    assert.equal(data?.['cmi.suspend_data'], 'x');
    assert.equal(data?.['cmi.core.score.raw'], '70');
    assert.equal(data?.['cmi.core.lesson_location'] ?? '', '');
  }
});

test('the service asks for all data if it has not stored the base, or a later commit or launch has', async () => {
  const { LaunchURL, commit, dataOf } = await begin();
  const changes = { Data: { 'cmi.core.score.raw': '99' } };
  const unknown = async (fields: Parameters<typeof commit>[0]) =>
    expectProblem(await commit({ ...changes, ...fields }), 409, 'commit_base_unknown', 'Base');
  await unknown({ Number: 5, Base: { Number: 4 } });
  await unknown({ Number: 2, UnitID: 'unit-1', Base: { Number: 1 } });
  expectStatus(await commit({ Number: 3, Data: { ...start, 'cmi.suspend_data': 'three' } }), 200);
  await unknown({ Number: 2, Base: { Number: 1 } });
  const next = await play(service, LaunchURL);
  expectStatus(await next.commit({ Data: { ...start, 'cmi.suspend_data': 'next launch' } }), 200);
  await unknown({ Number: 4, Base: { Number: 3 } });
  assert.equal((await dataOf())?.['cmi.suspend_data'], 'next launch');
});

test('changes that make the data too large are not stored, but their result counts', async () => {
  const { commit, read, dataOf } = await begin();
  const part = (index: number) => ({ [`cmi.interactions.${index}.student_response`]: 'x'.repeat(250_000) });
  const send = (nth: number, Data: Record<string, string>) =>
    commit({ Number: nth, Data, Base: { Number: nth - 1 } });
  for (const index of [0, 1, 2]) expectStatus(await send(index + 2, part(index)), 200);
  const reply = await send(5, { ...part(3), ...part(4), 'cmi.core.lesson_status': 'passed' });
  assert.equal(reply.body.Warning, 'data_not_stored');
  assert.equal((await read()).Success, 'passed');
  assert.equal((await dataOf())?.['cmi.core.lesson_status'], 'incomplete');
  const later = await commit({ Number: 6, Data: { 'cmi.core.score.raw': '80' }, Base: { Number: 4 } });
  expectStatus(later, 200);
  assert.equal((await dataOf())?.['cmi.core.score.raw'], '80');
});
