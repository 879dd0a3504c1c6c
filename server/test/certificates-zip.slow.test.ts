import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openClient } from '../../bench/kill/client.ts';
import { bootstrapKey, cleanUp, databaseSettings, startProcess, stopProcess } from './support/process.ts';

after(cleanUp);

/** `ZIP_CERTIFICATES=10000` takes some minutes. */
const certificates = Number(process.env.ZIP_CERTIFICATES ?? 800);
// Measured for 2,500 on PostgreSQL: 88.
const maxMegabytes = 100;

test(`a zip of certificates streams with less than ${maxMegabytes} MB more memory`, async (t) => {
  const client = openClient(4);
  const service = await startProcess(await databaseSettings());
  const call = (method: string, path: string, body?: unknown, key = bootstrapKey) =>
    client.call(method, service.baseUrl + path, body, key);
  await call('POST', '/tenant', { TenantID: 'zip' });
  const Certificate = { On: 'passed' };
  await call('PUT', '/course/web', { Title: 'Fire safety', URL: 'https://web.example/', Certificate });
  await call('PUT', '/course/web/option/open', {});
  const { Secret: key } = (await call('POST', '/tenant/zip/key', { Name: 'zip' })).body;
  const rows = Array.from({ length: certificates }, (_, n) =>
    JSON.stringify({
      LoginID: `user-${n}`,
      FirstName: `Zoë ${n}`,
      LastName: `Müller-${n * 7}`,
      CourseID: 'web',
    }),
  );
  const made = await fetch(`${service.baseUrl}/user/bulk`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' },
    body: rows.join('\n'),
  });
  const paths = (await made.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ LoginID, Enrolment }) => `/enrolment/${LoginID}/${Enrolment.EnrollID}`);
  const pass = async () => {
    for (let path = paths.pop(); path; path = paths.pop()) {
      const Override = { Success: 'passed', Reason: 'Exam' };
      assert.equal((await call('PUT', path, { Override }, key)).status, 200);
    }
  };
  await Promise.all(Array.from({ length: 4 }, pass));
  const { Items } = (await call('GET', '/certificate?Limit=1', undefined, key)).body;
  const one = `/enrolment/${Items[0].LoginID}/${Items[0].EnrollID}/certificate`;
  await fetch(service.baseUrl + one, {
    headers: { Authorization: `Bearer ${key}`, Accept: 'application/pdf' },
  });
  const memory = () =>
    Math.round(
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))?.[1]) / 1_000,
    );
  await pause(1_000);
  const before = memory();
  let [most, files, bytes] = [before, 0, 0];
  const headers = { Authorization: `Bearer ${key}` };
  const zip = await fetch(`${service.baseUrl}/certificate/zip`, { headers });
  for await (const chunk of zip.body ?? []) {
    bytes += chunk.length;
    files += Buffer.from(chunk).toString('latin1').split('PK\u0001\u0002').length - 1;
    most = Math.max(most, memory());
  }
  t.diagnostic(`${files} files, ${Math.round(bytes / 1e6)} MB, memory ${before} → ${most} MB`);
  assert.ok(files >= certificates - 2, `${files} files`);
  assert.ok(most - before < maxMegabytes, `${most - before} MB more`);
  client.close();
  await stopProcess(service);
});
