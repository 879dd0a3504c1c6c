import { appendFileSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { routes } from '../../src/app/app.ts';
import { codesOf } from '../../src/http/describe/describe.ts';
import { type ErrorCode, errorCodes } from '../../src/lib/errors.ts';

type Line = { operation: string; status: number; code: string | null };

const keyOf = (method: string, url: string) => `${method} ${url}`;
const operations = new Map(
  routes.map(({ method, path, name }) => [keyOf(method, path.replaceAll(/\{(\w+)\}/g, ':$1')), name]),
);

function operationOf({ method, routeOptions }: FastifyRequest): string | undefined {
  return operations.get(keyOf(method === 'HEAD' ? 'GET' : method, routeOptions.url ?? ''));
}

const noted = new Set<string>();

function note(folder: string, line: Line): void {
  const text = `${JSON.stringify(line)}\n`;
  if (noted.has(text)) return;
  noted.add(text);
  appendFileSync(join(folder, `${process.pid}.jsonl`), text);
}

/** Records each operation's responses, for the check at the end of `scripts/test.ts`. */
export function recordResponses(app: FastifyInstance): void {
  const folder = process.env.TEST_ANSWERS;
  if (!folder) return;
  const codes = new WeakMap<FastifyRequest, string>();
  app.addHook('preSerialization', async (request, reply, payload) => {
    const isProblem = String(reply.getHeader('content-type')).startsWith('application/problem+json');
    if (isProblem && typeof payload === 'object' && payload !== null && 'code' in payload)
      codes.set(request, String(payload.code));
    return payload;
  });
  app.addHook('onResponse', async (request, reply) => {
    const operation = operationOf(request);
    // A browser that navigates gets the problem as a page, without its code.
    const isPage = reply.statusCode >= 400 && String(reply.getHeader('content-type')).startsWith('text/html');
    if (operation && !isPage)
      note(folder, { operation, status: reply.statusCode, code: codes.get(request) ?? null });
  });
}

const isCode = (code: string): code is ErrorCode => code in errorCodes;

/** The undeclared responses, and the declared codes that never occurred. */
export function checkResponses(folder: string) {
  const lines = globSync(join(folder, '*.jsonl')).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line): Line => JSON.parse(line)),
  );
  const undeclared = new Set<string>();
  const unseen = new Set(
    routes.flatMap(({ name, problems = [] }) => problems.map((code) => `${name} ${code}`)),
  );
  for (const { operation, status, code } of lines) {
    unseen.delete(`${operation} ${code}`);
    const route = routes.find(({ name }) => name === operation);
    if (!route) continue;
    const isDeclared =
      code === null ? status in route.responses : isCode(code) && codesOf(route).includes(code);
    if (!isDeclared) undeclared.add(`${operation} ${code ?? status}`);
  }
  return { answers: lines.length, undeclared: [...undeclared].sort(), unseen: [...unseen].sort() };
}
