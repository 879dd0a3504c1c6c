import pg from 'pg';
import { startCluster } from '../scripts/postgres-cluster.ts';
import { emptyServerDatabase, nodesOf } from '../server/test/support/server-database.ts';

/** A database on a PostgreSQL server of this machine, or on all nodes of a Citus cluster. */
export type Database = {
  url: string;
  /** The data directories of the servers. */
  folders: string[];
  remove: () => Promise<void>;
};

export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The `postgres` database of a temporary server. */
export async function databaseOfOwnServer(): Promise<Database> {
  const { url, data, remove } = await startCluster();
  return { url, folders: [data], remove };
}

/** A new database on all nodes of the Citus cluster with this coordinator. */
export async function distributedDatabase(coordinator: string): Promise<Database> {
  const folders: string[] = [];
  for (const { host, port } of await nodesOf(coordinator)) {
    const url = new URL(coordinator);
    url.hostname = host;
    url.port = String(port);
    const { rows } = await onDatabase(url.href, (client) => client.query('show data_directory'));
    folders.push(rows[0].data_directory);
  }
  const { url, drop } = await emptyServerDatabase(coordinator);
  return { url, folders, remove: drop };
}

/** The number of workers of a Citus cluster. */
export async function workersOf(coordinator: string): Promise<number> {
  const workers = (await nodesOf(coordinator)).filter(({ isCoordinator }) => !isCoordinator).length;
  if (workers === 0) throw new Error(`${coordinator} is not a Citus coordinator with workers.`);
  return workers;
}

/** The bytes on disk of an enrolment with its event, in tables and indexes. Nothing else may have been written yet. */
export async function bytesPerEnrolment(url: string): Promise<number> {
  const { rows } = await onDatabase(url, (client) =>
    client.query(`select (pg_total_relation_size('enrolment') + pg_total_relation_size('event'))::float8
      / greatest(1, (select count(*) from enrolment)) as bytes`),
  );
  return rows[0].bytes;
}
