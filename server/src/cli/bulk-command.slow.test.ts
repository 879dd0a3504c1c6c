import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { startService } from '../../test/support/service.ts';
import { newTenant } from '../../test/support/tenant.ts';
import { bulkCommand } from './bulk-command.ts';

const service = await startService();
const folder = await mkdtemp(join(tmpdir(), 'lectern-bulk-'));
after(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

async function lectern(...args: string[]) {
  const cli = join(import.meta.dirname, 'cli.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', cli, ...args]);
  const closed = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? -1)));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await closed, out, err };
}

test('lectern bulk distinguishes a missing file, an unreadable file and a stopped service', async () => {
  const file = join(folder, 'one.ndjson');
  const missing = join(folder, 'missing.ndjson');
  await writeFile(file, '{"LoginID":"ann"}\n');
  // Nothing listens on port 9 (discard).
  const stopped = { url: 'http://127.0.0.1:9', key: 'x', tenant: null, idempotencyKey: null };
  const options = ['--url', stopped.url, '--key', stopped.key];
  const hint = 'For all commands and options, run: lectern help\n';
  assert.deepEqual(await lectern('bulk', 'users', missing, ...options), {
    code: 1,
    out: '',
    err: `The file ${missing} does not exist.\n${hint}`,
  });
  const refused = await lectern('bulk', 'users', file, ...options);
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /^No response from a service at \S+ \(.+\)\. Start the service, or check --url\.\n$/,
  );
  const unreadable = bulkCommand({ subject: 'users', file: missing, plan: false, ...stopped });
  await assert.rejects(unreadable, /^Error: ENOENT/);
  assert.equal((await lectern('bulk', 'people', file)).err.split('\n').slice(1).join('\n'), hint);
});

test('lectern bulk streams the results, prints totals, and exits with status 1 if a row failed', async () => {
  const { key, api } = await newTenant(service);
  const file = join(folder, 'users.csv');
  await writeFile(file, 'LoginID,FirstName,IsAdmin\nann,Ann,\nbob,Bob,maybe\n');
  const options = ['--url', service.baseUrl, '--key', key];
  const planned = await lectern('bulk', 'users', file, '--plan', ...options);
  assert.match(planned.err, /^Dry run, nothing was changed: 1 created, 0 already there, 1 failed/);
  assert.equal((await api('GET', '/user/ann')).status, 404);
  const done = await lectern('bulk', 'users', file, ...options);
  assert.equal(done.code, 1);
  assert.equal(done.err, '1 created, 0 already there, 1 failed\n');
  const lines = done.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ Row, Status, LoginID }) => [Row, Status, LoginID]),
    [
      [1, 201, 'ann'],
      [2, 422, 'bob'],
    ],
  );
  await writeFile(file, 'LoginID,FirstName\nann,Ann\n');
  const again = await lectern('bulk', 'users', file, ...options);
  assert.deepEqual([again.err, again.code], ['0 created, 1 already there, 0 failed\n', 0]);
  await writeFile(file, 'LoginID,FirstName,IfExists,IfMissing\nann,Anna,update,\nbob,Bob,update,fail\n');
  const plan = await lectern('bulk', 'users', file, '--plan', ...options);
  assert.match(plan.err, /: 0 created, 1 updated, 0 already there, 1 failed\n$/);
  const updated = await lectern('bulk', 'users', file, ...options);
  assert.equal(updated.err, '0 created, 1 updated, 0 already there, 1 failed\n');

  await service.api('PUT', '/course/ladders', { Title: 'Ladders', URL: 'https://web.example/' });
  await service.api('PUT', '/course/ladders/option/year', { Duration: 'P1Y' });
  const rows = Array.from({ length: 250 }, (_, at) => `p${at % 200},ladders`);
  await writeFile(file, ['LoginID,CourseID', ...rows, 'ann,nowhere'].join('\n'));
  const enrolling = await lectern('bulk', 'users', file, '--plan', ...options);
  assert.match(
    enrolling.err,
    /: users: 200 created, 51 already there, 0 failed; enrolments: 250 created, 0 already there, 1 failed\n$/,
  );
  const enrolled = await lectern('bulk', 'users', file, ...options);
  assert.equal(enrolled.code, 1);
  assert.equal(
    enrolled.err,
    'users: 200 created, 51 already there, 0 failed; enrolments: 200 created, 50 already there, 1 failed\n',
  );
  assert.equal((await api('GET', '/user/ann')).body.FirstName, 'Anna');

  await api('PUT', '/user/ann', { Email: 'ann@acme.example' });
  const twins = Array.from({ length: 22 }, (_, at) => `twin${at},ann@acme.example`);
  await writeFile(file, ['LoginID,Email', 'Ann,ANN@acme.example', ...twins].join('\n'));
  const warned = await lectern('bulk', 'users', file, '--plan', ...options);
  const warnings = warned.err.split('\n');
  assert.equal(
    warnings[0],
    'Warning: row 1 would create "Ann" although "ann" exists. LoginIDs are case-sensitive.',
  );
  assert.equal(warnings[1], 'Warning: row 1 would give "Ann" the email address of "ann".');
  assert.deepEqual(warnings.slice(20), [
    'Further warnings in the results: 4.',
    'Dry run, nothing was changed: 23 created, 0 already there, 0 failed',
    '',
  ]);
  assert.equal(warned.code, 0);
  await writeFile(file, 'LoginID\n"sue "\n');
  const trimmed = await lectern('bulk', 'users', file, ...options);
  assert.equal(
    trimmed.err,
    'Warning: row 1 has spaces or invisible characters in LoginID, which were removed.\n1 created, 0 already there, 0 failed\n',
  );
  await writeFile(file, 'LoginID\n#N/A\n');
  const damaged = await lectern('bulk', 'users', file, '--plan', ...options);
  assert.match(damaged.err, /^Warning: row 1 has an error or number of a spreadsheet in LoginID\.\n/);
  await writeFile(file, 'Staff list 2026\r\n');
  const untitled = await lectern('bulk', 'users', file, '--plan', ...options);
  assert.equal(untitled.code, 1);
  assert.match(untitled.err, /^validation_failed: The file has no column LoginID\./);
  const refused = await lectern('bulk', 'users', file, '--url', service.baseUrl, '--key', 'x'.repeat(40));
  assert.equal(refused.code, 1);
  assert.match(refused.err, /^unauthorized: /);
});
