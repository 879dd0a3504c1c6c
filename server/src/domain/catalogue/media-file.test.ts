import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newTenant, unique } from '../../../test/support/tenant.ts';
import { zipOf } from '../../../test/support/zips.ts';

const service = await startService({ env: { PACKAGE_BYTES: '3000000' }, isolates: true });
after(service.close);
const { api } = service;
const tenant = await newTenant(service);

const files = {
  document: ['application/pdf', '%PDF-1.4\n%%EOF\n', 'document.pdf'],
  video: ['video/mp4', '\0\0\0\x10ftypisom\0\0\0\0\0\0\0\x08moov', 'video.mp4'],
  audio: ['audio/mpeg', 'ID3\x04\0\0', 'audio.mp3'],
  page: ['text/html', '<!doctype html><title>Policy</title><p>Be kind.', 'page.html'],
} as const;
type Kind = keyof typeof files;

async function send(method: string, path: string, body?: BodyInit, type = 'application/octet-stream') {
  const headers = { authorization: `Bearer ${service.operatorKey}`, ...(body && { 'content-type': type }) };
  const response = await fetch(service.baseUrl + path, { method, headers, ...(body && { body }) });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    ...{ status: response.status, headers: response.headers, bytes },
    body: isJson ? JSON.parse(bytes.toString()) : null,
  };
}

