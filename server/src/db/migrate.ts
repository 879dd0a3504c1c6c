import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allowSchemaChanges, assertCoordinator, distribute, distributeFunctions } from './distribute.ts';
import type { Connection, Engine } from './engine/engine.ts';

export type Migration = { name: string; sql: string; checksum: string };
type Applied = Pick<Migration, 'name' | 'checksum'>;

const namePattern = /^\d{4}_[a-z0-9_]+\.sql$/;
/** An arbitrary number for an advisory lock that nothing else in this database uses. */
const lockNumber = 5_119_244_003;
/** The interval at which a node checks whether another node has finished. */
const pollMilliseconds = 100;

/** A migration waits `lockMilliseconds` for a lock and then backs off, because all other statements queue behind it. */
export type LockTimeouts = { lockMilliseconds: number; pauseMilliseconds: number; maxAttempts: number };

const defaults: LockTimeouts = { lockMilliseconds: 500, pauseMilliseconds: 1_000, maxAttempts: 600 };

/**
 * Migrates forward only. Nodes that start together take turns, and each migration runs in its own
 * transaction. In PostgreSQL, other statements queue behind one that waits for an exclusive lock, so each
 * wait is short to avoid blocking running nodes.
 */
export async function migrate(
  engine: Engine,
  folder = 'migrations',
  timeouts: Partial<LockTimeouts> = {},
): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(folder);
  const functions = await readFunctions(folder);
  const { lockMilliseconds, pauseMilliseconds, maxAttempts } = { ...defaults, ...timeouts };
  const applied: string[] = [];
  for (let failures = 0; ; ) {
    const step = await applyNext(engine, migrations, functions, lockMilliseconds).catch((error: unknown) => {
      if (!isContention(error) || ++failures >= maxAttempts) throw error;
      return 'busy' as const;
    });
    if (step === 'done') return { applied };
    if (step === 'busy' || step === 'taken')
      await delay(step === 'busy' ? pauseMilliseconds : pollMilliseconds);
    else applied.push(step.name);
  }
}

export async function hasTables(engine: Engine): Promise<boolean> {
  const { rows } = await engine.query<{ exists: boolean }>({
    text: `select to_regclass('migration') is not null as exists`,
    values: [],
  });
  return rows[0]?.exists === true;
}

export async function isMigrated(engine: Engine, folder: string): Promise<boolean> {
  if (!(await hasTables(engine))) return false;
  const applied = await engine.query<{ name: string }>({ text: 'select name from migration', values: [] });
  const names = new Set(applied.rows.map(({ name }) => name));
  if (!(await readMigrations(folder)).every(({ name }) => names.has(name))) return false;
  return (await missingFunctions(engine, await readFunctions(folder))).length === 0;
}

type StoredFunction = { name: string; sql: string };

/** Reads the files that `npm run generate` writes, one for each `databaseFunction`. */
export async function readFunctions(folder: string): Promise<StoredFunction[]> {
  const place = path.join(folder, 'functions');
  if (!existsSync(place)) return [];
  const files = (await readdir(place)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(path.join(place, file), 'utf8');
      const name = /create or replace function (\w+)/.exec(sql)?.[1];
      if (name === undefined) throw new Error(`functions/${file} creates no function. Run: npm run generate`);
      return { name, sql };
    }),
  );
}

async function missingFunctions(
  connection: Connection,
  functions: StoredFunction[],
): Promise<StoredFunction[]> {
  const { rows } = await connection.query<{ name: string }>({
    text: `select proname as name from pg_proc
      where proname = any($1) and pronamespace = current_schema()::regnamespace`,
    values: [functions.map(({ name }) => name)],
  });
  const known = new Set(rows.map(({ name }) => name));
  return functions.filter(({ name }) => !known.has(name));
}

/** Functions of other versions are kept, because nodes of those versions may still be running. */
async function createFunctions(connection: Connection, functions: StoredFunction[]): Promise<void> {
  for (const { sql } of await missingFunctions(connection, functions))
    await connection.query({ text: `/* across tenants: migration */ ${sql}`, values: [] });
  await distributeFunctions(
    connection,
    functions.map(({ name }) => name),
  );
}

