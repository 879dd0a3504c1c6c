import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../test/support/clock.ts';
import { png } from '../../../test/support/images.ts';
import { play, scorm12 } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
  unique,
} from '../../../test/support/tenant.ts';
import { addPeriods } from '../../lib/days.ts';
import { issueCertificates } from './issue.ts';
import { noticeEnds } from './notices.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);
const passed = { Override: { Success: 'passed', Score: 90, Reason: 'Exam on paper' } };

async function enrolled(tenant: TestTenant, CourseID: string, fields: object = {}) {
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Lovelace', ...fields });
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  return { LoginID, EnrollID, path };
}

async function pass(tenant: TestTenant, { path }: { path: string }) {
  expectStatus(await tenant.api('PUT', path, passed), 200);
  const reply = await tenant.api('GET', `${path}/certificate`);
  expectStatus(reply, 200);
  return reply.body;
}

const verify = (number: string, headers: Record<string, string> = { accept: 'application/json' }) =>
  fetch(`${service.baseUrl}/verify/${number}`, { headers });

test('a result earns one certificate, which anyone can check', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const CourseID = await newCourse(service, {
    Title: 'Fire safety',
    Certificate: { On: 'passed', ValidFor: 'P1Y' },
  });
  const learner = await enrolled(tenant, CourseID);
  expectProblem(await tenant.api('GET', `${learner.path}/certificate`), 404, 'certificate_not_found');
  const made = await pass(tenant, learner);
  assert.match(made.Number, /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  assert.equal(made.Status, 'valid');
  assert.equal(made.Name, 'Ada Lovelace');
  const day = made.CompletedAt.slice(0, 10);
  assert.equal(made.ValidUntil, `${addPeriods(day, 'P1Y')}T23:59:59.000Z`);
  for (let n = 0; n < 2; n++) await issueCertificates(service.ctx);
  const { Items } = (await tenant.api('GET', `/certificate?LoginID=${learner.LoginID}&Count=true`)).body;
  assert.deepEqual(Items, [made]);
  const types = (await tenant.events({ EnrollID: learner.EnrollID })).map(({ type }) => type);
  assert.equal(types.filter((type) => type === 'certificate.issued').length, 1);
  const typed = made.Number.toLowerCase().replaceAll('-', ' ');
  const seen = await (await verify(encodeURIComponent(typed))).json();
  assert.deepEqual(
    [seen.Number, seen.Status, seen.Name, seen.CourseTitle, seen.Issuer],
    [made.Number, 'valid', 'Ada Lovelace', 'Fire safety', 'Acme'],
  );
  assert.deepEqual(
    Object.keys(seen).filter((name) => /Login|Enroll|CourseID/.test(name)),
    [],
  );
  assert.equal((await verify('0000-0000-0000-0000')).status, 404);
  const page = await verify(made.Number, { accept: 'text/html', 'accept-language': 'de' });
  const html = await page.text();
  assert.match(html, /Dieses Zertifikat ist gültig/);
  assert.match(html, /<bdi>Ada Lovelace<\/bdi>/);
});

test('an attempt that failed after it had passed earns a certificate only once it has passed again', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, { Certificate: { On: 'passed' } });
  const learner = await enrolled(tenant, CourseID);
  const failed = { Override: { Success: 'failed', Reason: 'The second unit' } };
  for (const result of [passed, failed]) expectStatus(await tenant.api('PUT', learner.path, result), 200);
  expectProblem(await tenant.api('GET', `${learner.path}/certificate`), 404, 'certificate_not_found');
  assert.equal((await pass(tenant, learner)).Status, 'valid');
});