async function course(fields: Record<string, unknown> = {}): Promise<string> {
  const CourseID = unique('media');
  expectStatus(await api('PUT', `/course/${CourseID}`, { Title: 'Media', ...fields }), 201);
  expectStatus(await api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  return CourseID;
}

async function uploaded(kind: Kind, fields: Record<string, unknown> = {}): Promise<string> {
  const CourseID = await course(fields);
  const [type, body] = files[kind];
  expectStatus(await send('PUT', `/course/${CourseID}/package`, body, type), 201);
  return CourseID;
}

async function enrolled(CourseID: string) {
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Lovelace' });
  const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  return {
    ...(await play(service, LaunchURL)),
    path,
    read: async () => (await tenant.api('GET', path)).body,
  };
}

for (const kind of ['document', 'video', 'audio', 'page'] as const)
  test(`a ${kind} is a course, and its package is the uploaded file`, async () => {
    const CourseID = await course();
    const [type, body, name] = files[kind];
    const made = await send('PUT', `/course/${CourseID}/package`, body, type);
    expectStatus(made, 201);
    const { Standard, Title, Units, Files } = made.body;
    assert.deepEqual([Standard, Title, Files], [kind, kind === 'page' ? 'Policy' : 'Media', 1]);
    assert.deepEqual([Units.length, Units[0].Href], [1, name]);
    assert.equal((await api('GET', `/course/${CourseID}`)).body.Standard, kind);
    const { bytes, headers } = await send('GET', `/course/${CourseID}/release/1/package`);
    assert.equal(bytes.toString('latin1'), body);
    assert.equal(headers.get('content-type'), type);
    assert.match(headers.get('content-disposition') ?? '', new RegExp(`^attachment; .*${CourseID}-1\\.`));
    const listed = (await api('GET', `/course/${CourseID}/release/1/file`)).body;
    assert.deepEqual(listed, { Items: [{ Path: name, Bytes: body.length }], NextCursor: null });
  });

for (const kind of ['document', 'video', 'audio', 'page'] as const)
  test(`a file that is no ${kind} is rejected before anything is stored`, async () => {
    const CourseID = await course();
    const bodies = Object.entries(files).filter(([name]) => name !== kind);
    const wrong = [...bodies.map(([, [, body]]) => body), 'plain text', await zipOf({ a: 'b' })];
    for (const body of wrong) {
      const reply = await send('PUT', `/course/${CourseID}/package`, body as BodyInit, files[kind][0]);
      expectProblem(reply, 422, 'package_invalid');
      assert.match(reply.body.detail, /^The file is not an? /);
    }
    assert.deepEqual((await api('GET', `/course/${CourseID}/release`)).body.Items, []);
  });

test('a document is completed at its end, and its time counts', async () => {
  const { session, commit, read } = await enrolled(await uploaded('document'));
  const data = { 'cmi.location': '2', 'cmi.progress_measure': '0.5', 'cmi.session_time': 'PT30S' };
  assert.deepEqual(session.Tree.Units[0]?.Media?.CompleteWhen, { Percent: 100 });
  expectStatus(await commit({ Data: data }), 200);
  const half = await read();
  assert.deepEqual([half.Completion, half.Progress, half.TotalSeconds], ['incomplete', 50, 30]);
  expectStatus(await commit({ Data: { ...data, 'cmi.progress_measure': '1' } }), 200);
  const whole = await read();
  assert.deepEqual([whole.Completion, whole.Success, whole.Score], ['completed', 'unknown', null]);
  assert.equal(whole.Outcome, 'completed');
});

test('the rule of the course applies to learners who have started', async () => {
  const CourseID = await uploaded('video');
  const { commit, read } = await enrolled(CourseID);
  expectStatus(await commit({ Data: { 'cmi.progress_measure': '0.6' } }), 200);
  assert.equal((await read()).Completion, 'incomplete');
  const changed = await api('PUT', `/course/${CourseID}`, { CompleteWhen: { Percent: 60 } });
  assert.deepEqual(changed.body.CompleteWhen, { Percent: 60 });
  expectStatus(await commit({ Data: { 'cmi.progress_measure': '0.6', 'cmi.location': '4' } }), 200);
  assert.equal((await read()).Completion, 'completed');
});

test('a confirmation records the name, the time and the release', async () => {
  const Confirm = 'I have read and understood this policy.';
  const CourseID = await uploaded('page', { CompleteWhen: { Confirm } });
  const { session, commit, read, path } = await enrolled(CourseID);
  const [unit] = session.Tree.Units;
  assert.deepEqual([unit?.Media?.CompleteWhen, unit?.Media?.Release], [{ Confirm }, 1]);
  expectStatus(await commit({ Data: { 'cmi.progress_measure': '1' } }), 200);
  assert.equal((await read()).Completion, 'incomplete');
  const confirmation = {
    'cmi.interactions.0.id': 'confirmation',
    'cmi.interactions.0.type': 'other',
    'cmi.interactions.0.timestamp': '2026-01-31T09:00:00Z',
    'cmi.interactions.0.description': `${Confirm} (1)`,
    'cmi.interactions.0.learner_response': 'Ada Lovelace',
  };
  expectStatus(await commit({ Data: { 'cmi.progress_measure': '1', ...confirmation } }), 200);
  assert.equal((await read()).Completion, 'completed');
  const { Items } = (await tenant.api('GET', `${path}/activity`)).body;
  const [{ Interactions }] = Items;
  const [{ Response, Time, Description }] = Interactions;
  assert.deepEqual([Response, Time, Description], ['Ada Lovelace', '2026-01-31T09:00:00Z', `${Confirm} (1)`]);
});

test('a completion rule has exactly one part', async () => {
  const CourseID = await course();
  for (const CompleteWhen of [
    {},
    { Percent: 0 },
    { Percent: 101 },
    { Confirm: '' },
    { Percent: 5, Confirm: 'a' },
  ])
    expectStatus(await api('PUT', `/course/${CourseID}`, { CompleteWhen }), 422);
});

const page = (text: string) => `<!doctype html><title>Page</title><p>${text}</p>`;

test('one file is replaced as a new release, and the package of each release can be downloaded', async () => {
  const CourseID = await course();
  const zip = await zipOf({ 'index.html': page('Teh typo'), 'a/b.css': 'p{}', '.hidden': 'x' });
  expectStatus(await send('PUT', `/course/${CourseID}/package`, zip as BodyInit, 'application/zip'), 201);
  const made = await send('PUT', `/course/${CourseID}/file/INDEX.html`, page('The typo'));
  expectStatus(made, 200);
  assert.deepEqual([made.body.Release, made.body.Files, made.body.Current], [2, 3, true]);
  const { bytes } = await send('GET', `/course/${CourseID}/release/1/package`);
  const again = await send('PUT', `/course/${CourseID}/package`, bytes as BodyInit, 'application/zip');
  expectStatus(again, 200);
  const listed = async (release: number) =>
    (await api('GET', `/course/${CourseID}/release/${release}/file?Limit=200`)).body.Items;
  assert.deepEqual(await listed(3), await listed(1));
  assert.deepEqual(
    (await listed(2)).map(({ Path }: { Path: string }) => Path),
    ['.hidden', 'a/b.css', 'index.html'],
  );
});

test('of several files replaced at the same time, none is lost unnoticed', async () => {
  const CourseID = await course();
  const zip = await zipOf({ 'index.html': page('Hello') });
  expectStatus(await send('PUT', `/course/${CourseID}/package`, zip as BodyInit, 'application/zip'), 201);
  const names = ['a.js', 'b.js', 'c.js'];
  const replies = await Promise.all(
    names.map((name) => send('PUT', `/course/${CourseID}/file/${name}`, `// ${name}`)),
  );
  const stored = names.filter((_, at) => replies[at]?.status === 200);
  for (const reply of replies) if (reply.status !== 200) expectProblem(reply, 409, 'touched');
  const { Items } = (await api('GET', `/course/${CourseID}/release`)).body;
  const latest = Math.max(...Items.map(({ Release }: { Release: number }) => Release));
  const kept = (await api('GET', `/course/${CourseID}/release/${latest}/file`)).body.Items;
  assert.deepEqual(
    kept.map(({ Path }: { Path: string }) => Path),
    [...stored, 'index.html'],
  );
});

test('a file that breaks the launch page is rejected, and nothing is stored', async () => {
  const CourseID = await course();
  const zip = await zipOf({ 'index.html': page('Hello') });
  expectStatus(await send('PUT', `/course/${CourseID}/package`, zip as BodyInit, 'application/zip'), 201);
  for (const content of [' ', 'plain text', 'GIF89a\0']) {
    const reply = await send('PUT', `/course/${CourseID}/file/index.html`, content);
    expectProblem(reply, 422, 'package_invalid');
    assert.match(reply.body.detail, /^index\.html opens the unit “Media”/);
  }
  expectProblem(await send('PUT', `/course/${CourseID}/file/..%2Fa.html`, 'x'), 422, 'package_unsafe');
  expectProblem(await send('PUT', `/course/${await course()}/file/a.html`, 'x'), 404, 'release_not_found');
  assert.equal((await api('GET', `/course/${CourseID}/release`)).body.Items.length, 1);
});

test('a video gets captions, and its file can be replaced only by a video', async () => {
  const CourseID = await uploaded('video');
  const made = await send('PUT', `/course/${CourseID}/file/captions.de.vtt`, 'WEBVTT\n');
  expectStatus(made, 200);
  assert.deepEqual([made.body.Standard, made.body.Files], ['video', 2]);
  const { session, file } = await enrolled(CourseID);
  const captions = session.Tree.Units[0]?.Media?.Captions;
  assert.deepEqual(captions, [{ Href: 'captions.de.vtt', Language: 'de' }]);
  assert.equal((await file('captions.de.vtt')).headers.get('content-type'), 'text/vtt');
  for (const content of ['not a video', '\0\0\0\x10ftypisom\0\0\0\0']) {
    const reply = await send('PUT', `/course/${CourseID}/file/video.mp4`, content);
    expectProblem(reply, 422, 'package_invalid');
  }
  const { headers } = await send('GET', `/course/${CourseID}/release/2/package`);
  assert.equal(headers.get('content-type'), 'application/zip');
});
