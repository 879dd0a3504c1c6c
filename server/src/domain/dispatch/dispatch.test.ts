import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { movableClock } from '../../../test/support/clock.ts';
import { packUnits } from '../../../test/support/packages.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant } from '../../../test/support/tenant.ts';
import { writeKey } from './open.ts';
import { packagePage } from './package/page.ts';
import { dispatchStandards } from './package/standards.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const { baseUrl } = service.ctx.config;
const Title = 'Fire "safety" <&> more';
expectStatus(await service.importPackage('fire-safety', await packUnits(1)), 201);
expectStatus(await service.api('PUT', '/course/fire-safety', { Title }), 200);
expectStatus(await service.api('PUT', '/course/fire-safety/option/open', {}), 201);
const course = { CourseID: 'fire-safety', DurationID: 'open' };
const { api, key, TenantID } = await newTenant(service);

async function download(path: string): Promise<Buffer> {
  const reply = await fetch(`${baseUrl}${path}/package`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(reply.headers.get('content-type'), 'application/zip');
  return Buffer.from(await reply.arrayBuffer());
}

async function dispatched(more: Record<string, unknown> = {}) {
  const made = await api('POST', '/dispatch', { ...course, Standard: 'scorm12', ...more });
  expectStatus(made, 201);
  const path = `/dispatch/${made.body.DispatchID}`;
  const id: string = made.body.DispatchID;
  return { path, id, secret: writeKey({ ...service.ctx, tenantId: TenantID }, id) };
}
const open = async (secret: string, learner = '7', more: Record<string, string> = {}) => {
  const body = new URLSearchParams({ key: secret, learner, first: 'Ada', last: 'Lovelace', ...more });
  const reply = await fetch(`${baseUrl}/dispatch/open`, { method: 'POST', body });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get('access-control-allow-origin'), '*');
  return (await reply.json()) as { PlayerURL: string | null; Title: string; Text: string; Result: unknown };
};

for (const Standard of dispatchStandards)
  test(`a package of ${Standard} has a few kB, and this service imports it`, async () => {
    const { path } = await dispatched({ Standard });
    const content = await download(path);
    assert.ok(content.length < 8_192, String(content.length));
    assert.deepEqual(await download(path), content);
    const file = join(await mkdtemp(join(tmpdir(), 'lectern-')), 'package.zip');
    await writeFile(file, content);
    const imported = await service.importPackage(`again-${Standard}`, file);
    expectStatus(imported, 201);
    assert.equal(imported.body.Title, Title);
    assert.ok(imported.body.Standard.startsWith(Standard), imported.body.Standard);
  });

test('a learner opens the course, resumes, and is listed with a seat', async () => {
  const { path, id, secret } = await dispatched({ Seats: 1 });
  const back = 'https://lms.example.com/files/closed.html?x=1';
  const first = await open(secret, '7', { back });
  assert.ok(first.PlayerURL?.startsWith(`${service.ctx.config.contentUrl}/play/`), first.Text);
  const LoginID = `dispatch:${id}:7`;
  const [{ EnrollID }] = (await api('GET', `/enrolment/${encodeURIComponent(LoginID)}`)).body.Items;
  const { LaunchURL } = (await api('GET', `/enrolment/${encodeURIComponent(LoginID)}/${EnrollID}`)).body;
  const playing = await play(service, LaunchURL);
  expectStatus(await playing.commit({ Data: scorm12('passed', 80) }), 200);
  assert.deepEqual((await open(secret)).Result, {
    Completion: 'completed',
    Success: 'passed',
    Score: 80,
    Progress: 100,
  });
  const { Items } = (await api('GET', `${path}/learner`)).body;
  assert.deepEqual([Items.length, Items[0].LoginID, Items[0].EnrollID], [1, LoginID, EnrollID]);
  assert.equal((await api('GET', path)).body.SeatsTaken, 1);
  const full = await open(secret, '8');
  assert.deepEqual([full.PlayerURL, full.Title], [null, 'All places are taken']);
  expectStatus(await api('GET', `/user/${encodeURIComponent(`dispatch:${id}:8`)}`), 404);
  expectStatus(await api('PUT', path, { Seats: 2 }), 200);
  assert.ok((await open(secret, '8')).PlayerURL);
  const user = (await api('GET', `/user/${encodeURIComponent(LoginID)}`)).body;
  assert.deepEqual([user.FirstName, user.LastName], ['Ada', 'Lovelace']);
});

