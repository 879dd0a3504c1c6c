import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { check } from '../../bench/kill/check.ts';
import { checkServer } from '../../bench/kill/consistency.ts';
import { openPostgres } from '../src/db/engine/postgres.ts';
import { migrate } from '../src/db/migrate.ts';
import { startBalanced } from './support/balanced.ts';
import { cleanUp, stopProcess, temporaryFolder } from './support/process.ts';
import { until } from './support/until.ts';

after(cleanUp);

const expansions: Record<string, string> = {
  '9001_columns.sql': `alter table enrolment add column origin text, add column weight integer not null default 1;
alter table "user" add column nickname text;
alter table event add column version integer not null default 1;
create table note (tenant_id text not null, note_id uuid not null, text text not null, primary key (tenant_id, note_id));
`,
  '9002_index.sql': `-- outside a transaction
drop index concurrently if exists enrolment_by_origin;
create index concurrently enrolment_by_origin on enrolment (tenant_id, origin, enroll_id);
`,
};

test('an additive migration runs while the previous version serves requests, without failures or losses', {
  skip: !process.env.TEST_DATABASE_URL && 'an embedded database has one process; runs with --postgres',
}, async (context) => {
  const folder = await temporaryFolder();
  await cp(join(import.meta.dirname, '../migrations'), folder, { recursive: true });
  for (const [name, sql] of Object.entries(expansions)) await writeFile(join(folder, name), sql);
  const service = await startBalanced(2);
  context.after(service.close);
  const { client, target, ledger, balancer, databaseUrl } = service;
  const engine = await openPostgres({ url: databaseUrl });
  const load = service.load(16);
  const more = async () => {
    const before = ledger.acknowledged.commits;
    await until('requests keep succeeding', () => ledger.acknowledged.commits > before + 30);
  };
  await more();
  const { applied } = await migrate(engine, folder).finally(engine.close);
  assert.deepEqual(applied, Object.keys(expansions));
  await more();
  assert.deepEqual(await load.over(), []);
  assert.deepEqual(
    ledger.enrolments.filter(({ unanswered }) => unanswered !== null),
    [],
    'no request got a 5xx response',
  );
  assert.deepEqual(balancer.broken, []);
  assert.deepEqual(await check(client, target, ledger, { all: true }), { lost: [], torn: [] });
  assert.deepEqual(await checkServer(databaseUrl), []);
  for (const node of service.nodes) assert.deepEqual(await stopProcess(node), { code: 0, signal: null });
  console.log(
    `migrated under load: ${JSON.stringify(ledger.acknowledged)} by the previous version, 5xx 0, losses 0`,
  );
});
