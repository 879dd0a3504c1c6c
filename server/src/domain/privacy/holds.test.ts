import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
} from '../../../test/support/tenant.ts';
import { noticeEnds } from '../certificates/notices.ts';
import { forgetEvidence } from '../evidence/personal-data.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);

type Entry = { Data: string; Records: number; What: string; Until: string | null };
const entryOf = (entries: Entry[], name: string) => entries.find(({ Data }) => Data === name);

async function passed(tenant: TestTenant, CourseID: string) {
  const LoginID = await tenant.user({ FirstName: 'Ada', GroupName: 'Sales' });
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  const Override = { Success: 'passed', Score: 90, Reason: 'Exam' };
  expectStatus(await tenant.api('PUT', path, { Override }), 200);
  return { LoginID, EnrollID, path };
}

const asFile = { 'content-type': 'application/octet-stream' };

// biome-ignore lint/suspicious/noExplicitAny: each test reads other fields of the rows.
async function rowsOf(tenant: TestTenant, query: string): Promise<any[]> {
  const headers = { authorization: `Bearer ${tenant.key}` };
  const reply = await fetch(`${service.baseUrl}/evidence?${query}`, { headers });
  assert.equal(reply.status, 200);
  const lines = (await reply.text()).trim().split('\n');
  return lines.slice(1, -1).map((line) => JSON.parse(line));
}

test('a person on legal hold is not erased, and the plan names the holds', async () => {
  const tenant = await newTenant(service);
  const [LoginID, other] = [await tenant.user({ Email: 'ada@example.com' }), await tenant.user()];
  const hold = (id: string) => `/user/${LoginID}/hold/${id}`;
  const Reason = 'Litigation 2026/17';
  const placed = await tenant.api('PUT', hold('case-17'), { Reason });
  expectStatus(placed, 201);
  expectStatus(await tenant.api('PUT', hold('case-17'), { Reason: 'Appeal' }), 200);
  expectStatus(await tenant.api('PUT', hold('audit'), { Reason }), 201);
  expectStatus(await tenant.api('PUT', `/user/${other}/hold/case-17`, { Reason }), 201);

  const plan = await tenant.api('DELETE', `/user/${LoginID}?Plan=true`);
  assert.deepEqual(plan.body.Holds, ['audit', 'case-17']);
  expectProblem(await tenant.api('DELETE', `/user/${LoginID}`), 409, 'on_legal_hold');
  assert.equal((await tenant.api('GET', `/user/${LoginID}`)).body.Email, 'ada@example.com');
  const holdsIn = async (query: string) =>
    (await tenant.api('GET', `/hold?${query}`)).body.Items.map(
      (one: { LoginID: string; HoldID: string; Reason: string }) =>
        `${one.LoginID} ${one.HoldID} ${one.Reason}`,
    );
  assert.deepEqual(await holdsIn(`LoginID=${LoginID}`), [
    `${LoginID} case-17 Appeal`,
    `${LoginID} audit ${Reason}`,
  ]);
  assert.equal((await holdsIn('HoldID=case-17&Order=newest'))[0], `${other} case-17 ${Reason}`);
  const exported = (await tenant.api('GET', `/user/${LoginID}/export`)).body.LegalHolds;
  assert.deepEqual(exported.length, 2);

  for (const id of ['case-17', 'audit']) {
    expectProblem(await tenant.api('DELETE', `/user/${LoginID}`), 409, 'on_legal_hold');
    expectStatus(await tenant.api('DELETE', hold(id)), 204);
  }
  expectProblem(await tenant.api('DELETE', hold('audit')), 404, 'hold_not_found');
  const receipt = await tenant.api('DELETE', `/user/${LoginID}`);
  expectStatus(receipt, 200);
  assert.deepEqual(receipt.body.Holds, []);
  expectProblem(await tenant.api('PUT', hold('late'), { Reason }), 404, 'user_not_found');
  assert.deepEqual(await holdsIn(''), [`${other} case-17 ${Reason}`]);
});

test('keys without their scope neither read nor change legal holds', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user();
  const Scopes = ['users:read', 'users:write', 'holds:read'];
  const { Secret } = (await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'x', Scopes }))
    .body;
  const path = `/user/${LoginID}/hold/case`;
  expectProblem(await service.api('PUT', path, { Reason: 'x' }, Secret), 403, 'scope_missing');
  expectStatus(await tenant.api('PUT', path, { Reason: 'x' }), 201);
  expectProblem(await service.api('DELETE', path, undefined, Secret), 403, 'scope_missing');
  expectStatus(await service.api('GET', '/hold', undefined, Secret), 200);
});

