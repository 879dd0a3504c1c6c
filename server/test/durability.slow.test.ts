import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { openPglite } from '../src/db/engine/pglite.ts';

const rounds = 3;

/**
 * Writes single rows, eight at a time, and rows in transactions. Reports each number only after it is
 * committed.
 */
const writer = (folder: string, first: number): string => `
  import { openPglite } from ${JSON.stringify(new URL('../src/db/engine/pglite.ts', import.meta.url).href)};
  const engine = await openPglite({
    folder: ${JSON.stringify(folder)},
    maintenance: { measureEvery: 50, checkpointBytes: 1024 * 1024, vacuumEvery: 200 },
  });
  const put = (connection, number) =>
    connection.query({ name: 'put', text: 'insert into written values ($1, $2)', values: [number, 'x'.repeat(300)] });
  let next = ${first};
  await Promise.all(Array.from({ length: 8 }, async (_, index) => {
    for (;;) {
      const number = next++;
      if (index === 0) await engine.transaction((connection) => put(connection, number));
      else await put(engine, number);
      process.stdout.write(number + '\\n');
    }
  }));`;

test('every acknowledged row survives kill -9', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'lectern-durability-'));
  const created = await openPglite({ folder });
  await created.script('create table written (number int primary key, text text not null)');
  await created.close();

  const acknowledged: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = acknowledged.length;
    const child = spawn(process.execPath, ['--input-type=module'], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(writer(folder, round * 1_000_000));
    const lines = createInterface(child.stdout);
    lines.on('line', (line) => acknowledged.push(Number(line)));
    await once(lines, 'line');
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 800));
    child.kill('SIGKILL');
    await Promise.all([once(child, 'exit'), once(lines, 'close')]);
    assert.ok(acknowledged.length > before, 'at least one row was written before the kill');

    const engine = await openPglite({ folder });
    const { rows } = await engine.query<{ number: number }>({
      text: 'select number from written',
      values: [],
    });
    const kept = new Set(rows.map(({ number }) => number));
    assert.deepEqual(
      acknowledged.filter((number) => !kept.has(number)),
      [],
    );
    await engine.close();
  }
  await rm(folder, { recursive: true });
});
