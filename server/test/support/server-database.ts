import { randomBytes } from 'node:crypto';
import pg from 'pg';

export type ServerDatabase = { url: string; drop: () => Promise<void> };

/** A separate database on the server in TEST_DATABASE_URL, either empty or a copy of another one. */
export async function emptyServerDatabase(
  serverUrl: string,
  template = 'template0',
): Promise<ServerDatabase> {
  const name = `lectern_test_${randomBytes(8).toString('hex')}`;
  await onServer(serverUrl, (client) => client.query(`create database ${name} template ${template}`));
  return {
    url: urlOf(serverUrl, name),
    drop: () => onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`)),
  };
}

/** A template database with this name, to be copied. `fill` prepares it once for all processes of a test run. */
export async function templateOnServer(
  serverUrl: string,
  name: string,
  fill: (url: string) => Promise<void>,
): Promise<string> {
  await onServer(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock(5119244004)');
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount) return;
    const draft = `${name}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft} template template0`);
    await fill(urlOf(serverUrl, draft));
    await client.query(`alter database ${draft} rename to ${name}`);
  });
  return name;
}

function urlOf(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer(
  connectionString: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
