import { type Client, openClient } from '../../../bench/kill/client.ts';
import { emptyLedger, type Ledger } from '../../../bench/kill/ledger.ts';
import { runLearners, type Target } from '../../../bench/kill/load.ts';
import { prepareTarget } from '../../../bench/kill/rounds.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import {
  bootstrapKey,
  type Environment,
  freePorts,
  type Running,
  startProcess,
  temporaryFolder,
} from './process.ts';
import { emptyServerDatabase } from './server-database.ts';
import { until } from './until.ts';

export type Balanced = {
  balancer: Balancer;
  nodes: Running[];
  databaseUrl: string;
  client: Client;
  target: Target;
  ledger: Ledger;
  /** Adds a node to the same service. */
  start: () => Promise<Running>;
  /** Puts load on the whole service until `over` is called. `over` returns the service's errors. */
  load: (concurrency: number) => { over: () => Promise<string[]> };
  close: () => Promise<void>;
};

/** Node processes on one database of the server in TEST_DATABASE_URL, behind one address. */
export async function startBalanced(
  count: number,
  more: (databaseUrl: string) => Environment = () => ({}),
): Promise<Balanced> {
  const database = await emptyServerDatabase(process.env.TEST_DATABASE_URL ?? '');
  const balancer = await startBalancer();
  const folder = await temporaryFolder();
  const env: Environment = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    BASE_URL: balancer.baseUrl,
    CONTENT_URL: balancer.contentUrl,
    BOOTSTRAP_KEY: bootstrapKey,
    LOG_LEVEL: 'warn',
    ...more(database.url),
  };
  const nodes: Running[] = [];
  const start = async () => {
    const [port, contentPort] = await freePorts(2);
    const node = await startProcess({ ...env, PORT: String(port), CONTENT_PORT: String(contentPort) });
    nodes.push(node);
    balancer.add(node);
    return node;
  };
  await Promise.all(Array.from({ length: count }, start));
  await until('all nodes are ready', () => balancer.healthy() === count);
  const client = openClient(64);
  const target = await prepareTarget(client, balancer.baseUrl);
  const ledger = emptyLedger();
  let isOver = false;
  return {
    balancer,
    nodes,
    databaseUrl: database.url,
    client,
    target,
    ledger,
    start,
    load: (concurrency) => {
      isOver = false;
      const driving = runLearners(target, ledger, { client, concurrency, over: () => isOver });
      return {
        over: () => {
          isOver = true;
          return driving;
        },
      };
    },
    close: async () => {
      isOver = true;
      client.close();
      await balancer.close();
      for (const { child, exited } of nodes) {
        child.kill('SIGKILL');
        await exited;
      }
      await database.drop();
    },
  };
}
