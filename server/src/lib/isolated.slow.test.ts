import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Input } from '../../test/support/hostile-program.ts';
import { IsolationFailure, runIsolated } from './isolated.ts';

const program = new URL('../../test/support/hostile-program.ts', import.meta.url);
const base = await mkdtemp(join(tmpdir(), 'lectern-isolated-'));
after(() => rm(base, { recursive: true, force: true }));
const elsewhere = join(base, 'elsewhere');
const given = join(base, 'given');
await writeFile(given, 'given');
const secret = join(base, 'secret');
await writeFile(secret, 'secret');
const limits = {
  ...{ heapMegabytes: 64, wasmMegabytes: 64, folder: join(base, 'own') },
  files: [given, fileURLToPath(program)],
};

function act(what: Input['act'], seconds = 60): Promise<unknown> {
  return runIsolated(program, { act: what, elsewhere, given, secret }, { ...limits, seconds });
}

async function failureOf(what: Input['act'], seconds?: number): Promise<IsolationFailure> {
  const error = await act(what, seconds).then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(error instanceof IsolationFailure, `${what}: ${error}`);
  return error;
}

for (const what of ['loops forever', 'loops forever in WebAssembly'] as const)
  test(`a program that ${what} is stopped at its time limit`, async () => {
    assert.equal((await failureOf(what, 2)).reason, 'time');
  });

for (const what of [
  'fills the heap with small objects',
  'splits a long text',
  'fills a map',
  'aborts',
  'exits without a result',
  'throws outside of its work',
] as const)
  test(`a program that ${what} affects nothing else`, async () => {
    assert.equal((await failureOf(what)).reason, 'crash');
  });

test('WebAssembly memory is also limited', async () => {
  await assert.rejects(act('fills WebAssembly memory'), /WebAssembly.Memory.grow/);
});

test('a program can write only to its own folder, and can neither start another program nor see our secrets', async () => {
  process.env.LECTERN_TEST_SECRET = 'secret';
  await assert.rejects(act('writes elsewhere'), { code: 'ERR_ACCESS_DENIED' });
  assert.equal(existsSync(elsewhere), false);
  await assert.rejects(act('starts a program'), { code: 'ERR_ACCESS_DENIED' });
  assert.equal(JSON.stringify(await act('returns the environment')).includes('secret'), false);
});

test('a program can read its input and our code, but not the keys in the same data folder', async () => {
  assert.equal(await act('reads what it is given'), 'given');
  for (const what of ['reads a secret', 'lists a folder', 'reads the list of users'] as const)
    await assert.rejects(act(what), { code: 'ERR_ACCESS_DENIED' });
});

test("a program's error keeps its message and stack trace", async () => {
  await assert.rejects(act('throws'), (error: Error) => {
    assert.equal(error.message, 'a mistake of ours');
    assert.match(error.stack ?? '', /hostile-program/);
    return true;
  });
});
