import { readFile, writeFile } from 'node:fs/promises';
import { migrate } from '../server/src/platform/db/migrate.ts';
import { openPglite } from '../server/src/platform/db/pglite/pglite.ts';

const target = new URL('../server/src/platform/db/generated.ts', import.meta.url);
const migrations = new URL('../server/migrations', import.meta.url).pathname;

type Column = {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
  filled: boolean;
  always: boolean;
  /** The values that `check (… in …)` allows. */
  texts: string[] | null;
};

/** Tables that have a tenant_id but are not part of a tenant's data. */
const registries = new Set(['tenant']);

const typeNames: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  float4: 'number',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  json: 'Json',
  jsonb: 'Json',
  numeric: 'Numeric',
  text: 'string',
  timestamptz: 'Timestamp',
  _timestamptz: 'Date[]',
  uuid: 'string',
  varchar: 'string',
  xid8: 'string',
};

export async function generateDatabaseTypes(): Promise<string> {
  const engine = await openPglite({ folder: null });
  try {
    await migrate(engine, migrations);
    const { rows } = await engine.query<Column>({ text: columnsText, values: [] });
    return fileOf(Map.groupBy(rows, ({ table }) => table));
  } finally {
    await engine.close();
  }
}

function fileOf(tables: Map<string, Column[]>): string {
  const names = [...tables.keys()];
  const owned = names.filter(
    (name) =>
      !registries.has(name) &&
      tables.get(name)?.some(({ column, nullable }) => column === 'tenant_id' && !nullable),
  );
  return [
    '// Made by scripts/generate-db.ts from migrations/. Do not edit.',
    "import type { ColumnType, GeneratedAlways } from 'kysely';",
    '',
    '/** Has a default. */',
    'export type Generated<T> =',
    '  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>;',
    '/** Read as a value; written as JSON text. */',
    'export type Json = ColumnType<unknown, string, string>;',
    'export type Numeric = ColumnType<string, string | number, string | number>;',
    'export type Timestamp = ColumnType<Date, Date | string, Date | string>;',
    '',
    ...[...tables].flatMap(([name, columns]) => [
      `export interface ${typeName(name)} {`,
      ...columns.map((column) => `  ${column.column}: ${typeOf(column)};`),
      '}',
      '',
    ]),
    'export interface Schema {',
    ...names.map((name) => `  ${name}: ${typeName(name)};`),
    '}',
    '',
    '/** Every statement on these must name its tenant: see tenant-guard.ts. */',
    'export const tenantTables = [',
    ...owned.map((name) => `  '${name}',`),
    '] as const;',
    '',
  ].join('\n');
}

const typeName = (table: string): string =>
  `${table.replace(/(^|_)([a-z])/g, (_match, _start, letter: string) => letter.toUpperCase())}Table`;

function typeOf({ table, column, type, nullable, filled, always, texts }: Column): string {
  const one = type.startsWith('_') && !typeNames[type] ? `${scalar(type.slice(1))}[]` : scalar(type);
  const base = texts?.map((text) => `'${text}'`).join(' | ') ?? one;
  const whole = nullable ? `${base} | null` : base;
  if (always) return `GeneratedAlways<${whole}>`;
  return filled ? `Generated<${whole}>` : whole;

  function scalar(name: string): string {
    const known = typeNames[name];
    if (!known)
      throw new Error(`${table}.${column}: the type ${name} is not known to scripts/generate-db.ts.`);
    return known;
  }
}

const columnsText = `
  select c.relname as "table", a.attname as "column", t.typname as "type", not a.attnotnull as nullable,
    a.atthasdef and a.attgenerated = '' or a.attidentity = 'd' as filled,
    a.attgenerated <> '' or a.attidentity = 'a' as always,
    (
      select array(select part[1] from regexp_matches(pg_get_expr(k.conbin, k.conrelid), '''(\\w+)''::text', 'g') part)
      from pg_constraint k
      where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]
        and pg_get_expr(k.conbin, k.conrelid) ~ ('^\\(' || a.attname || ' = ANY \\(ARRAY\\[[^\\]]*\\]\\)\\)$')
    ) as texts
  from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'migration'
  order by c.relname collate "C", a.attnum`;

if (import.meta.main) {
  const wanted = await generateDatabaseTypes();
  if (!process.argv.includes('--check')) await writeFile(target, wanted);
  else if ((await readFile(target, 'utf8')) !== wanted) {
    console.error('server/src/platform/db/generated.ts does not match migrations/. Run: npm run generate');
    process.exitCode = 1;
  }
}
