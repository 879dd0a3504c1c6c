import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { tenantTables } from '../src/platform/db/generated.ts';
import { openTestDatabase } from '../src/platform/db/test-database.ts';

const { engine } = await openTestDatabase();
after(() => engine.close());
const scaling = await readFile(join(import.meta.dirname, '../../docs/guide/scaling.md'), 'utf8');

const listed = (call: string) =>
  [...scaling.matchAll(new RegExp(`${call}\\('"?(\\w+)"?'`, 'g'))].map(([, table]) => table).sort();

test('docs/guide/scaling.md distributes each tenant table and makes all others reference tables', async () => {
  const { rows } = await engine.query<{ name: string }>({
    text: `select tablename as name from pg_tables where schemaname = 'public'`,
    values: [],
  });
  const owned = new Set<string>(tenantTables);
  assert.deepEqual(listed('create_distributed_table'), [...owned].sort());
  assert.deepEqual(
    listed('create_reference_table'),
    rows
      .map(({ name }) => name)
      .filter((name) => !owned.has(name))
      .sort(),
  );
});

test('keys, unique indexes and references of distributed tables include the tenant', async () => {
  const text = `select conrelid::regclass::text as "table", contype as kind, confrelid::regclass::text as "to",
      array(select attname::text from pg_attribute where attrelid = conrelid and attnum = any(conkey)) as columns
    from pg_constraint where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'f')`;
  type Row = { table: string; kind: string; to: string; columns: string[] };
  const { rows } = await engine.query<Row>({ text, values: [] });
  const owned = new Set<string>(tenantTables.map((name) => (name === 'user' ? '"user"' : name)));
  const ours = rows.filter(({ table }) => owned.has(table));
  assert.ok(ours.length > owned.size);
  const loose = ours.filter(
    ({ kind, to, columns }) => (kind !== 'f' || owned.has(to)) && !columns.includes('tenant_id'),
  );
  assert.deepEqual(loose, []);
  const back = rows.filter(({ table, kind, to }) => kind === 'f' && !owned.has(table) && owned.has(to));
  assert.deepEqual(back, [], 'a reference table cannot refer to a distributed one');
});
