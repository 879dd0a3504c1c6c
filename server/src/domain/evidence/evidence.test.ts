import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  type TestTenant,
} from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
const folder = mkdtempSync(join(tmpdir(), 'lectern-evidence-'));
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await service.close();
});

async function packOf(tenant: TestTenant, query = ''): Promise<string> {
  const headers = { authorization: `Bearer ${tenant.key}` };
  const reply = await fetch(`${service.baseUrl}/evidence?${query}`, { headers });
  assert.equal(reply.status, 200);
  return reply.text();
}

// biome-ignore lint/suspicious/noExplicitAny: each test reads other fields of the lines.
const linesOf = (pack: string): any[] =>
  pack
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const checker = join(import.meta.dirname, '../../../../console/public/check-evidence.mjs');

async function check(tenant: TestTenant, pack: string | Buffer) {
  const jwks = await (await fetch(`${service.baseUrl}/issuer/${tenant.TenantID}/jwks.json`)).text();
  const [file, keys] = [join(folder, 'evidence.ndjson'), join(folder, 'jwks.json')];
  writeFileSync(file, pack);
  writeFileSync(keys, jwks);
  const { status, stdout } = spawnSync(process.execPath, [checker, file, keys], { encoding: 'utf8' });
  return { isGenuine: status === 0, stdout };
}

async function prepared() {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, { Title: 'Fire safety', Certificate: { On: 'passed' } });
  const LoginID = await tenant.user({ FirstName: 'Ada', GroupName: 'Sales' });
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const path = `/enrolment/${LoginID}/${EnrollID}`;
  clock.advance({ days: 2 });
  const Override = { Success: 'passed', Score: 90, Reason: 'Exam on paper' };
  expectStatus(await tenant.api('PUT', path, { Override }), 200);
  const number = (await tenant.api('GET', `${path}/certificate`)).body.Number;
  return { tenant, CourseID, LoginID, EnrollID, path, number };
}

test('a pack shows the results of a past day with what proves them', async () => {
  const { tenant, CourseID, LoginID, EnrollID, number } = await prepared();
  const CompletedAt = clock.now().toISOString();
  expectStatus(
    await tenant.api('POST', '/completion', {
      LoginID,
      Title: 'First aid',
      CompletedAt,
      Source: 'Red Cross',
    }),
    201,
  );
  const [header, row, external, seal] = linesOf(await packOf(tenant));
  assert.deepEqual([header.TenantID, seal.Rows], [tenant.TenantID, 2]);
  assert.deepEqual(
    [row.LoginID, row.Groups, row.CourseID, row.EnrollID, row.Success, row.Score],
    [LoginID, ['Sales'], CourseID, EnrollID, 'passed', 90],
  );
  assert.equal(row.Certificates[0].Number, number);
  assert.ok(row.Evidence.some(({ Type }: { Type: string }) => Type === 'enrolment.passed'));
  assert.deepEqual([external.Source, external.CourseTitle], ['Red Cross', 'First aid']);
  const day = new Date(clock.now().getTime() - 86_400_000).toISOString().slice(0, 10);
  const past = linesOf(await packOf(tenant, `AsOf=${day}&CourseID=${CourseID}&GroupName=Sales`));
  assert.equal(past.length, 3);
  assert.deepEqual([past[1].Success, past[1].CompletedAt, past[1].Certificates], ['unknown', null, []]);
  assert.equal(linesOf(await packOf(tenant, 'GroupName=Nobody')).length, 2);
  expectProblem(await tenant.api('GET', '/evidence?LoginID=nobody'), 404, 'user_not_found');
  expectProblem(await tenant.api('GET', '/evidence?AsOf=2999-01-01'), 422, 'validation_failed', 'AsOf');
});

test('a separate program finds one changed byte, a missing row, and a missing end', async () => {
  const { tenant } = await prepared();
  const pack = Buffer.from(await packOf(tenant));
  const found = await check(tenant, pack);
  assert.ok(found.isGenuine);
  assert.match(found.stdout, /^GENUINE: 1 rows/);
  const places = Array.from({ length: 12 }, (_, n) => Math.floor(((n + 0.5) * pack.length) / 12));
  for (const at of [0, ...places, pack.length - 3, pack.length - 1]) {
    const changed = Buffer.from(pack);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal((await check(tenant, changed)).isGenuine, false, `byte ${at}`);
  }
  const lines = pack.toString().split('\n');
  assert.equal((await check(tenant, [lines[0], ...lines.slice(2)].join('\n'))).isGenuine, false);
  assert.equal((await check(tenant, lines.slice(0, 2).join('\n'))).isGenuine, false);
  const other = await newTenant(service);
  await packOf(other);
  assert.equal((await check(other, pack)).isGenuine, false);
});

test('a pack contains nothing of another tenant and nobody who was erased', async () => {
  const { tenant, LoginID, path } = await prepared();
  const other = await prepared();
  assert.equal((await packOf(tenant)).includes(other.LoginID), false);
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  const pack = await packOf(tenant);
  assert.equal(pack.includes(LoginID) || pack.includes('Ada'), false, path);
});