test('a dispatch that has stopped, ended or been deleted says why', async () => {
  const { path, secret } = await dispatched();
  expectStatus(await api('PUT', path, { Enabled: false }), 200);
  assert.match((await open(secret)).Title, /not available/);
  const EndsAt = new Date(clock.now().getTime() + 60_000).toISOString();
  expectStatus(await api('PUT', path, { Enabled: true, EndsAt }), 200);
  assert.ok((await open(secret)).PlayerURL);
  clock.advance({ minutes: 2 });
  assert.match((await open(secret)).Title, /has ended/);
  expectStatus(await api('DELETE', path), 200);
  assert.match((await open(secret)).Title, /no longer exists/);
  assert.match((await open('forged')).Title, /no longer exists/);
  expectProblem(await api('GET', `${path}/package`), 404, 'dispatch_not_found');
});

test('learners of two dispatches, and another tenant, are kept apart', async () => {
  const [one, two] = [await dispatched(), await dispatched()];
  await open(one.secret, 'same');
  await open(two.secret, 'same');
  const { Items } = (await api('GET', '/enrolment?CourseID=fire-safety')).body;
  const names = Items.map(({ LoginID }: { LoginID: string }) => LoginID);
  assert.ok([one, two].every(({ id }) => names.includes(`dispatch:${id}:same`)));
  const other = await newTenant(service);
  expectProblem(await other.api('GET', one.path), 404, 'dispatch_not_found');
  expectProblem(await other.api('PUT', one.path, { Enabled: false }), 404, 'dispatch_not_found');
  const unknown = { ...course, DurationID: 'none', Standard: 'cmi5' };
  expectProblem(await api('POST', '/dispatch', unknown), 404, 'option_not_found', 'DurationID');
});

test('a learner whose access has ended or was withdrawn is not enrolled again, and sees why', async () => {
  const { path, id, secret } = await dispatched({ Seats: 1 });
  assert.ok((await open(secret)).PlayerURL);
  const LoginID = encodeURIComponent(`dispatch:${id}:7`);
  const enrolments = async () => (await api('GET', `/enrolment/${LoginID}`)).body.Items;
  const [{ EnrollID }] = await enrolments();
  const change = async (body: object) =>
    expectStatus(await api('PUT', `/enrolment/${LoginID}/${EnrollID}`, body), 200);
  await change({ Withdrawn: true });
  const withdrawn = await open(secret);
  assert.deepEqual([withdrawn.PlayerURL, withdrawn.Result], [null, null]);
  assert.match(withdrawn.Text, /withdrawn/i);
  await change({ Withdrawn: false, ExpiresAt: new Date(clock.now().getTime() + 60_000).toISOString() });
  assert.ok((await open(secret)).PlayerURL);
  clock.advance({ minutes: 2 });
  const ended = await open(secret);
  assert.deepEqual([ended.PlayerURL, ended.Result], [null, null]);
  assert.match(ended.Text, /access/i);
  assert.equal((await enrolments()).length, 1);
  const renewed = await api('POST', `/enrol/${LoginID}/fire-safety/open`, { IfEnrolled: 'renew' });
  expectStatus(renewed, 201);
  assert.ok((await open(secret)).PlayerURL);
  assert.equal((await api('GET', `${path}/learner`)).body.Items[0].EnrollID, renewed.body.EnrollID);
});

