import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InvalidXapi, invalid } from '../../../../standards/xapi/invalid.ts';
import { Problem } from '../../lib/errors.ts';
import { editionOf, mediaTypeOf } from './lrs-request.ts';

const path = '/xapi/alternate';

/**
 * Removes doubled slashes, because clients append `/statements` to an endpoint that may end with a slash. Communication
 * 1.3: a POST whose query specifies another method has its credentials in the body, and is handled separately.
 */
export function rewriteLrsUrl(method: string | undefined, url: string): string {
  const own = url.replace(/^[^?]+/, (names) => names.replace(/\/{2,}/g, '/'));
  const isAlternate = method === 'POST' && /[?&]method=/.test(own);
  return isAlternate ? `${path}${own.slice('/xapi'.length)}` : own;
}

/** These fields of the form are headers; `content` is the body, and all others are parameters. */
const headerFields = [
  'authorization',
  'x-experience-api-version',
  'content-type',
  'content-length',
  'if-match',
  'if-none-match',
  'accept-language',
];

const methods = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD'] as const;

/** The caller is unknown until the form has been read, because it contains the credentials. */
const bodyLimit = 16 * 1024;

type Request = {
  method: (typeof methods)[number];
  url: string;
  headers: Record<string, string>;
  payload: string;
};

function readForm(request: FastifyRequest): Request {
  const { headers, body, url } = request;
  const query = new URL(url, 'http://lrs').searchParams;
  const method =
    methods.find((name) => name === query.get('method')) ??
    invalid('method', `must be one of ${methods.join(', ')}.`);
  if ([...query.keys()].length > 1)
    invalid('The query', 'can only have the parameter method. Send all other parameters in the form.');
  if (mediaTypeOf(headers['content-type'] ?? '') !== 'application/x-www-form-urlencoded')
    invalid('Content-Type', 'must be application/x-www-form-urlencoded.');
  const form = new URLSearchParams(Buffer.isBuffer(body) ? body.toString() : '');
  const sent = Object.entries(headers).filter(
    ([name]) => headerFields.includes(name) && name !== 'content-type',
  );
  const own = [...form].filter(([name]) => headerFields.includes(name.toLowerCase()));
  const all: Record<string, string> = Object.fromEntries(
    [...sent, ...own].map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const { 'content-length': _, 'content-type': type = 'application/json', ...others } = all;
  if (editionOf(others['x-experience-api-version']) === '2.0.0')
    invalid('method', 'is not a parameter of xAPI 2.0, which has no alternate request syntax.');
  const content = form.get('content');
  const hasContent = method === 'PUT' || method === 'POST';
  if (hasContent && content === null)
    invalid('content', 'is missing. Send the body in this field of the form.');
  const parameters = [...form].filter(
    ([name]) => name !== 'content' && !headerFields.includes(name.toLowerCase()),
  );
  return {
    method,
    url: `/xapi${new URL(url, 'http://lrs').pathname.slice(path.length)}?${new URLSearchParams(parameters)}`,
    headers: { ...others, ...(hasContent ? { 'content-type': type } : {}) },
    payload: hasContent ? (content ?? '') : '',
  };
}

/** Carries out the request in the form, with all the checks of an ordinary request. */
export function serveAlternateRequests(lrs: FastifyInstance, api: FastifyInstance): void {
  lrs.post(`${path}/*`, { bodyLimit }, async (request, reply) => {
    try {
      const answer = await api.inject({ ...readForm(request), remoteAddress: request.address });
      const { connection: _, 'content-length': __, 'transfer-encoding': ___, ...headers } = answer.headers;
      return reply.code(answer.statusCode).headers(headers).send(answer.rawPayload);
    } catch (error) {
      if (error instanceof InvalidXapi) throw new Problem('xapi_invalid', error.message);
      throw error;
    }
  });
}