test('a name that no font can draw holds up nothing, and its certificate is listed', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, { Certificate: { On: 'passed' } });
  // Cuneiform, after a name with all scripts that have a font.
  const names = ['Zoë Łukasz Ώρα Ярослав محمد שרה สมชาย अनिल 王小明 山田さくら 김민수', 'Ada 𒀀𒁉', 'Ada'];
  const made = [];
  for (const FirstName of names)
    made.push(await pass(tenant, await enrolled(tenant, CourseID, { FirstName, LastName: null })));
  assert.deepEqual(
    made.map(({ Name, NameIncomplete }) => [Name, NameIncomplete]),
    [
      [names[0], false],
      [names[1], true],
      [names[2], false],
    ],
  );
  const list = async (query: string) => (await tenant.api('GET', `/certificate?${query}`)).body.Items;
  assert.deepEqual(await list('NameIncomplete=true'), [made[1]]);
  assert.deepEqual(await list('NameIncomplete=false'), [made[0], made[2]]);
  assert.equal((await (await verify(made[1].Number)).json()).Name, names[1]);
  const headers = { authorization: `Bearer ${tenant.key}`, accept: 'application/pdf' };
  const { LoginID, EnrollID } = made[1];
  const pdf = await fetch(`${service.baseUrl}/enrolment/${LoginID}/${EnrollID}/certificate`, { headers });
  assert.equal(pdf.headers.get('content-type'), 'application/pdf');
});

test('the player shows the certificate after the last commit, but not after a withdrawal', async () => {
  const tenant = await newTenant(service);
  const CourseID = unique('course');
  expectStatus(await service.importPackage(CourseID, await packCourse('phishing')), 201);
  expectStatus(await service.api('PUT', `/course/${CourseID}`, { Certificate: { On: 'passed' } }), 200);
  expectStatus(await service.api('PUT', `/course/${CourseID}/option/open`, {}), 201);
  const LoginID = await tenant.user();
  const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const { session, commit } = await play(service, LaunchURL);
  const read = async (token: string) => {
    const reply = await fetch(`${service.contentUrl}/play/${token}/certificate`);
    const body = await reply.json();
    return [reply.status, body.code ?? body.Status];
  };
  assert.deepEqual(await read(session.Session), [404, 'certificate_not_found']);
  expectStatus(await commit({ Data: scorm12('passed', 90), Exit: true }), 200);
  assert.deepEqual(await read(session.Session), [200, 'valid']);
  const files = /\/play\/([^/]+)\//.exec(session.ContentPath ?? '')?.[1] ?? '';
  assert.deepEqual(await read(files), [410, 'session_ended']);
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  expectStatus(await tenant.api('PUT', path, { Withdrawn: true }), 200);
  assert.deepEqual(await read(session.Session), [403, 'enrolment_withdrawn']);
  const codes: string[] = [];
  // Twice the limit, because a minute may end meanwhile.
  for (let n = 0; n < 40; n++) codes.push((await read(session.Session))[1]);
  assert.ok(codes.includes('too_many_requests'));
});

test('results that were reached before the certificate was set up earn none', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const early = await enrolled(tenant, CourseID);
  expectStatus(await tenant.api('PUT', early.path, passed), 200);
  clock.advance({ seconds: 1 });
  expectStatus(await service.api('PUT', `/course/${CourseID}`, { Certificate: { On: 'passed' } }), 200);
  await pass(tenant, await enrolled(tenant, CourseID));
  expectProblem(await tenant.api('GET', `${early.path}/certificate`), 404, 'certificate_not_found');
  const address = `/certificate/template/${CourseID}/issue`;
  const plan = await tenant.api('POST', `${address}?Plan=true`);
  assert.deepEqual([plan.status, plan.body.Certificates], [200, 1]);
  expectProblem(await tenant.api('GET', `${early.path}/certificate`), 404, 'certificate_not_found');
  const replies = [await tenant.api('POST', address), await tenant.api('POST', address)];
  assert.deepEqual(
    replies.map(({ body }) => body.Certificates),
    [1, 0],
  );
  const made = (await tenant.api('GET', `${early.path}/certificate`)).body;
  assert.equal(made.CompletedAt, plan.body.FirstCompletedAt);
});

