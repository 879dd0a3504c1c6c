import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { unknownObjective } from '../../../../scorm/sequencing/state.ts';
import { packChoice } from '../../../../test/journeys/made-courses.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const { api, user } = await newTenant(service);
const file = await packChoice();

async function course(): Promise<string> {
  const CourseID = unique('shared');
  expectStatus(await service.importPackage(CourseID, file), 201);
  await service.api('PUT', `/course/${CourseID}/option/open`, {});
  return CourseID;
}
const [one, other] = [await course(), await course()];
const launchOf = async (LoginID: string, CourseID: string) =>
  (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body.LaunchURL;
const stateWith = (shared: string) => `{"Version":2,"Shared":${shared},"State":{}}`;
const passedAndNoted = '{"globals":[["one",{"satisfied":true}]],"buckets":[["note","hello"]]}';
const nothingShared = { globals: [], buckets: [] };

async function commitTree(launchURL: string, Tree: string): Promise<void> {
  const { commit } = await play(service, launchURL);
  expectStatus(await commit({ UnitID: 'part-1', Data: {}, Tree }), 200);
}

test("global objectives and shared data come from the same learner's other courses", async () => {
  const [learner, stranger] = [await user(), await user()];
  const [here, there] = [await launchOf(learner, one), await launchOf(learner, other)];
  await commitTree(here, stateWith(passedAndNoted));
  assert.deepEqual((await play(service, there)).session.Shared, {
    globals: [['one', { ...unknownObjective, satisfied: true }]],
    buckets: [['note', 'hello']],
  });
  assert.deepEqual((await play(service, here)).session.Shared, nothingShared);
  const another = await launchOf(stranger, other);
  assert.deepEqual((await play(service, another)).session.Shared, nothingShared);
});

test('other courses can be opened whatever state a page has stored', async () => {
  const learner = await user();
  const [here, there] = [await launchOf(learner, one), await launchOf(learner, other)];
  for (const shared of ['{', 'null', '1', '{"globals":1,"buckets":[1,["note"],["note",2],[1,"x"]]}']) {
    await commitTree(here, stateWith(shared));
    assert.deepEqual((await play(service, there)).session.Shared, nothingShared, shared);
  }
});