test('evidence of a completion is retained for the years of its course or requirement', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, { RetainYears: 2 });
  const [required, plain] = [await newCourse(service), await newCourse(service)];
  expectStatus(
    await tenant.api('PUT', '/requirement/safety', {
      ...{ Title: 'Safety', CourseIDs: [required], Audience: {}, DueAfter: 'P30D', RetainYears: 5 },
    }),
    201,
  );
  const { LoginID, EnrollID } = await passed(tenant, CourseID);
  for (const id of [required, plain]) {
    const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${id}`)).body;
    const Override = { Success: 'passed', Reason: 'Exam' };
    expectStatus(await tenant.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Override }), 200);
  }
  const CompletedAt = new Date(clock.now().getTime() - 86_400_000).toISOString().slice(0, 10);
  const elsewhere = { LoginID, CourseID, CompletedAt, EvidenceText: 'Paper' };
  expectStatus(await tenant.api('POST', '/completion', elsewhere), 201);
  expectStatus(await tenant.api('GET', `/obligation/${LoginID}`), 200);

  const plan = entryOf(
    (await tenant.api('DELETE', `/user/${LoginID}?Plan=true`)).body.Kept,
    'RetainedEvidence',
  );
  const { body } = await tenant.api('DELETE', `/user/${LoginID}`);
  const kept = entryOf(body.Kept, 'RetainedEvidence');
  assert.deepEqual(plan, kept);
  assert.equal(kept?.Records, 3);
  const years = (count: number) => clock.now().getFullYear() + count;
  assert.ok(kept?.Until?.startsWith(String(years(5))), String(kept?.Until));

  const rows = await rowsOf(tenant, `LoginID=${LoginID}`);
  assert.deepEqual(
    rows.map((row) => [row.CourseID, row.FirstName, row.Groups, row.Source, row.RetainedUntil.slice(0, 4)]),
    [
      [CourseID, 'Ada', ['Sales'], 'course', String(years(2))],
      [required, 'Ada', ['Sales'], 'course', String(years(5))],
      [CourseID, 'Ada', ['Sales'], 'external', String(years(2))],
    ],
  );
  assert.equal((await rowsOf(tenant, 'GroupName=Sales')).length, 3);
  const withoutName = (await rowsOf(tenant, `CourseID=${plain}`)).map((row) => row.LoginID);
  assert.deepEqual(withoutName, [null]);
  assert.equal((await rowsOf(tenant, `CourseID=${CourseID}`))[0].EnrollID, EnrollID);

  clock.advance({ days: 3 * 365 });
  await forgetEvidence(service.ctx);
  assert.deepEqual(
    (await rowsOf(tenant, `LoginID=${LoginID}`)).map((row) => row.CourseID),
    [required],
  );
  clock.advance({ days: 3 * 365 });
  await forgetEvidence(service.ctx);
  expectProblem(await tenant.api('GET', `/evidence?LoginID=${LoginID}`), 404, 'user_not_found');
});

async function erasedCertificate(ErasedCertificates: { Show: string; For: string | null }) {
  const tenant = await newTenant(service);
  expectStatus(await tenant.api('PUT', '/settings', { ErasedCertificates }), 200);
  const CourseID = await newCourse(service, { Certificate: { On: 'passed', ValidFor: 'P1Y' } });
  const { LoginID, path } = await passed(tenant, CourseID);
  const certificate = (await tenant.api('GET', `${path}/certificate`)).body;
  const headers = { authorization: `Bearer ${tenant.key}`, accept: 'application/pdf' };
  const pdf = await (await fetch(`${service.baseUrl}${path}/certificate`, { headers })).arrayBuffer();
  const receipt = (await tenant.api('DELETE', `/user/${LoginID}`)).body;
  const verify = () => tenant.api('GET', `/verify/${certificate.Number}`);
  const checkFile = async () =>
    (await (
      await fetch(`${service.baseUrl}/verify`, { method: 'POST', body: pdf, headers: asFile })
    ).json()) as {
      Result: string;
    };
  return { tenant, receipt, verify, checkFile, kept: entryOf(receipt.Kept, 'Certificates') };
}

test('the tenant decides that certificates of erased people still show the name, for some years', async () => {
  const { tenant, verify, checkFile, kept } = await erasedCertificate({ Show: 'name', For: 'P2Y' });
  assert.match(kept?.What ?? '', /with the name/);
  assert.ok(kept?.Until?.startsWith(String(clock.now().getFullYear() + 2)), String(kept?.Until));
  assert.equal((await verify()).body.Name, 'Ada');
  assert.equal((await checkFile()).Result, 'genuine');
  clock.advance({ days: 400 });
  await noticeEnds(service.ctx);
  assert.equal((await verify()).body.Status, 'expired');
  clock.advance({ days: 400 });
  await noticeEnds(service.ctx);
  expectProblem(await verify(), 404, 'certificate_not_found');
  assert.equal((await checkFile()).Result, 'unknown');
  assert.deepEqual((await tenant.api('GET', '/certificate')).body.Items, []);
  const types = (await tenant.events()).map(({ type }) => type);
  assert.equal(types.includes('certificate.expired'), false);
});

test('by default, certificates of erased people show the course without a name', async () => {
  const { verify, kept } = await erasedCertificate({ Show: 'course', For: null });
  assert.equal(kept?.Until, null);
  const { Name, Status } = (await verify()).body;
  assert.deepEqual([Name, Status], [null, 'valid']);
});

test('nothing remains of the certificates of erased people, if the tenant says so', async () => {
  const { tenant, verify, checkFile, kept, receipt } = await erasedCertificate({
    Show: 'nothing',
    For: null,
  });
  assert.match(kept?.What ?? '', /revoked/);
  assert.match(entryOf(receipt.Erased, 'Certificates')?.What ?? '', /credentials are revoked/);
  expectProblem(await verify(), 404, 'certificate_not_found');
  assert.equal((await checkFile()).Result, 'unknown');
  const list = await (await fetch(`${service.baseUrl}/issuer/${tenant.TenantID}/status/0`)).text();
  const payload = JSON.parse(Buffer.from(list.split('.')[1] ?? '', 'base64url').toString());
  const bits = gunzipSync(Buffer.from(payload.credentialSubject.encodedList.slice(1), 'base64url'));
  assert.equal(bits.filter((byte) => byte !== 0).length, 1);
});
