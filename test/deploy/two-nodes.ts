import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openClient } from '../../bench/kill/client.ts';
import { startCluster } from '../../scripts/postgres-cluster.ts';
import {
  bootstrapKey,
  cleanUp,
  freePorts,
  type Running,
  runProcess,
  startProcess,
  temporaryFolder,
} from '../../server/test/support/process.ts';
import { startStore } from '../../server/test/support/store.ts';
import { until } from '../../server/test/support/until.ts';
import { composeSettings, recipe } from './recipe-settings.ts';

type Ports = { site: number; courses: number; api: number; content: number; operations: number };

/** The recipe with this machine's ports, without certificates. */
async function startCaddy({ site, courses, api, content, operations }: Ports): Promise<void> {
  const folder = await temporaryFolder();
  const file = join(folder, 'Caddyfile');
  const local = recipe('Caddyfile-nodes')
    .replace('{$DOMAIN:lectern.example}', `http://127.0.0.1:${site}`)
    .replace('*.{$COURSES_DOMAIN:courses.example}', `http://127.0.0.1:${courses}`)
    .replace(/^\ttls .*\n/m, '')
    .replaceAll('}:3000', `}:${api}`)
    .replaceAll('}:3001', `}:${content}`)
    .replace('health_port 3002', `health_port ${operations}`);
  writeFileSync(file, `{\n\tadmin off\n}\n${local}`);
  const env = { NODE_1: '127.0.0.1', NODE_2: '127.0.0.2', HOME: folder };
  runProcess('caddy', ['run', '--adapter', 'caddyfile', '--config', file], env);
}

export type TwoNodes = {
  baseUrl: string;
  /** The first node's own. */
  nodeUrl: string;
  databaseUrl: string;
  nodes: Running[];
  /** Starts a node that has died. */
  restart: (index: number) => Promise<void>;
  close: () => Promise<void>;
};

/** The recipe for two nodes: balancer, nodes, PostgreSQL and store. */
export async function startTwoNodes(env: Record<string, string> = {}): Promise<TwoNodes> {
  const database = await startCluster();
  const [site = 0, courses = 0, api = 0, content = 0, operations = 0] = await freePorts(5);
  const store = await startStore();
  const settings = composeSettings('compose-nodes.yaml', {
    ...{ DOMAIN: 'x', COURSES_DOMAIN: 'x', POSTGRES_PASSWORD: 'x', BOOTSTRAP_KEY: bootstrapKey },
    ...{ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
    SIGNING_KEYS: `node-test:${randomBytes(32).toString('base64url')}`,
    BASE_URL: `http://127.0.0.1:${site}`,
    CONTENT_URL: `http://127.0.0.1:${courses}`,
    DATABASE_URL: database.url,
    STORAGE_URL: store.env.STORAGE_URL,
    OPERATIONS_PORT: String(operations),
  });
  const start = async (number: number, DATA_DIR: string): Promise<Running> =>
    startProcess({
      ...{ ...settings, ...env },
      ...{ DATA_DIR, HOST: `127.0.0.${number}`, PORT: String(api), CONTENT_PORT: String(content) },
    });
  const folders = [await temporaryFolder(), await temporaryFolder()] as const;
  const nodes = [await start(1, folders[0]), await start(2, folders[1])];
  await startCaddy({ site, courses, api, content, operations });
  const client = openClient(1);
  const baseUrl = `http://127.0.0.1:${site}`;
  const answers = async () => (await client.call('GET', `${baseUrl}/openapi.json`).catch(() => null))?.status;
  await until('the balancer has a node', async () => (await answers()) === 200);
  client.close();
  return {
    baseUrl,
    nodeUrl: `http://127.0.0.1:${api}`,
    databaseUrl: database.url,
    nodes,
    restart: async (index) => {
      nodes[index] = await start(index + 1, folders[index] as string);
    },
    close: async () => {
      await cleanUp();
      await store.remove();
      await database.remove();
    },
  };
}
