import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { unknownObjective } from '../../../../../scorm/sequencing/state.ts';
import { packChoice, packCourse } from '../../../../../test/journeys/course-packages.ts';
import { play } from '../../../../test/support/player.ts';
import { countTouched, type Touched } from '../../../../test/support/rows-touched.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectStatus, newTenant, unique } from '../../../../test/support/tenant.ts';

const touched: Touched[] = [];
const service = await startService({
  over: (engine) => countTouched(engine, (transaction) => void touched.push(transaction)),
});
after(service.close);
const { api, user, TenantID } = await newTenant(service);
/**
 * A package whose manifest maps the objectives `one` and `two` and the bucket `note`, for reading and
 * writing.
 */
const choice = await packChoice();

async function course(file = choice): Promise<string> {
  const CourseID = unique('shared');
  expectStatus(await service.importPackage(CourseID, file), 201);
  await service.api('PUT', `/course/${CourseID}/option/open`, {});
  return CourseID;
}
const [one, other] = [await course(), await course()];
const launchOf = async (LoginID: string, CourseID: string): Promise<string> =>
  (await api('POST', `/enrol/${LoginID}/${CourseID}`, { IfEnrolled: 'renew' })).body.LaunchURL;
const stateWith = (shared: string) => `{"Version":2,"Shared":${shared},"State":{}}`;
const passedAndNoted = '{"globals":[["one",{"satisfied":true}]],"buckets":[["note","hello"]]}';
const nothingShared = { globals: [], buckets: [] };

async function commitTree(launchURL: string, Tree: string): Promise<void> {
  const { commit } = await play(service, launchURL);
  expectStatus(await commit({ Tree }), 200);
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

test('courses share only data that one may write and the other may read, whatever a page stores', async () => {
  const learner = await user();
  const [hostile, here, there] = [await course(await packCourse('phishing')), one, other];
  const pair = (id: string) => `["${id}",{"satisfied":true}]`;
  const shared = `{"globals":[${['one', 'two', 'three'].map(pair)}],"buckets":[["note","x"],["secret","y"]]}`;
  await commitTree(await launchOf(learner, hostile), stateWith(shared));
  const target = await launchOf(learner, there);
  assert.deepEqual((await play(service, target)).session.Shared, nothingShared);
  await commitTree(await launchOf(learner, here), stateWith(shared));
  assert.deepEqual((await play(service, target)).session.Shared, {
    globals: ['one', 'two'].map((id) => [id, { ...unknownObjective, satisfied: true }]),
    buckets: [['note', 'x']],
  });
});

test('a session stays small, and opening it reads no large values, whatever other courses stored', async () => {
  const learner = await user();
  const target = await launchOf(learner, other);
  const { session } = await play(service, target);
  const pairs = Array.from({ length: 18_000 }, (_, n) => `["o${n}",{}]`);
  await commitTree(await launchOf(learner, one), stateWith(`{"globals":[${pairs}],"buckets":[]}`));
  for (let renewal = 0; renewal < 3; renewal += 1)
    await commitTree(await launchOf(learner, one), stateWith(`"${randomBytes(50_000).toString('hex')}`));
  touched.length = 0;
  const opened = await play(service, target);
  assert.equal(JSON.stringify(opened.session).length, JSON.stringify(session).length);
  assert.equal(
    touched.reduce((parts, transaction) => parts + transaction.parts, 0),
    0,
  );
});

test('only the 20 most recently used enrolments that have shared data are read', async () => {
  const learner = await user();
  const share = async (shared: string) => commitTree(await launchOf(learner, one), stateWith(shared));
  const sharedNow = async () => (await play(service, await launchOf(learner, other))).session.Shared;
  await share('{"buckets":[["note","first"]]}');
  await share('{"globals":[],"buckets":[["other","nothing"]]}');
  for (let renewal = 0; renewal < 19; renewal += 1) await share('{"globals":[["one",{"satisfied":true}]]}');
  assert.deepEqual((await sharedNow()).buckets, [['note', 'first']]);
  await share('{"globals":[["one",{"satisfied":false}]]}');
  assert.deepEqual(await sharedNow(), {
    globals: [['one', { ...unknownObjective, satisfied: false }]],
    buckets: [],
  });
});

test('a commit without a tree state keeps the shared data', async () => {
  const learner = await user();
  const { commit } = await play(service, await launchOf(learner, one));
  for (const Tree of [stateWith(passedAndNoted), undefined])
    expectStatus(await commit(Tree === undefined ? {} : { Tree }), 200);
  assert.equal((await play(service, await launchOf(learner, other))).session.Shared.buckets.length, 1);
});

test("erasing a learner erases the data that the learner's courses share", async () => {
  const learner = await user();
  await commitTree(await launchOf(learner, one), stateWith(passedAndNoted));
  const sharing = () =>
    service.ctx.db
      .selectFrom('attempt')
      .select('enroll_id')
      .where('tenant_id', '=', TenantID)
      .where('shared', 'like', '%hello%')
      .execute();
  const before = await sharing();
  expectStatus(await api('DELETE', `/user/${learner}`), 200);
  assert.equal((await sharing()).length, before.length - 1);
});
