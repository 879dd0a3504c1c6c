import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../../test/support/clock.ts';
import { packSecondRelease } from '../../../../test/support/packages.ts';
import { click, play, post, scorm12 } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  unique,
} from '../../../../test/support/tenant.ts';
import { countWithin, perMinute } from '../../../infra/calls/limits.ts';
import { previewPlayerOf } from './preview-tokens.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { api } = service;
const [first, second] = [await packCourse('phishing'), await packSecondRelease()];
await service.importPackage('fire-safety', await packCourse('fire-safety'));

async function imported(fields: object = {}): Promise<string> {
  const CourseID = unique('previewed');
  expectStatus(await service.importPackage(CourseID, first), 201);
  expectStatus(await api('PUT', `/course/${CourseID}`, fields), 200);
  return CourseID;
}

async function preview(CourseID: string, body?: object): Promise<string> {
  const reply = await api('POST', `/course/${CourseID}/preview`, body);
  expectStatus(reply, 201);
  assert.equal(reply.headers.get('location'), reply.body.PreviewURL);
  return reply.body.PreviewURL;
}

/** Returns all rows of the database, except those that any request may change. */
async function rows(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1`.execute(
    service.ctx.db,
  );
  const found: unknown[] = [];
  for (const { name } of tables.filter(({ name }) => name !== 'api_key')) {
    const text = `/* across tenants: a test looks at all */ select * from "${name}" t order by t::text`;
    found.push(name, (await service.ctx.engine.query({ text, values: [] })).rows);
  }
  return JSON.stringify(found);
}

const openAndUse = async (address: string) => {
  const playing = await play(service, address);
  const { commit, alive, file } = playing;
  const [unit = ''] = Object.keys(playing.session.Data);
  const suspended = { 'cmi.suspend_data': 'page 3', 'cmi.core.exit': 'suspend' };
  const begun = await commit({ UnitID: unit, Data: { ...scorm12('incomplete', 30), ...suspended } });
  expectStatus(begun, 200);
  const { Preview } = begun.body;
  const done = await commit({ UnitID: unit, Data: scorm12('passed', 90), Preview, Exit: true });
  expectStatus(done, 200);
  assert.equal(await alive(), 204);
  assert.equal((await file('index.html')).status, 200);
  return { ...playing, done: done.body };
};

test('a preview is played and evaluated like a launch, but stores nothing', async () => {
  const CourseID = await imported();
  const before = await rows();
  const { session, done } = await openAndUse(await preview(CourseID));
  assert.deepEqual([session.Mode, session.Launch, session.NextCommit], ['preview', 1, 1]);
  assert.deepEqual(session.Learner, { ID: 'preview', Name: 'Preview' });
  const { Status, Completion, Success, Score, Progress } = done;
  assert.deepEqual(
    [done.Number, Status, Completion, Success, Score, Progress],
    [2, 'completed', 'completed', 'passed', 90, 100],
  );
  assert.equal(await rows(), before);
});

test("a course's units are rolled up across commits from the state that the page sends back", async () => {
  const { session, commit } = await play(service, await preview('fire-safety'));
  const units = Object.keys(session.Data);
  assert.equal(units.length, 4);
  let carried = session.Receipt.Preview;
  const progress: number[] = [];
  for (const UnitID of units) {
    const Data = { 'cmi.completion_status': 'completed', 'cmi.success_status': 'passed' };
    const { body } = await commit({ UnitID, Data, ...(carried !== undefined && { Preview: carried }) });
    progress.push(body.Progress);
    carried = body.Preview;
  }
  assert.deepEqual(progress, [25, 50, 75, 100]);
  const worse = { Completion: 'incomplete', Success: 'failed', Score: 1, Progress: 1 } as const;
  const last = { UnitID: units[3] ?? '', Data: {}, Root: worse, Tree: '{}' };
  const { body } = await commit({ ...last, ...(carried !== undefined && { Preview: carried }) });
  assert.deepEqual([body.Completion, body.Success], ['completed', 'passed']);
});

test('a preview rejects invalid commits like a launch does, and also rejects forged state', async () => {
  const { commit } = await play(service, await preview('fire-safety'));
  expectProblem(await commit({ UnitID: 'no such unit' }), 422, 'validation_failed', 'UnitID');
  expectProblem(await commit({ UnitID: 'constructor' }), 422, 'validation_failed', 'UnitID');
  expectProblem(await commit({ Preview: 'e30.forged' }), 422, 'validation_failed', 'Preview');
});

test('two sessions of one preview are independent, and neither supersedes the other', async () => {
  const address = await preview(await imported());
  const [one, other] = [await play(service, address), await openAndUse(address)];
  assert.equal(await one.alive(), 204);
  const { body } = await one.commit({ Data: scorm12('incomplete') });
  assert.equal(body.Completion, 'incomplete');
  assert.equal(other.done.Completion, 'completed');
});

test('any release can be previewed, by default the current one, even after a newer import', async () => {
  const CourseID = await imported();
  const before = await preview(CourseID);
  expectStatus(await service.importPackage(CourseID, second), 200);
  const isSecond = async (address: string) =>
    (await (await (await play(service, address)).file('index.html')).text()).includes('second release');
  assert.equal(await isSecond(before), false);
  assert.equal(await isSecond(await preview(CourseID)), true);
  assert.equal(await isSecond(await preview(CourseID, { Release: 1 })), false);
  expectProblem(
    await api('POST', `/course/${CourseID}/preview`, { Release: 3 }),
    404,
    'release_not_found',
    'Release',
  );
  for (const Release of [0, 'x', 1.5, 2 ** 31])
    expectProblem(
      await api('POST', `/course/${CourseID}/preview`, { Release }),
      422,
      'validation_failed',
      'Release',
    );
});

test('drafts, retired courses and courses at a URL can be previewed; a course without content cannot', async () => {
  for (const Status of ['draft', 'retired']) await openAndUse(await preview(await imported({ Status })));
  const elsewhere = await play(service, await preview(await newCourse(service)));
  assert.equal(elsewhere.session.ContentPath, null);
  assert.equal(elsewhere.session.Tree.Units[0]?.Href, 'https://web.example/');
  const { body } = await elsewhere.commit({ UnitID: 'web', Data: { 'lectern.completion': 'completed' } });
  assert.equal(body.Completion, 'completed');
  const empty = await newCourse(service, { URL: null });
  expectProblem(await api('POST', `/course/${empty}/preview`), 409, 'course_not_playable');
  expectProblem(await api('POST', '/course/nowhere/preview'), 404, 'course_not_found', 'CourseID');
});

test('a tenant can preview only courses offered to it', async () => {
  const [ours, others] = [await newTenant(service), await newTenant(service)];
  const CourseID = await imported({ Tenants: [ours.TenantID] });
  const path = `/catalogue/course/${CourseID}/preview`;
  const before = await rows();
  const reply = await ours.api('POST', path);
  expectStatus(reply, 201);
  await openAndUse(reply.body.PreviewURL);
  assert.equal(await rows(), before);
  expectProblem(await others.api('POST', path), 404, 'course_not_found');
  expectProblem(await ours.api('POST', `/course/${CourseID}/preview`), 403, 'operator_only');
  const ticket = (await click(reply.body.PreviewURL)).location;
  await api('PUT', `/course/${CourseID}`, { Status: 'draft' });
  expectProblem(await ours.api('POST', path), 404, 'course_not_found');
  expectProblem(await post(`${ticket}/session`), 404, 'course_not_found');
});

test('a preview must be opened within 15 minutes and ends after two hours', async () => {
  const CourseID = await imported();
  const { body } = await api('POST', `/course/${CourseID}/preview`);
  const minutes = (Date.parse(body.ExpiresAt) - clock.now().getTime()) / 60_000;
  assert.ok(minutes > 14 && minutes <= 15, String(minutes));
  const { location } = await click(body.PreviewURL);
  const playing = await play(service, body.PreviewURL);
  clock.advance({ minutes: 16 });
  const { status, text } = await click(body.PreviewURL);
  assert.equal(status, 404);
  assert.match(text, /This preview has expired/);
  expectStatus(await post(`${location}/session`), 201);
  clock.advance({ minutes: 103 });
  assert.equal(await playing.alive(), 204);
  expectStatus(await playing.commit({}), 200);
  clock.advance({ minutes: 2 });
  assert.equal((await click(location ?? '')).status, 404);
  expectProblem(await post(`${location}/session`), 410, 'session_ended');
  expectProblem(await playing.commit({}), 410, 'session_ended');
  assert.equal(await playing.alive(), 410);
  assert.equal((await playing.file('index.html')).status, 410);
});

test("a return URL is appended in the same way as to a LaunchURL, and must match the tenant's list", async () => {
  const CourseID = await imported();
  const back = 'https://shop.example/back?ticket=5&key=9';
  const returnOf = async (address: string) => (await play(service, address)).session.ReturnURL;
  const own = await preview(CourseID);
  assert.equal(await returnOf(own), null);
  assert.equal(await returnOf(`${own}&returnURL=${back}`), back);
  assert.equal(await returnOf(`${own}&returnURL=${encodeURIComponent(back)}`), back);
  assert.equal(await returnOf(`${own}&returnURL=javascript:alert(1)`), null);
  const listed = {
    ReturnOrigins: ['https://shop.example'],
    FrameOrigins: ['https://shop.example'],
  };
  const tenant = await newTenant(service, listed);
  const theirs = (await tenant.api('POST', `/catalogue/course/${CourseID}/preview`)).body.PreviewURL;
  assert.equal(await returnOf(`${theirs}&returnURL=${back}`), back);
  assert.equal(await returnOf(`${theirs}&returnURL=https://evil.example/`), null);
  const policyOf = async (address: string) =>
    (await click((await click(address)).location ?? '')).headers.get('content-security-policy') ?? '';
  assert.match(await policyOf(theirs), /frame-ancestors 'self' https:\/\/shop\.example$/);
  assert.match(await policyOf(own), /frame-ancestors \*$/);
});

