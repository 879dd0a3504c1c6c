import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packUnits } from '../../../../test/support/packages.ts';
import { play, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const { api, user } = await newTenant(service);
expectStatus(await service.importPackage('units', await packUnits(6)), 201);
await service.api('PUT', '/course/units/option/open', {});

async function enrol() {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/units`)).body;
  return { EnrollID, LaunchURL, address: `/enrolment/${LoginID}/${EnrollID}` };
}

/** Run-time data of 960 kB with a result. Four of these fit into 4 MiB. */
const large = (status: string, character = 'x') => ({
  ...scorm12(status),
  ...Object.fromEntries(
    Array.from({ length: 15 }, (_, n) => [`cmi.interactions.${n}.id`, character.repeat(64_000)]),
  ),
});

test("results still count when a course's run-time data exceeds 4 MiB, but the data is not stored, and the receipt says so", async () => {
  const { LaunchURL, address } = await enrol();
  const { session, commit } = await play(service, LaunchURL);
  const units = Object.keys(session.Data);
  for (const UnitID of units.slice(0, 4)) {
    const reply = await commit({ UnitID, Data: large('completed') });
    expectStatus(reply, 200);
    assert.equal(reply.body.Warning, undefined);
  }
  const [, , , , fifth = '', sixth = ''] = units;
  const refused = await commit({ UnitID: fifth, Data: large('passed') });
  expectStatus(refused, 200);
  assert.equal(refused.body.Warning, 'data_not_stored');
  assert.equal(refused.body.Number, 5, 'the commit is confirmed, because sending it again would not help');
  const small = await commit({ UnitID: sixth, Data: { 'cmi.suspend_data': 'page 3' } });
  assert.equal(small.body.Warning, undefined, 'data that fits is stored');

  const again = await play(service, LaunchURL);
  assert.ok(JSON.stringify(again.session).length < 4.2 * 1024 ** 2);
  assert.equal(again.session.Evidence[fifth]?.Success, 'passed');
  assert.equal(again.session.Data[fifth]?.['cmi.interactions.0.id'], undefined);
  assert.equal(again.session.Data[units[3] ?? '']?.['cmi.interactions.0.id']?.length, 64_000);
  assert.equal(again.session.Data[sixth]?.['cmi.suspend_data'], 'page 3');
  const { body } = await api('GET', `${address}/timeline`);
  const warned = body.Items.filter((entry: { Warnings: string[] }) => entry.Warnings.length > 0);
  assert.deepEqual(
    warned.map((entry: { UnitID: string }) => entry.UnitID),
    [fifth],
  );
  assert.match(warned[0].Warnings[0], /4 MiB/);
});

test('a unit keeps its stored data if newer data does not fit, and later stores data that fits', async () => {
  const { LaunchURL } = await enrol();
  const { session, commit } = await play(service, LaunchURL);
  const [first = '', second = '', ...others] = Object.keys(session.Data);
  expectStatus(await commit({ UnitID: first, Data: { 'cmi.suspend_data': 'page 1' } }), 200);
  for (const UnitID of others) expectStatus(await commit({ UnitID, Data: large('incomplete') }), 200);
  assert.equal((await commit({ UnitID: first, Data: large('completed') })).body.Warning, 'data_not_stored');
  const stored = async () => (await play(service, LaunchURL)).session.Data[first]?.['cmi.suspend_data'];
  assert.equal(await stored(), 'page 1');
  expectStatus(await commit({ UnitID: second, Data: {} }), 200);
  expectStatus(await commit({ UnitID: others[0] ?? '', Data: {} }), 200);
  const fits = await commit({ UnitID: first, Data: { ...large('completed'), 'cmi.suspend_data': 'page 2' } });
  assert.equal(fits.body.Warning, undefined);
  assert.equal(await stored(), 'page 2');
});

test('the size of the data is the size of its JSON, whatever its characters', async () => {
  const { LaunchURL } = await enrol();
  const { session, commit } = await play(service, LaunchURL);
  const warnings = [];
  for (const UnitID of Object.keys(session.Data)) {
    const Data = Object.fromEntries(
      Array.from({ length: 3 }, (_, n) => [`cmi.interactions.${n}.id`, '\u0001'.repeat(50_000)]),
    );
    warnings.push((await commit({ UnitID, Data })).body.Warning);
  }
  assert.deepEqual(warnings, [...Array(4).fill(undefined), ...Array(2).fill('data_not_stored')]);
});

test('a commit with results only counts, and the data stored before is kept', async () => {
  const { LaunchURL, address } = await enrol();
  const { session, commit } = await play(service, LaunchURL);
  const [first = ''] = Object.keys(session.Data);
  expectStatus(await commit({ Data: { ...scorm12('incomplete'), 'cmi.suspend_data': 'page 1' } }), 200);
  const counted = async () => (await service.ctx.counters.commitsWithoutData.get()).values[0]?.value ?? 0;
  const before = await counted();
  const reply = await commit({ Data: scorm12('passed', 90), DataOmitted: true });
  assert.deepEqual([reply.body.Warning, reply.body.Success], ['data_not_stored', 'passed']);
  assert.equal(await counted(), before + 1);
  const again = await play(service, LaunchURL);
  assert.deepEqual(
    [again.session.Data[first]?.['cmi.suspend_data'], again.session.Evidence[first]?.Score],
    ['page 1', 90],
  );
  const { Items } = (await api('GET', `${address}/timeline`)).body;
  const warnings = Items.flatMap(({ Warnings }: { Warnings: string[] }) => Warnings);
  assert.deepEqual(warnings.length, 1);
  assert.match(warnings[0], /4 MiB.*The result counts/);
});

test('values that the course set but that were refused are in the timeline', async () => {
  const { LaunchURL, address } = await enrol();
  const { commit } = await play(service, LaunchURL);
  const score = { Element: 'cmi.core.score.raw', Value: '250\0', Problem: 'wrong type' } as const;
  const answer = { Element: 'cmi.interactions.9.id', Value: 'q9', Problem: 'no space' } as const;
  const first = await commit({ Data: scorm12('passed'), Refused: [score] });
  const second = await commit({ Data: scorm12('passed'), Refused: [score, answer] });
  assert.deepEqual([first.body.Warning, second.body.Warning], [undefined, 'data_not_stored']);
  const { Items } = (await api('GET', `${address}/timeline`)).body;
  const commits = Items.filter(({ Kind }: { Kind: string }) => Kind === 'commit');
  const told = 'A value that the course set was refused. ';
  assert.deepEqual(
    commits.map(({ Warnings }: { Warnings: string[] }) => Warnings),
    [
      [`${told}cmi.core.score.raw does not accept this value: "250\\u0000".`],
      [
        `${told}cmi.core.score.raw does not accept this value: "250\\u0000".`,
        `${told}cmi.interactions.9.id does not fit into the space that a unit has: "q9".`,
      ],
    ],
  );
});

test('a commit for a unit that the course does not have is refused permanently, and the timeline shows it', async () => {
  const { LaunchURL, address } = await enrol();
  const { commit } = await play(service, LaunchURL);
  for (const UnitID of ['gone', 'gone\0'])
    expectProblem(await commit({ UnitID, Data: scorm12('passed') }), 422, 'validation_failed', 'UnitID');
  const { Items } = (await api('GET', `${address}/timeline`)).body;
  const refused = Items.filter(({ Refused }: { Refused: string | null }) => Refused !== null);
  assert.deepEqual(
    refused.map(({ UnitID, Refused }: Record<string, string>) => [UnitID, Refused]),
    [['gone', 'validation_failed']],
  );
  expectStatus(await commit({ Data: scorm12('passed') }), 200);
});
