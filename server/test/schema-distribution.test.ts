import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { tenantTables } from '../src/db/engine/generated.ts';
import { openTestDatabase } from './support/test-database.ts';

const { engine } = await openTestDatabase();
after(() => engine.close());

test('the primary keys of all tenant tables begin with the tenant, and those of other tables do not', async () => {
  const { rows } = await engine.query<{ name: string; column: string }>({
    text: `select relation.relname as name, first_column.attname as "column" from pg_index index
      join pg_class relation on relation.oid = index.indrelid
      join pg_attribute first_column on first_column.attrelid = relation.oid and first_column.attnum = index.indkey[0]
      where index.indisprimary and relation.relnamespace = 'public'::regnamespace`,
    values: [],
  });
  const owned = rows.filter(({ name, column }) => column === 'tenant_id' && name !== 'tenant');
  assert.deepEqual(owned.map(({ name }) => name).sort(), [...tenantTables].sort());
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
