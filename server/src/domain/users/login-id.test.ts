import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { path } from '../../http/routes.ts';

const service = await startService();
after(service.close);
const { api, user } = await newTenant(service);

test('every script and character works in bodies, paths, queries and Location', async () => {
  const CourseID = await newCourse(service);
  const names = [
    'ann@example.org',
    'a+b',
    'a.b',
    'a/b',
    'a b',
    '100%',
    'a%2Fb',
    "O'Neil",
    'say "hi"',
    '?x=1&y=2#z',
    '<b>&amp;',
    '\\back\\slash',
    'Łukasz Żółć',
    'Ελένη',
    'Мария',
    '山田太郎',
    '김철수',
    'مريم',
    'דוד',
    'नेहा',
    'สมชาย',
    '👩🏽‍🚒',
    '𝒳',
    'check',
    '...',
    'null',
    '0',
    ':id',
    '*',
    ';',
    '~',
  ];
  for (const LoginID of names) {
    const made = await api('POST', '/user', { LoginID });
    expectStatus(made, 201);
    assert.equal(made.body.LoginID, LoginID.normalize('NFC'));
    const location = made.headers.get('location') ?? '';
    assert.deepEqual((await api('GET', location)).body, made.body, LoginID);
    assert.equal((await api('GET', path`/user/check/${LoginID}`)).body.Result, 1);
    const enrolled = await api('POST', path`/enrol/${LoginID}/${CourseID}/standard`);
    expectStatus(enrolled, 201);
    assert.equal((await api('GET', enrolled.headers.get('location') ?? '')).body.LoginID, made.body.LoginID);
    const found = await api('GET', `/user?Search=${encodeURIComponent(made.body.LoginID)}`);
    assert.ok(found.body.Items.some((item: { LoginID: string }) => item.LoginID === made.body.LoginID));
  }
});

test('composed and decomposed characters form the same LoginID', async () => {
  const composed = 'Zoë Müller-Ångström'.normalize('NFC');
  const decomposed = composed.normalize('NFD');
  assert.notEqual(composed, decomposed);
  const made = await api('POST', '/user', { LoginID: decomposed });
  expectStatus(made, 201);
  assert.equal(made.body.LoginID, composed);
  expectStatus(await api('POST', '/user', { LoginID: composed }), 200);
  assert.equal((await api('GET', path`/user/${decomposed}`)).body.LoginID, composed);
  expectStatus(await api('PUT', path`/user/${decomposed}`, { LoginID: decomposed }), 200);
});

test('a composed CourseID is found by a query that decomposes it', async () => {
  const LoginID = await user();
  const CourseID = 'Kurs für Ångström'.normalize('NFC');
  await service.api('PUT', path`/course/${CourseID}`, { Title: 'x', URL: 'https://web.example/' });
  await service.api('PUT', path`/course/${CourseID}/option/one`, {});
  expectStatus(await api('POST', path`/enrol/${LoginID}/${CourseID.normalize('NFD')}`), 201);
  const query = encodeURIComponent(CourseID.normalize('NFD'));
  assert.equal((await api('GET', `/enrolment?CourseID=${query}`)).body.Items.length, 1);
});

test('a LoginID can have 255 characters, regardless of their size in bytes, but not 256', async () => {
  for (const sign of ['x', 'ü', '山', '😀']) {
    const LoginID = sign.repeat(255);
    const made = await api('POST', '/user', { LoginID, GroupName: LoginID, Email: sign.repeat(320) });
    expectStatus(made, 201);
    expectStatus(await api('GET', path`/user/${LoginID}`), 200);
    expectProblem(
      await api('POST', '/user', { LoginID: sign.repeat(256) }),
      422,
      'validation_failed',
      'LoginID',
    );
    expectProblem(await api('GET', path`/user/${sign.repeat(256)}`), 422, 'validation_failed', 'LoginID');
  }
});

test('the limit applies to the stored form, in which NFC may decompose a letter into several characters', async () => {
  const apart = '\u{0958}';
  assert.equal(apart.normalize('NFC').length, 2);
  const fits = apart.repeat(127);
  expectStatus(await api('POST', '/user', { LoginID: fits }), 201);
  expectStatus(await api('GET', path`/user/${fits}`), 200);
  expectProblem(
    await api('POST', '/user', { LoginID: apart.repeat(128) }),
    422,
    'validation_failed',
    'LoginID',
  );
});

test('control characters and lone surrogates are rejected in bodies and paths', async () => {
  for (const sign of ['\0', '\n', '\t', '\r', '\u001f', '\u007f', '\u0085', '\u009f']) {
    expectProblem(await api('POST', '/user', { LoginID: `a${sign}b` }), 422, 'validation_failed', 'LoginID');
    expectProblem(await api('GET', path`/user/${`a${sign}b`}`), 422, 'validation_failed', 'LoginID');
    expectProblem(await api('POST', path`/enrol/${`a${sign}b`}/course`), 422, 'validation_failed', 'LoginID');
  }
  expectProblem(await api('POST', '/user', '{"LoginID":"a\\ud800b"}'), 422, 'validation_failed', 'LoginID');
  expectProblem(await api('POST', '/user', '{"LoginID":"\\udc00"}'), 422, 'validation_failed', 'LoginID');
});

test('texts with NUL or lone surrogates are rejected with the field name, and other control characters are kept', async () => {
  const LoginID = await user();
  for (const field of ['FirstName', 'LastName', 'GroupName', 'Email', 'Password'])
    for (const text of ['a\\u0000b', 'a\\ud800'])
      expectProblem(
        await api('PUT', path`/user/${LoginID}`, `{"${field}":"${text}"}`),
        422,
        'validation_failed',
        field,
      );
  const kept = await api('PUT', path`/user/${LoginID}`, { FirstName: 'two\nl\tines' });
  assert.equal(kept.body.FirstName, 'two\nl\tines');
  for (const name of ['Search', 'GroupName', 'Email'])
    expectProblem(await api('GET', `/user?${name}=%00`), 422, 'validation_failed', name);
  const cursor = Buffer.from(JSON.stringify(['\0'])).toString('base64url');
  expectProblem(await api('GET', `/user?Cursor=${cursor}`), 422, 'validation_failed', 'Cursor');
});

test('an invalid percent-encoding is rejected as a malformed request', async () => {
  expectProblem(await api('GET', '/user/%E4'), 400, 'malformed_request');
  expectProblem(await api('GET', '/user/100%'), 400, 'malformed_request');
});

test('the longest TenantID leaves room for the longest names', async () => {
  const TenantID = '😀'.repeat(64);
  expectStatus(await service.api('POST', '/tenant', { TenantID }), 201);
  const tooLong = await service.api('POST', '/tenant', { TenantID: '😀'.repeat(65) });
  expectProblem(tooLong, 422, 'validation_failed', 'TenantID');
  const signs = [...Array(255).keys()].map((index) => String.fromCodePoint(0x1f300 + ((index * 37) % 600)));
  const LoginID = signs.join('');
  const Email = LoginID + LoginID.slice(0, 130);
  const headers = { tenant: encodeURIComponent(TenantID) };
  const made = await service.api('POST', '/user', { LoginID, GroupName: LoginID, Email }, undefined, headers);
  expectStatus(made, 201);
});