/** The database's own words: "temporarily unavailable" would not tell an operator what to do. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}

/** Whether the error is a lock timeout or a deadlock, or was caused by one. */
function isContention(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  return [code, cause?.code].some((state) => state === '55P03' || state === '40P01');
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      if (!namePattern.test(name)) throw new Error(`The migration ${name} must be named like 0001_what.sql.`);
      const sql = await readFile(path.join(folder, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

type Step = { name: string } | 'done' | 'taken';

/**
 * Polls for the migration lock instead of waiting for it. A waiting statement would hold a snapshot, and
 * building an index concurrently waits until all snapshots are released.
 */
function applyNext(
  engine: Engine,
  migrations: Migration[],
  functions: StoredFunction[],
  lockMilliseconds: number,
): Promise<Step> {
  return engine.transaction(async (connection) => {
    const ask = (text: string, values: unknown[] = []) => connection.query<Applied>({ text, values });
    // A migration of a large table can take longer than the limit for requests.
    await ask('set local statement_timeout = 0');
    await ask('set local idle_in_transaction_session_timeout = 0');
    const lock = await ask('select 1 where pg_try_advisory_xact_lock($1)', [lockNumber]);
    if (lock.rows.length === 0) return 'taken';
    await ask(`set local lock_timeout = ${lockMilliseconds}`);
    await assertCoordinator(connection);
    await ask(bookkeeping);
    const { rows } = await ask('select name, checksum from migration order by name');
    const next = nextMigration(migrations, rows);
    await allowSchemaChanges(connection);
    if (!next) {
      await distribute(connection);
      await createFunctions(connection, functions);
      return 'done';
    }
    await apply(engine, connection, next).catch((cause: unknown) => {
      const reason = reasonOf(cause);
      const kept = runsOutsideTransaction(next.sql) ? '' : ' and none of its changes were kept';
      throw new Error(`The migration ${next.name} failed${kept}: ${reason}`, { cause });
    });
    await ask('insert into migration (name, checksum, applied_at) values ($1, $2, now())', [
      next.name,
      next.checksum,
    ]);
    return { name: next.name };
  });
}

/** Whether the file builds or drops indexes concurrently. Its statements are sent one by one and must be repeatable. */
export const runsOutsideTransaction = (sql: string): boolean => sql.startsWith('-- outside a transaction\n');

/** The statements of a migration. Each ends with a line's last semicolon, but not inside the body of a function. */
export function statementsIn(sql: string): string[] {
  const statements = [''];
  for (const [n, part] of sql.split('$$').entries()) {
    const isBody = n % 2 === 1;
    const [first = '', ...others] = isBody ? [`$$${part}$$`] : part.split(/;[ \t]*$/m);
    statements.push((statements.pop() ?? '') + first, ...others);
  }
  return statements.filter((statement) => statement.replaceAll(/^\s*--.*$/gm, '').trim() !== '');
}

/** Sends the statements one by one, because Citus forwards the whole text of a query to its nodes. */
async function apply(engine: Engine, connection: Connection, { sql }: Migration): Promise<void> {
  const isEmbedded = engine.kind === 'pglite';
  const runsOutside = runsOutsideTransaction(sql);
  for (const statement of statementsIn(sql)) {
    if (runsOutside && !isEmbedded) {
      await engine.script(statement);
      continue;
    }
    // The embedded database has a single connection, so nothing can run concurrently.
    const text = runsOutside ? statement.replaceAll(/\bconcurrently\b/gi, '') : statement;
    await connection.query({ text: `/* across tenants: migration */ ${text}`, values: [] });
  }
}

function nextMigration(migrations: Migration[], applied: Applied[]): Migration | undefined {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { name, checksum } of applied) {
    const own = known.get(name);
    if (!own) {
      throw new Error(
        `The database has the migration ${name}, which this version does not know. Start the newer version again.`,
      );
    }
    if (own.checksum !== checksum) {
      throw new Error(
        `The migration ${name} was changed after it had been applied. Restore the file and put the change into a new migration.`,
      );
    }
  }
  const done = new Set(applied.map(({ name }) => name));
  const next = migrations.find(({ name }) => !done.has(name));
  const last = applied.at(-1)?.name;
  if (next && last !== undefined && next.name < last) {
    throw new Error(
      `The migration ${next.name} sorts before ${last}, which has already been applied. Give it a higher number.`,
    );
  }
  return next;
}

const bookkeeping = `/* across tenants: migration */ create table if not exists migration (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null
)`;
