import pg from 'pg';
import { type DatabaseLog, type Engine, type Rows, type Statement, silentLog } from './engine.ts';
import { isConnectionLoss, send, types, unavailable, withinTransaction } from './wire.ts';

export type PostgresOptions = { url: string; max?: number; log?: DatabaseLog };

export async function openPostgres({ url, max = 10, log = silentLog }: PostgresOptions): Promise<Engine> {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    types,
    pipeline: true,
    keepAlive: true,
    application_name: 'lectern',
    connectionTimeoutMillis: 5_000,
    statement_timeout: 15_000,
    lock_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
  });
  // Without these listeners the loss of a connection would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) => log.warn({ error }, 'An idle database connection was lost'));

  const withClient = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    // Whatever keeps the server from taking a connection may pass: it starts, it stops, it is full.
    const client = await pool.connect().catch((error: unknown) => {
      throw unavailable(error);
    });
    let lost = false;
    try {
      return await work(client);
    } catch (error) {
      lost = isConnectionLoss(error instanceof Error && error.cause ? error.cause : error);
      throw error;
    } finally {
      client.release(lost);
    }
  };

  return {
    kind: 'postgres',
    query: (statement) => withClient((client) => sendAnew(client, statement)),
    transaction: (work) => withClient((client) => withinTransaction(client, work)),
    script: (sql) =>
      withClient(async (client) => {
        await client.query(sql);
      }),
    close: () => pool.end(),
  };
}

/** A migration by a newer node may change what a prepared statement returns; it is refused before it runs. */
async function sendAnew<R>(client: pg.ClientBase, statement: Statement): Promise<Rows<R>> {
  try {
    return await send(client, statement);
  } catch (error) {
    const stale = error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery';
    if (!stale) throw error;
    return send(client, { text: statement.text, values: statement.values });
  }
}
