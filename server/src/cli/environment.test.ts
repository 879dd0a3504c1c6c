import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandEnvironment } from './environment.ts';

test("a command without settings of its own uses the service's, and otherwise only its own", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-env-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'lectern.env');
  assert.deepEqual(commandEnvironment({ LOG_LEVEL: 'warn' }, file), { LOG_LEVEL: 'warn' });
  await writeFile(
    file,
    '# Settings\nDATA_DIR=/var/lib/lectern\nBASE_URL="https://lectern.example"\nLOG_LEVEL=info\n',
  );
  assert.deepEqual(
    { ...commandEnvironment({ LOG_LEVEL: 'warn' }, file) },
    { DATA_DIR: '/var/lib/lectern', BASE_URL: 'https://lectern.example', LOG_LEVEL: 'warn' },
  );
  for (const own of [{ DATA_DIR: '/srv' }, { DATABASE_URL: 'postgres://db/lectern' }])
    assert.deepEqual(commandEnvironment(own, file), own);
});
