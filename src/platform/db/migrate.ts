import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Connection, Engine } from './engine.ts';

export type Migration = { name: string; sql: string; checksum: string };
type Applied = Pick<Migration, 'name' | 'checksum'>;

const nameShape = /^\d{4}_[a-z0-9_]+\.sql$/;
/** Any number that nobody else locks in this database. */
const lockNumber = 5_119_244_003;

/** Forward only. Nodes that start together take turns, each migration in a transaction of its own. */
export async function migrate(engine: Engine, folder = 'migrations'): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(folder);
  const applied: string[] = [];
  for (;;) {
    const name = await engine.transaction((connection) => applyNext(connection, migrations));
    if (name === undefined) return { applied };
    applied.push(name);
  }
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      if (!nameShape.test(name)) throw new Error(`The migration ${name} must be named like 0001_what.sql.`);
      const sql = await readFile(path.join(folder, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function applyNext(connection: Connection, migrations: Migration[]): Promise<string | undefined> {
  // A large table may need longer than requests are given.
  await connection.query({ text: 'set local statement_timeout = 0', values: [] });
  await connection.query({ text: 'set local lock_timeout = 0', values: [] });
  await connection.query({ text: 'select pg_advisory_xact_lock($1)', values: [lockNumber] });
  await connection.query({ text: bookkeeping, values: [] });
  const { rows } = await connection.query<Applied>({
    text: 'select name, checksum from migration order by name',
    values: [],
  });
  const next = nextOf(migrations, rows);
  if (!next) return undefined;
  await connection
    .query({ text: `/* across tenants: migration */ ${next.sql}`, values: [] })
    .catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`The migration ${next.name} failed and nothing of it was kept: ${reason}`, { cause });
    });
  await connection.query({
    text: 'insert into migration (name, checksum, applied_at) values ($1, $2, now())',
    values: [next.name, next.checksum],
  });
  return next.name;
}

function nextOf(migrations: Migration[], applied: Applied[]): Migration | undefined {
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
        `The migration ${name} was changed after it had been applied. Restore the file and put the change in a new one.`,
      );
    }
  }
  const done = new Set(applied.map(({ name }) => name));
  const next = migrations.find(({ name }) => !done.has(name));
  const last = applied.at(-1)?.name;
  if (next && last !== undefined && next.name < last) {
    throw new Error(
      `The migration ${next.name} sorts before ${last}, which is applied already. Give it a later number.`,
    );
  }
  return next;
}

const bookkeeping = `create table if not exists migration (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null
)`;
