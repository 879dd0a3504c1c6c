import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastFree, rejectContractions } from '../../scripts/migration-rules.ts';
import { readMigrations } from '../src/platform/db/migrate.ts';

test('every new migration lets the previous version keep running', async () => {
  const migrations = await readMigrations(join(import.meta.dirname, '../migrations'));
  const found = migrations
    .filter(({ name }) => name.slice(0, 4) > lastFree)
    .flatMap(({ name, sql, onCitus }) =>
      rejectContractions(onCitus ?? sql).map((text) => `${name}: ${text}`),
    );
  assert.deepEqual(found, []);
});

const refused = [
  'drop table launch;',
  'truncate event;',
  'alter table enrolment drop column reference;',
  'alter table enrolment drop reference;',
  'alter table "user" rename column email to mail;',
  'alter table "user" rename to person;',
  'alter table enrolment alter column score type numeric;',
  'alter table enrolment alter score set data type numeric;',
  'alter table enrolment alter column user_id set not null;',
  'alter table enrolment add column origin text not null;',
  'alter table enrolment add column mark uuid default gen_random_uuid();',
  'alter table enrolment add check (score >= 0);',
  "alter table enrolment add column origin text check (origin <> '');",
  'alter table enrolment add constraint one unique (tenant_id, reference);',
  'create index enrolment_by_reference on enrolment (tenant_id, reference);',
  'create unique index on "user" (tenant_id, email);',
  'create index concurrently enrolment_by_reference on enrolment (tenant_id, reference);',
  "update enrolment set reference = '';",
  '-- outside a transaction\nalter table enrolment add column origin text;',
];
for (const sql of refused)
  test(`rejects ${sql.replaceAll('\n', ' ')}`, () => {
    assert.equal(rejectContractions(sql).length, 1, rejectContractions(sql).join('\n'));
  });

const taken = [
  'alter table enrolment add column origin text;',
  "alter table enrolment add column origin text not null default 'web', add column more jsonb;",
  'alter table enrolment alter column user_id drop not null;',
  'alter table enrolment drop constraint enrolment_status_check;',
  'alter table enrolment drop constraint one, add constraint one primary key using index another;',
  'alter table enrolment add constraint fit check (score >= 0) not valid;',
  'create table note (\n  tenant_id text not null\n);\ncreate index note_of on note (tenant_id);\nupdate note set tenant_id = tenant_id;',
  '-- outside a transaction\ndrop index concurrently if exists a;\ncreate index concurrently a on enrolment (reference);\n',
  '-- contract: 0.3 was the last to read it\nalter table enrolment drop column reference;',
  "insert into setting (name, value) values ('a', 'b');",
];
for (const sql of taken)
  test(`accepts ${sql.replaceAll('\n', ' ')}`, () => {
    assert.deepEqual(rejectContractions(sql), []);
  });