test("a tenant's template wins over the course's rule", async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const Certificate = { On: 'passed', ValidFor: 'P1Y', Title: 'Well done' };
  const CourseID = await newCourse(service, { Certificate });
  const address = `/certificate/template/${CourseID}`;
  expectProblem(await tenant.api('GET', address), 404, 'template_not_found');
  expectStatus(await tenant.api('PUT', '/settings', { TimeZone: 'Pacific/Honolulu' }), 200);
  expectStatus(await tenant.api('PUT', address, { ValidTo: '12-31', Layout: 'modern' }), 200);
  assert.equal((await tenant.api('GET', address)).body.Title, 'Well done');
  const made = await pass(tenant, await enrolled(tenant, CourseID));
  const year = new Date(made.CompletedAt).getUTCFullYear();
  // Honolulu is ten hours behind UTC, and the page shows the day there.
  assert.equal(made.ValidUntil, `${year + 1}-01-01T09:59:59.000Z`);
  const page = await (await verify(made.Number, { accept: 'text/html' })).text();
  assert.ok(page.includes(`31 December ${year}`));
  const others = await pass(other, await enrolled(other, CourseID));
  assert.notEqual(others.ValidUntil, made.ValidUntil);
  expectStatus(await tenant.api('PUT', address, { On: null }), 200);
  const none = await enrolled(tenant, CourseID);
  expectStatus(await tenant.api('PUT', none.path, passed), 200);
  expectProblem(await tenant.api('GET', `${none.path}/certificate`), 404, 'certificate_not_found');
  expectProblem(await other.api('GET', `/certificate/${made.Number}`), 404, 'certificate_not_found');
  const revoke = other.api('POST', `/certificate/${made.Number}/revoke`, { Reason: 'x' });
  expectProblem(await revoke, 404, 'certificate_not_found');
});

test('bad rules are refused when they are saved', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const address = `/certificate/template/${CourseID}`;
  const bad: [object, string][] = [
    [{ Text: 'has {Naem}' }, 'Text'],
    [{ Title: 'x'.repeat(4_000) }, 'Title'],
    [{ ValidTo: '02-30' }, 'ValidTo'],
    [{ ValidFor: 'P0D' }, 'ValidFor'],
    [{ ValidFor: 'P1Y', ValidTo: '12-31' }, 'ValidTo'],
  ];
  for (const [body, param] of bad)
    expectProblem(await tenant.api('PUT', address, body), 422, 'validation_failed', param);
  const Certificate = { On: 'passed', Text: '{x}' };
  const reply = await service.api('PUT', `/course/${CourseID}`, { Certificate });
  expectProblem(reply, 422, 'validation_failed', 'Certificate.Text');
});

test('a retake replaces the certificate, and a correction revokes it', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, { Certificate: { On: 'passed' } });
  const learner = await enrolled(tenant, CourseID);
  const first = await pass(tenant, learner);
  const again = await tenant.api('POST', `/enrol/${learner.LoginID}/${CourseID}`, { IfEnrolled: 'renew' });
  const second = await pass(tenant, { path: `/enrolment/${learner.LoginID}/${again.body.EnrollID}` });
  const seen = await (await verify(first.Number)).json();
  assert.deepEqual([seen.Status, seen.ReplacedBy], ['replaced', second.Number]);
  expectStatus(await tenant.api('PUT', `/user/${learner.LoginID}`, { LastName: 'King' }), 200);
  const fixed = await tenant.api('POST', `/certificate/${second.Number}/reissue`, { Reason: 'Married' });
  expectStatus(fixed, 201);
  assert.equal(fixed.body.Name, 'Ada King');
  assert.equal(fixed.body.CompletedAt, second.CompletedAt);
  const old = await (await verify(second.Number)).json();
  assert.deepEqual([old.Status, old.ReplacedBy, old.Reason], ['revoked', fixed.body.Number, null]);
  const gone = { Reason: 'Cheated', ShowReason: true };
  expectStatus(await tenant.api('POST', `/certificate/${fixed.body.Number}/revoke`, gone), 200);
  const revoked = await (await verify(fixed.body.Number)).json();
  assert.deepEqual([revoked.Status, revoked.Reason], ['revoked', 'Cheated']);

  const correct = (fields: object) =>
    tenant.api('POST', `/certificate/${fixed.body.Number}/reissue`, { Reason: 'It was not her', ...fields });
  expectProblem(await correct({}), 409, 'certificate_revoked', 'IfRevoked');
  const restored = await correct({ IfRevoked: 'issue' });
  expectStatus(restored, 201);
  const shown = [restored.body.Number, fixed.body.Number].map(async (one) => (await verify(one)).json());
  assert.deepEqual(
    (await Promise.all(shown)).map(({ Status, Reason }) => [Status, Reason]),
    [
      ['valid', null],
      ['revoked', 'Cheated'],
    ],
  );
});

