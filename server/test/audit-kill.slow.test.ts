import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  runLectern,
  startProcess,
  stopProcess,
} from './support/process.ts';
import { until } from './support/until.ts';

after(cleanUp);
const rounds = Number(process.env.AUDIT_KILL_ROUNDS ?? 3);
const concurrency = 4;

async function call(baseUrl: string, method: string, path: string, body?: unknown) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${bootstrapKey}`, tenant: 'acme', 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

type Entry = { Number: number; Action: string; TargetID: string };
type Key = { KeyID: string; RevokedAt: string | null };

async function all<T>(baseUrl: string, path: string): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await call(baseUrl, 'GET', `${path}?Limit=200${cursor && `&Cursor=${cursor}`}`);
    items.push(...page.Items);
    cursor = page.NextCursor;
  }
  return items;
}

/** Creates and revokes keys in a loop, and records what was acknowledged. */
async function change(baseUrl: string, acknowledged: string[]): Promise<void> {
  for (;;) {
    const { KeyID } = await call(baseUrl, 'POST', '/tenant/acme/key', { Name: 'kill' });
    acknowledged.push(`key.created ${KeyID}`);
    await call(baseUrl, 'DELETE', `/tenant/acme/key/${KeyID}`);
    acknowledged.push(`key.revoked ${KeyID}`);
  }
}

async function check(baseUrl: string, acknowledged: readonly string[]): Promise<void> {
  const entries = await all<Entry>(baseUrl, '/audit');
  assert.deepEqual(
    entries.map((entry) => entry.Number),
    entries.map((_, index) => index + 1),
    'the numbers have no gaps',
  );
  const reported = entries.map(({ Action, TargetID }) => `${Action} ${TargetID}`);
  assert.equal(new Set(reported).size, reported.length, 'each change is recorded once');
  const recorded = new Set(reported);
  assert.deepEqual(
    acknowledged.filter((change) => !recorded.has(change)),
    [],
    'each acknowledged change has an entry',
  );
  const keys = await all<Key>(baseUrl, '/tenant/acme/key');
  const done = keys.flatMap(({ KeyID, RevokedAt }) => [
    `key.created ${KeyID}`,
    ...(RevokedAt === null ? [] : [`key.revoked ${KeyID}`]),
  ]);
  assert.deepEqual(reported.slice(1).sort(), done.sort(), 'there are as many entries as changes');
}

test('the audit trail is complete after kill -9 during audited changes', async () => {
  const home = await databaseSettings();
  let service = await startProcess(home);
  await call(service.baseUrl, 'POST', '/tenant', { TenantID: 'acme' });
  const acknowledged: string[] = [];
  for (let round = 1; round <= rounds; round++) {
    const before = acknowledged.length;
    const { baseUrl } = service;
    const load = Promise.allSettled(Array.from({ length: concurrency }, () => change(baseUrl, acknowledged)));
    await until('changes are acknowledged', () => acknowledged.length > before + 10);
    await pause(Math.random() * 300);
    service.child.kill('SIGKILL');
    await service.exited;
    await load;
    service = await startProcess(home);
    await check(service.baseUrl, acknowledged);
  }
  await stopProcess(service);
  const verify = runLectern(['audit', 'verify'], home);
  assert.equal((await verify.exited).code, 0, verify.stdout() + verify.stderr());
  console.log(`audit: ${rounds} kills, ${acknowledged.length} acknowledged changes, each with an entry`);
});
