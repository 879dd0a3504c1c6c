import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { codeOf } from '../lib/errors.ts';

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export function findsRow(url: string, text: string): Promise<boolean> {
  return withClient(url, async (client) => (await client.query(text)).rows.length > 0);
}

/** Creates an empty database on the server of `url`. */
export async function temporaryDatabase(url: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `lectern_verify_${randomBytes(6).toString('hex')}`;
  const send = (text: string) => withClient(url, (client) => client.query(text));
  await send(`create database ${name}`).catch((cause: unknown) => {
    if (codeOf(cause) !== '42501') throw cause;
    throw new Error(
      'The role in DATABASE_URL may not create databases, and the backup is restored into a temporary one. Use another server or role, or run as a superuser: alter role … createdb.',
      { cause },
    );
  });
  const own = new URL(url);
  own.pathname = `/${name}`;
  return { url: own.href, drop: async () => void (await send(`drop database ${name} with (force)`)) };
}
