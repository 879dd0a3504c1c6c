import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Input } from '../../../test/support/hostile-program.ts';
import { IsolationFailure, runIsolated } from './isolated.ts';

const program = new URL('../../../test/support/hostile-program.ts', import.meta.url);
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

for (const what of ['loops for ever', 'loops for ever in WebAssembly'] as const)
  test(`a program that ${what} is stopped at its time limit`, async () => {
    assert.equal((await failureOf(what, 2)).reason, 'time');
  });

for (const what of [
  'fills the heap with small objects',
  'splits a long text',
  'fills a map',
  'aborts',
  'ends without an answer',
  'throws outside of its work',
] as const)
  test(`a program that ${what} takes nothing else with it`, async () => {
    assert.equal((await failureOf(what)).reason, 'crash');
  });

test('WebAssembly memory is limited too', async () => {
  await assert.rejects(act('fills WebAssembly memory'), /WebAssembly.Memory.grow/);
});

test('a program writes in its own folder only, starts no other, and gets none of our secrets', async () => {
  process.env.LECTERN_TEST_SECRET = 'secret';
  await assert.rejects(act('writes elsewhere'), { code: 'ERR_ACCESS_DENIED' });
  assert.equal(existsSync(elsewhere), false);
  await assert.rejects(act('starts a program'), { code: 'ERR_ACCESS_DENIED' });
  assert.equal(JSON.stringify(await act('tells the environment')).includes('secret'), false);
});

test('a program reads what it is given and our code, not the keys beside it', async () => {
  assert.equal(await act('reads what it is given'), 'given');
  for (const what of ['reads a secret', 'lists a folder', 'reads who is on the machine'] as const)
    await assert.rejects(act(what), { code: 'ERR_ACCESS_DENIED' });
});

test('an error of the program keeps its message and where it came from', async () => {
  await assert.rejects(act('throws'), (error: Error) => {
    assert.equal(error.message, 'a mistake of ours');
    assert.match(error.stack ?? '', /hostile-program/);
    return true;
  });
});
