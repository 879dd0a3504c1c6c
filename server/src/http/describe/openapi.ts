import type { FastifyInstance } from 'fastify';
import { type ConstantFile, constantFile, sendConstant } from '../built-files.ts';

/** Serves the OpenAPI document, which is generated when it is first requested. */
export function serveDescription(app: FastifyInstance, describe: () => object): void {
  let document: ConstantFile | null = null;
  app.get('/openapi.json', { config: { logs: 'failures' } }, async (request, reply) => {
    document ??= constantFile('application/json; charset=utf-8', JSON.stringify(describe()));
    return sendConstant(request, reply, document);
  });
}
