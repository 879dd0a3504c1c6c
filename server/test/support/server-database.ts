import { randomBytes } from 'node:crypto';
import pg from 'pg';

export type ServerDatabase = { url: string; drop: () => Promise<void> };

const newName = () => `lectern_test_${randomBytes(8).toString('hex')}`;

/** A separate database on the server in TEST_DATABASE_URL, either empty or a copy of another one. */
export async function emptyServerDatabase(
  serverUrl: string,
  template = 'template0',
): Promise<ServerDatabase> {
  const name = newName();
  const nodes = await nodesOf(serverUrl);
  if (nodes.length > 0) return distributedDatabase(serverUrl, nodes, name);
  await onServer(serverUrl, (client) => client.query(`create database ${name} template ${template}`));
  return {
    url: urlOf(serverUrl, name),
    drop: async () => {
      await onServer(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/**
 * A template database with this name, from which copies are made. `fill` prepares it once for all processes
 * of a test run.
 */
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

async function onServer<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

type Node = { host: string; port: number; isCoordinator: boolean };

/**
 * The nodes of the Citus cluster whose coordinator is this server. Empty if the server does not use Citus.
 */
export async function nodesOf(serverUrl: string): Promise<Node[]> {
  return onServer(serverUrl, async (client) => {
    const { rows } = await client.query(`select to_regclass('pg_dist_node') is not null as known`);
    if (!rows[0].known) return [];
    const nodes = await client.query<Node>(
      `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node order by groupid`,
    );
    return nodes.rows;
  });
}

/** Whether the server is the coordinator of a Citus cluster. */
export async function isCluster(serverUrl: string | undefined): Promise<boolean> {
  return serverUrl !== undefined && (await nodesOf(serverUrl)).length > 0;
}

/** A database that `fill` fills before it is distributed to the nodes of a Citus cluster. */
export async function laterDistributedDatabase(
  serverUrl: string,
  fill: (url: string) => Promise<void>,
): Promise<ServerDatabase> {
  return distributedDatabase(serverUrl, await nodesOf(serverUrl), newName(), fill);
}

/** Creates the database on every node, because a Citus database cannot be copied from a template. */
async function distributedDatabase(
  serverUrl: string,
  nodes: Node[],
  name: string,
  fill = async (_url: string) => {},
): Promise<ServerDatabase> {
  const urlOn = ({ host, port }: Node) => {
    const url = new URL(serverUrl);
    url.hostname = host;
    url.port = String(port);
    return url.href;
  };
  for (const node of nodes) {
    await onServer(urlOn(node), (client) => client.query(`create database ${name} template template0`));
    if (node.isCoordinator) await fill(urlOf(serverUrl, name));
    await onServer(urlOf(urlOn(node), name), (client) => client.query('create extension citus'));
    // Fewer shards than the default of 32, because each test database distributes all tables.
    await onServer(urlOn(node), (client) => client.query(`alter database ${name} set citus.shard_count = 4`));
  }
  // Each node that is added gets the roles of the coordinator, which nodes reject if two do this at the same time.
  await onServer(serverUrl, async (turn) => {
    await turn.query('select pg_advisory_lock(5119244005)');
    await onServer(urlOf(serverUrl, name), async (client) => {
      for (const { host, port, isCoordinator } of nodes)
        await client.query(
          isCoordinator ? 'select citus_set_coordinator_host($1, $2)' : 'select citus_add_node($1, $2)',
          [host, port],
        );
    });
  });
  return {
    url: urlOf(serverUrl, name),
    drop: async () => {
      for (const node of nodes)
        await onServer(urlOn(node), (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}
