import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killRounds } from '../../bench/kill/rounds.ts';
import { emptyServerDatabase } from './support/server-database.ts';

test('all acknowledged writes survive kill -9 under load, including commits of superseded launches', async () => {
  const serverUrl = process.env.TEST_DATABASE_URL;
  const database = serverUrl ? await emptyServerDatabase(serverUrl) : null;
  const result = await killRounds({
    rounds: Number(process.env.KILL_ROUNDS ?? 3),
    databaseUrl: database?.url ?? null,
    imports: true,
  });
  await database?.drop();
  const { lost, torn, faults } = result;
  // The embedded database cannot be backed up under load.
  const { backups: _, ...acknowledged } = result.acknowledged;
  assert.deepEqual({ lost, torn, faults }, { lost: [], torn: [], faults: [] });
  for (const [kind, number] of Object.entries(acknowledged)) assert.ok(number > 0, `the load wrote ${kind}`);
});
