import type { FastifyInstance, FastifyRequest } from 'fastify';
import { identityOf } from '../../../../standards/xapi/actors.ts';
import type { Json } from '../../../../standards/xapi/types.ts';
import { isObject } from '../../../../standards/xapi/values.ts';
import { toProblem } from '../../http/problems.ts';
import type { Context } from '../../infra/context/context.ts';
import { exactMembers, parseExact } from '../../lib/exact-json.ts';
import type { RecordRefusal } from './au-session.ts';

const erasedAccount = { homePage: 'about:blank', name: 'erased' };
const erasedAgent = { objectType: 'Agent', account: erasedAccount };

/**
 * Returns a stored statement without the person. Returns null if the statement cannot be processed,
 * so that it does not stop an erasure.
 */
export function redacted(payload: string, identity: string): string | null {
  try {
    return JSON.stringify(withoutPerson(parseExact(payload) as Json, identity));
  } catch {
    return null;
  }
}

/**
 * Replaces an object with the person's account even if it has other properties, because objects in
 * extensions can have any properties.
 */
function withoutPerson(value: Json, identity: string): Json {
  if (Array.isArray(value)) return exactMembers(value).map((item) => withoutPerson(item, identity));
  if (!isObject(value) || JSON.isRawJSON(value)) return value;
  if (identityOf({ account: value.account }) === identity) return erasedAgent;
  if (identityOf({ account: value }) === identity) return erasedAccount;
  return Object.fromEntries(
    Object.entries(exactMembers(value)).map(([name, inner]) => [name, withoutPerson(inner, identity)]),
  );
}

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