test("a preview's tokens do not work for a launch, and vice versa", async () => {
  const address = await preview(await imported());
  const link = new URL(address).searchParams.get('ticket') ?? '';
  const { session } = await play(service, address);
  const { LaunchURL } = await service.enrol('fire-safety');
  const ticket = (await click(LaunchURL)).location?.split('/').at(-1) ?? '';
  const launched = (await play(service, LaunchURL)).session.Session;
  for (const token of [link, session.Session, launched])
    expectStatus(await post(`${service.contentUrl}/play/${token}/session`), 410);
  for (const token of [link, ticket, session.Receipt.Preview])
    expectStatus(
      await post(`${service.contentUrl}/play/${token}/commit`, { Number: 1, UnitID: 'x', Data: {} }),
      410,
    );
  for (const token of ['', 'x', ticket, launched, session.Session, `${link}x`])
    assert.equal((await click(`${service.contentUrl}/preview?ticket=${token}`)).status, 404, token);
});

test('deleting a course ends its previews', async () => {
  const CourseID = await imported();
  const { location } = await click(await preview(CourseID));
  const { file } = await play(service, await preview(CourseID));
  expectStatus(await api('DELETE', `/course/${CourseID}`), 204);
  expectProblem(await post(`${location}/session`), 404, 'course_not_found');
  assert.equal((await file('index.html')).status, 404);
});

test('previews of a tenant called operator do not share a limit with those of the operator', async () => {
  const CourseID = await imported();
  const address = await preview(CourseID);
  const { budget } = previewPlayerOf({ tenantId: 'operator', courseId: CourseID });
  countWithin(service.ctx, 'commits', budget, perMinute.commits.max);
  const { alive } = await play(service, address);
  assert.equal(await alive(), 204);
});