test('a corrected certificate has the texts and the layout of today', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, { Certificate: { On: 'passed', Title: 'Prof' } });
  const made = await pass(tenant, await enrolled(tenant, CourseID));
  const correct = async ({ Number: number }: { Number: string }) => {
    const reply = await tenant.api('POST', `/certificate/${number}/reissue`, { Reason: 'Misspelt' });
    expectStatus(reply, 201);
    const { body } = await tenant.api('GET', `/certificate/${reply.body.Number}`);
    assert.equal(body.CompletedAt, made.CompletedAt);
    const { content } = await service.ctx.db
      .selectFrom('certificate')
      .select('content')
      .where('tenant_id', '=', tenant.TenantID)
      .where('number', '=', body.Number.replaceAll('-', ''))
      .executeTakeFirstOrThrow();
    const { Title, Layout } = Object(content);
    return { Number: body.Number, drawn: [Title, Layout] };
  };
  expectStatus(await service.api('PUT', `/course/${CourseID}`, { Certificate: { Title: 'Proof' } }), 200);
  const second = await correct(made);
  assert.deepEqual(second.drawn, ['Proof', 'classic']);
  expectStatus(await tenant.api('PUT', `/certificate/template/${CourseID}`, { Layout: 'modern' }), 200);
  const third = await correct(second);
  assert.deepEqual(third.drawn, ['Proof', 'modern']);
  expectStatus(await tenant.api('DELETE', `/certificate/template/${CourseID}`), 204);
  expectStatus(await service.api('PUT', `/course/${CourseID}`, { Certificate: null }), 200);
  assert.deepEqual((await correct(third)).drawn, ['Proof', 'modern']);
});

test("the course's rule and a tenant's template keep what is not sent", async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const ofCourse = async (Certificate: object | null) =>
    (await service.api('PUT', `/course/${CourseID}`, { Certificate })).body.Certificate;
  const ofTenant = async (rule: object) =>
    (await tenant.api('PUT', `/certificate/template/${CourseID}`, rule)).body;
  const none = { ValidFor: null, ValidTo: null, Title: null, Text: null };
  assert.deepEqual(await ofCourse({}), { ...none, On: 'passed' });
  for (const change of [ofCourse, ofTenant]) {
    await change({ On: 'completed', ValidFor: 'P1Y', Title: 'Proof' });
    const kept = await change({ Text: 'x' });
    assert.deepEqual([kept.On, kept.ValidFor, kept.ValidTo, kept.Title], ['completed', 'P1Y', null, 'Proof']);
    const changed = await change({ ValidTo: '12-31', Title: null });
    assert.deepEqual([changed.ValidFor, changed.ValidTo, changed.Title], [null, '12-31', null]);
  }
  assert.equal(await ofCourse(null), null);
  assert.deepEqual(await ofCourse({ On: 'completed' }), { ...none, On: 'completed' });
});

