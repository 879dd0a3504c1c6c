import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { routes } from '../src/app/app.ts';
import { openTestDatabase } from './support/test-database.ts';

const { engine } = await openTestDatabase();
after(() => engine.close());

const indexesText = `select relation.relname as "table", own.relname as name, obj_description(own.oid, 'pg_class') as purpose
from pg_index index join pg_class own on own.oid = index.indexrelid join pg_class relation on relation.oid = index.indrelid
where relation.relnamespace = 'public'::regnamespace and relation.relname in ('enrolment', 'event')`;

test('each index of the two largest tables names a route that needs it', async () => {
  type Row = { table: string; name: string; purpose: string | null };
  const { rows } = await engine.query<Row>({ text: indexesText, values: [] });
  assert.deepEqual(new Set(rows.map(({ table }) => table)), new Set(['enrolment', 'event']));
  const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  for (const { name, purpose } of rows) {
    const named = purpose?.match(/(GET|POST|PUT|DELETE) \/[\w/{}]+/g) ?? [];
    assert.ok(named.length > 0, `${name} has no comment that names a route`);
    for (const route of named) assert.ok(known.has(route), `${name}: ${route}`);
  }
});
