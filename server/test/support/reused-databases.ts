import type { Connection, Engine } from '../../src/db/engine/engine.ts';

/** Empty databases left by earlier test files of this process. If null, every database is closed after use. */
let emptyDatabases: Engine[] | null = null;

/** From now on, closing a database empties it and keeps it for the next test file. */
export function reuseDatabases(): void {
  emptyDatabases ??= [];
}

/** Closes the databases. Call it in `after`, because an open database keeps the process running. */
export async function closeDatabases(): Promise<void> {
  const engines = emptyDatabases ?? [];
  emptyDatabases = null;
  await Promise.all(engines.map((engine) => engine.close()));
}

/** A database as migrations leave it: a new one, or one from an earlier test file. */
export async function reusedDatabase(open: () => Promise<Engine>): Promise<Engine> {
  if (emptyDatabases === null) return open();
  const engine = emptyDatabases.pop() ?? (await open());
  migrated ??= readMigrated(engine);
  await migrated;
  return lease(engine);
}

/** Matches statements that change more than rows. A database that was changed in this way is not reused. */
const schemaChange =
  /(?:^|;)\s*(?:(?:\/\*[\s\S]*?\*\/|--[^\n]*\n)\s*)*(?:create|alter|drop|analyze|vacuum|reindex|set\s+(?!local\b))/i;

function lease(engine: Engine): Engine {
  const { waits } = engine.load();
  let isChanged = false;
  let isClosed = false;
  const note = (text: string) => {
    if (isClosed) throw new Error('The database is closed.');
    isChanged ||= schemaChange.test(text);
  };
  const over = (connection: Connection): Connection => ({
    query: async (statement, line) => {
      note(statement.text);
      return connection.query(statement, line);
    },
  });
  return {
    ...engine,
    ...over(engine),
    transaction: async (work, line) => {
      note('');
      return engine.transaction((connection) => work(over(connection)), line);
    },
    script: async (text) => {
      note(text);
      return engine.script(text);
    },
    load: () => ({ ...engine.load(), waits: engine.load().waits - waits }),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      if (emptyDatabases === null || isChanged) return engine.close();
      await empty(engine);
      emptyDatabases.push(engine);
    },
  };
}

type Migrated = { tables: string[]; rows: { table: string; json: string }[] };
/** Read once, because all databases in this process have the same tables. */
let migrated: Promise<Migrated> | null = null;

/** The tables, and the rows written by migrations. */
async function readMigrated(engine: Engine): Promise<Migrated> {
  const found = await engine.query<{ table: string }>({
    text: `select format('%I', tablename) as "table" from pg_tables where schemaname = 'public' and tablename <> 'migration'`,
    values: [],
  });
  const tables = found.rows.map(({ table }) => table);
  const rows: Migrated['rows'] = [];
  for (const table of tables) {
    const text = `select json_agg(known)::text as json from ${table} known`;
    const [row] = (await engine.query<{ json: string | null }>({ text, values: [] })).rows;
    if (row?.json) rows.push({ table, json: row.json });
  }
  return { tables, rows };
}

/** Empties all tables. This takes 0.1 s of CPU time, whereas opening a new database takes 1.2 s. */
async function empty(engine: Engine): Promise<void> {
  const { tables, rows } = (await migrated) ?? { tables: [], rows: [] };
  const text = tables.map((table) => `select '${table}' as "table" where exists (select 1 from ${table})`);
  const filled = await engine.query<{ table: string }>({ text: text.join(' union all '), values: [] });
  const names = filled.rows.map(({ table }) => table);
  if (names.length > 0)
    await engine.transaction(async (connection) => {
      // On Citus, one transaction cannot empty shards in parallel and then copies of the other tables.
      await connection.query({ text: `set local citus.multi_shard_modify_mode = 'sequential'`, values: [] });
      await connection.query({ text: `truncate ${names.join()} restart identity cascade`, values: [] });
    });
  for (const { table, json } of rows) {
    const text = `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`;
    await engine.query({ text, values: [json] });
  }
  // Otherwise the log of an in-memory database grows, and the files of emptied tables remain.
  await engine.script('checkpoint');
}