test('Chinese, Japanese and Korean names begin with the family name', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, { Certificate: { On: 'passed' } });
  const made = async (FirstName: string, LastName: string) =>
    (await pass(tenant, await enrolled(tenant, CourseID, { FirstName, LastName }))).Name;
  assert.equal(await made('龙骨', '欧阳'), '欧阳龙骨');
  assert.equal(await made('エリー', '佐々木'), '佐々木エリー');
  assert.equal(await made('서연', '박'), '박서연');
  assert.equal(await made('Mei', '王'), 'Mei 王');
});

test('the end of a certificate is reported in advance and when it comes', async () => {
  const tenant = await newTenant(service, { Reminders: { DaysBefore: [14, 3] } });
  const CourseID = await newCourse(service, { Certificate: { On: 'passed', ValidFor: 'P30D' } });
  const learner = await enrolled(tenant, CourseID);
  await pass(tenant, learner);
  for (const days of [15, 4, 9, 6]) {
    clock.advance({ days });
    await noticeEnds(service.ctx);
    await noticeEnds(service.ctx);
  }
  const told = (await tenant.events({ EnrollID: learner.EnrollID }))
    .filter(({ type }) => /certificate\.exp/.test(type))
    .map(({ type, data }) => [type, data.Days ?? null]);
  assert.deepEqual(told, [
    ['certificate.expiring', 12],
    ['certificate.expiring', 3],
    ['certificate.expired', null],
  ]);
  const { Items } = (await tenant.api('GET', '/certificate?Status=expired')).body;
  assert.equal(Items.length, 1);
});

test('an erased person’s certificate can still be checked, without the name', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, { Certificate: { On: 'passed' } });
  const learner = await enrolled(tenant, CourseID);
  const made = await pass(tenant, learner);
  expectStatus(await tenant.api('DELETE', `/user/${learner.LoginID}`), 200);
  const seen = await (await verify(made.Number)).json();
  assert.deepEqual([seen.Name, seen.Status], [null, 'valid']);
});

test('jobs and readers that meet issue each certificate once', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, { Certificate: { On: 'passed' } });
  const learners = await Promise.all(Array.from({ length: 12 }, () => enrolled(tenant, CourseID)));
  const work = learners.map(({ path }) => tenant.api('PUT', path, passed));
  const jobs = Array.from({ length: 4 }, () => issueCertificates(service.ctx).catch(() => {}));
  await Promise.all([...work, ...jobs]);
  await Promise.all(learners.map(({ path }) => tenant.api('GET', `${path}/certificate`)));
  const { Items } = (await tenant.api('GET', '/certificate?Limit=200')).body;
  const ids = Items.map(({ EnrollID }: { EnrollID: string }) => EnrollID);
  assert.deepEqual(ids.toSorted(), learners.map(({ EnrollID }) => EnrollID).toSorted());
});

test('the PDF has the same bytes each time', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  expectStatus(
    await tenant.api('PUT', '/branding', { Colour: '#0057b8', Logo: png().toString('base64') }),
    200,
  );
  const CourseID = await newCourse(service, { Title: 'Пожарная безопасность' });
  expectStatus(await tenant.api('PUT', `/certificate/template/${CourseID}`, { Layout: 'modern' }), 200);
  const learner = await enrolled(tenant, CourseID, { FirstName: 'น้ำผึ้ง', LastName: '🜁' });
  await pass(tenant, learner);
  const draw = async () => {
    const headers = { authorization: `Bearer ${tenant.key}`, accept: 'text/html, application/pdf;q=0.9' };
    const reply = await fetch(`${service.baseUrl}${learner.path}/certificate`, { headers });
    assert.equal(reply.headers.get('content-type'), 'application/pdf');
    return Buffer.from(await reply.arrayBuffer());
  };
  const pdf = await draw();
  assert.match(pdf.toString('latin1'), /^%PDF-1\.7/);
  expectStatus(await tenant.api('PUT', '/branding', { Colour: '#ff0000', Logo: null }), 200);
  assert.ok(pdf.equals(await draw()));
});
