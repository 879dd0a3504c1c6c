import type { FastifyInstance } from 'fastify';
import { type ConstantFile, constantFile, sendConstant } from './constant-files.ts';

/** Serves the description of the interface, which is made when it is first asked for. */
export function serveDescription(app: FastifyInstance, describe: () => object): void {
  let document: ConstantFile | null = null;
  app.get('/openapi.json', async (request, reply) => {
    document ??= constantFile('application/json; charset=utf-8', JSON.stringify(describe()));
    return sendConstant(request, reply, document);
  });
}
