import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { toProblem } from '../../platform/http/problems.ts';
import type { RecordRefusal } from './au-session.ts';

/** Reading a missing document is part of every session. A rejected call that should be retried is not final. */
const isFinal = (status: number) => status >= 400 && status < 500 && ![404, 429].includes(status);

/** Larger bodies are not parsed a second time. */
const maxParsed = 256 * 1024;
const maxVerbs = 20;

/** Records the refused calls of AUs before they are answered, because nobody sees the response that a course gets. */
export function recordRefusals(lrs: FastifyInstance, ctx: Context, record: RecordRefusal): void {
  lrs.setErrorHandler(async (error, request) => {
    const problem = toProblem(error);
    const token = /^(?:Basic|Bearer) +(\S{1,4096})$/i.exec(request.headers.authorization ?? '')?.[1];
    if (problem && token !== undefined && isFinal(problem.status))
      try {
        const call = `${request.method} ${request.url.split('?', 1)[0] ?? ''}`;
        const { code, message: detail } = problem;
        await record(ctx, token, { code, detail, call, verbs: verbsIn(request) });
      } catch (err) {
        ctx.log.warn({ request_id: request.id, err }, 'a refused call could not be recorded');
      }
    throw error;
  });
}

/** The last parts of the verbs' IDs, without repetitions. */
function verbsIn({ body }: FastifyRequest): string[] {
  if (!Buffer.isBuffer(body) || body.length > maxParsed) return [];
  const ids = body.toString().matchAll(/"verb"\s*:\s*\{[^{}]*?"id"\s*:\s*"([^"\\]{1,1000})"/g);
  const names = [...ids.take(1_000)].map(([, id = '']) => id.replace(/\/$/, '').split('/').at(-1) ?? '');
  return [...new Set(names)].slice(0, maxVerbs);
}
