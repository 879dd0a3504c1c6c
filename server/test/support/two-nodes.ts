import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../src/infra/context/context.ts';
import { openLoad } from '../../src/infra/context/load.ts';
import { openStorage } from '../../src/infra/storage/open-storage.ts';
import { otherNode, serve } from './nodes.ts';

type Servers = { api: FastifyInstance; content: FastifyInstance };

/** Whether a test's service has another node, which shares only the database and an object store. */
export const hasTwoNodes = Boolean(process.env.TEST_TWO_NODES);

/** Lets the other node answer every second request. */
function takeTurns({ server }: FastifyInstance, other: FastifyInstance): void {
  const own = server.listeners('request') as ((...request: unknown[]) => void)[];
  let turn = 0;
  server.removeAllListeners('request');
  server.on('request', (...request) => {
    if (++turn % 2 === 0) other.server.emit('request', ...request);
    else for (const listener of own) listener.apply(server, request);
  });
}

export async function prepareTwoNodes() {
  const { startStore } = await import('./store.ts');
  const store = await startStore();
  let other: Awaited<ReturnType<typeof serve>> | null = null;
  return {
    env: store.env,
    open: async (ctx: Context, { api, content }: Servers) => {
      const dataDir = join(ctx.config.dataDir, 'other-node');
      const files = await openStorage({ ...ctx, config: { ...ctx.config, dataDir } });
      other = await serve({ ...otherNode(ctx), files, load: openLoad() });
      takeTurns(api, other.api);
      takeTurns(content, other.content);
    },
    close: async () => {
      await other?.close();
      await store.remove();
    },
  };
}