test('a path cannot be dispatched', async () => {
  const Steps = [{ CourseIDs: ['fire-safety'] }];
  expectStatus(await service.api('PUT', '/course/path', { Title: 'Path' }), 201);
  expectStatus(await service.api('PUT', '/course/path/option/open', {}), 201);
  expectStatus(await service.api('PUT', '/course/path/path', { Steps }), 200);
  const path = { CourseID: 'path', DurationID: 'open', Standard: 'scorm12' };
  expectProblem(await api('POST', '/dispatch', path), 422, 'validation_failed', 'CourseID');
});

test('the player returns only to the origins that the tenant allows', async () => {
  const { secret } = await dispatched();
  const allow = async (ReturnOrigins: string[] | null) =>
    expectStatus(await service.api('PUT', `/tenant/${TenantID}`, { ReturnOrigins }), 200);
  await allow(['https://lms.example.com']);
  for (const [back, expected] of [
    ['https://lms.example.com/closed.html', 'https://lms.example.com/closed.html'],
    ['https://evil.example/closed.html', null],
  ] as const) {
    const ticket = (await open(secret, '7', { back })).PlayerURL?.split('/play/')[1]?.split('.')[0] ?? '';
    const [, , returnUrl] = JSON.parse(Buffer.from(ticket, 'base64url').toString());
    assert.equal(returnUrl, expected);
  }
  await allow(null);
});

for (const [before, now] of [
  ['passed', 'passed'],
  ['not attempted', 'incomplete'],
])
  test(`opening the course without a result turns ${before} in the LMS into ${now}`, async () => {
    const page = packagePage({ standard: 'scorm12', title: Title, url: baseUrl, key: 'x' });
    const config = /id="c">(.*?)<\/script>/s.exec(page)?.[1] ?? '';
    const values = new Map([
      ['cmi.core.student_id', '7'],
      ['cmi.core.lesson_status', before],
    ]);
    const API = {
      LMSInitialize: () => 'true',
      LMSCommit: () => 'true',
      LMSGetValue: (name: string) => values.get(name) ?? '',
      LMSSetValue: (name: string, value: string) => values.set(name, value),
    };
    const elements = new Map<string, Record<string, unknown>>([['c', { textContent: config }]]);
    const element = (id: string) => elements.get(id) ?? elements.set(id, {}).get(id);
    const Result = { Completion: 'unknown', Success: 'unknown', Score: null, Progress: 0 };
    runInNewContext(/<script>(.*)<\/script>/s.exec(page)?.[1] ?? '', {
      ...{ URL, URLSearchParams, AbortSignal, setTimeout, window: { API }, addEventListener: () => {} },
      navigator: { language: 'en' },
      location: { href: 'https://lms.example/' },
      document: { getElementById: element },
      fetch: async () => ({ ok: true, json: async () => ({ PlayerURL: 'https://play.example/', Result }) }),
    });
    await wait(100);
    assert.equal(elements.get('frame')?.src, 'https://play.example/');
    assert.equal(values.get('cmi.core.lesson_status'), now);
  });

test('a pinned dispatch keeps its release for learners who open it later', async () => {
  const courseId = 'pinned';
  expectStatus(await service.importPackage(courseId, await packUnits(1)), 201);
  expectStatus(await service.api('PUT', `/course/${courseId}/option/open`, {}), 201);
  const sent = { CourseID: courseId, Release: 1 };
  const { path, secret } = await dispatched(sent);
  const current = await dispatched({ CourseID: courseId });
  expectStatus(await service.importPackage(courseId, await packUnits(2)), 200);
  const unitsOf = async (opened: { PlayerURL: string | null }) => {
    const reply = await fetch(`${opened.PlayerURL}/session`, { method: 'POST' });
    return (await reply.json()).Tree.Units.length;
  };
  assert.equal(await unitsOf(await open(secret)), 1);
  assert.equal(await unitsOf(await open(current.secret)), 2);
  expectStatus(await api('PUT', path, { Release: 2 }), 200);
  assert.equal(await unitsOf(await open(secret)), 1);
  assert.equal(await unitsOf(await open(secret, '8')), 2);
  expectProblem(await api('PUT', path, { Release: 9 }), 404, 'release_not_found');
});
