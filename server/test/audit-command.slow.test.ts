import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openPglite } from '../src/db/engine/pglite.ts';
import {
  cleanUp,
  type Environment,
  embeddedSettings,
  runLectern,
  startProcess,
  stopProcess,
  temporaryFolder,
} from './support/process.ts';

after(cleanUp);

async function lectern(args: string[], env: Environment) {
  const run = runLectern(args, env);
  const { code } = await run.exited;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

async function done(args: string[], env: Environment) {
  const { code, stdout, stderr } = await lectern(args, env);
  assert.equal(code, 0, stderr + stdout);
  // The log comes first, one line per entry. The result begins with a line that contains only `{`.
  return JSON.parse(stdout.slice(stdout.search(/^\{$/m)));
}

type PrintedEntry = { action: string; actor: string; data: Record<string, unknown> };

async function trail(folder: string, change?: string): Promise<PrintedEntry[]> {
  const engine = await openPglite({ folder });
  try {
    if (change) await engine.script(change);
    const text = 'select action, actor, data from audit_entry order by audit_id';
    return (await engine.query<PrintedEntry>({ text, values: [] })).rows;
  } finally {
    await engine.close();
  }
}

test('the audit commands record their actions, verify the trail and a backup, and detect a change', async () => {
  const env = { DATA_DIR: join(await temporaryFolder(), 'data') };
  await done(['migrate'], env);
  await done(['tenant', 'create', 'acme'], env);
  await done(['key', 'create', '--tenant', 'acme', '--name', 'shop'], env);
  const backup = join(await temporaryFolder(), 'backup');
  const { MadeAt } = await done(['backup', backup], env);
  const verified = await done(['audit', 'verify'], env);
  assert.deepEqual(
    verified.Chains.map(({ TenantID, Entries, Break }: Record<string, unknown>) => [
      TenantID,
      Entries,
      Break,
    ]),
    [
      // The deployment's trail: its first entry, the creation of acme, and the backup.
      [null, 3, null],
      ['acme', 2, null],
    ],
  );
  const since = join(await temporaryFolder(), 'verified.json');
  await writeFile(since, JSON.stringify(verified));
  assert.equal((await done(['audit', 'verify', backup], env)).Intact, true);

  const second = { DATA_DIR: join(await temporaryFolder(), 'restored') };
  await done(['restore', backup], second);
  const reported = await trail(second.DATA_DIR);
  assert.deepEqual(
    reported.map(({ action, actor }) => [action, actor]),
    [
      ['audit.began', 'service'],
      ['tenant.created', 'command_line'],
      ['audit.began', 'command_line'],
      ['key.created', 'command_line'],
      ['backup.restored', 'command_line'],
    ],
  );
  assert.deepEqual(reported[4]?.data, { MadeAt });
  const behind = await lectern(['audit', 'verify', '--since', since], second);
  assert.equal(behind.code, 1, 'a restored database lacks what was written after the backup');

  await trail(second.DATA_DIR, `update audit_entry set actor = 'service' where action = 'key.created'`);
  const found = await lectern(['audit', 'verify'], second);
  assert.equal(found.code, 1);
  const [, acme] = JSON.parse(found.stdout).Chains;
  assert.deepEqual([acme.TenantID, acme.Break.Number], ['acme', 2]);
});

test('entries remain verifiable after their key is removed from the ring', async () => {
  const env = await embeddedSettings();
  await done(['key', 'create', '--operator', '--name', 'first'], env);
  const { Keys } = await done(['keys', 'rotate'], env);
  const service = await startProcess(env);
  await stopProcess(service);
  assert.equal((await lectern(['keys', 'remove', Keys[1].KeyID], env)).code, 0);
  assert.equal((await done(['audit', 'verify'], env)).Intact, true);
});
