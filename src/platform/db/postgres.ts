import pg from 'pg';
import { type DatabaseLog, type Engine, silentLog } from './engine.ts';
import { isConnectionLoss, send, translate, types, withinTransaction } from './wire.ts';

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
  // Without a listener the loss of an idle connection would end the process.
  pool.on('error', (error) => log.warn({ error }, 'An idle database connection was lost'));

  const withClient = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect().catch((error: unknown) => {
      throw translate(error);
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
    query: (statement) => withClient((client) => send(client, statement)),
    transaction: (work) => withClient((client) => withinTransaction(client, work)),
    script: (sql) =>
      withClient(async (client) => {
        await client.query(sql);
      }),
    close: () => pool.end(),
  };
}
