import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, errorCodes, Problem } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { type ValidationIssue, validationProblem } from './validation/validation-issues.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods that a path supports; empty if the path does not exist. */
    methodsAt: (path: string) => string[];
  }
}

function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replaceAll('.', '[.]');
  });
  return new RegExp(`^${parts.join('/')}$`);
}

/** Records the methods of every route. They are looked up only for requests that match no route. */
function trackMethods(app: FastifyInstance): void {
  const methods = new Map<string, { pattern: RegExp; names: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? { pattern: patternOf(url), names: new Set() };
    for (const name of [method].flat()) known.names.add(name);
    methods.set(url, known);
  });
  app.decorate('methodsAt', (path) => {
    const found = [...methods.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ names }) => [...names]))].sort();
  });
}

/** The problem document (RFC 9457) that clients get. */
export function problemDocument(problem: Problem, requestId: string) {
  const { retryAfter, allow, ...members } = problem.extras;
  const [status, title] = errorCodes[problem.code];
  return {
    type: `/docs/errors#${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    ...members,
    request_id: requestId,
  };
}

/** Default seconds for `Retry-After`. */
const retryAfterOf: Record<number, number> = { 429: 60, 503: 5 };

/** Prepares an error response in any format. */
export function beforeProblem(reply: FastifyReply, { status, extras }: Problem): void {
  const retryAfter = extras.retryAfter ?? retryAfterOf[status];
  if (retryAfter !== undefined) void reply.header('Retry-After', String(retryAfter));
}

export type ProblemPage = (
  problem: Problem,
  request: FastifyRequest,
) => { status: number; headers?: Record<string, string>; body?: unknown };

/**
 * Whether the response is shown in a window or frame, rather than used by a program. Browsers send `Sec-Fetch-Mode` only
 * over HTTPS and to localhost. Some HTTP clients also accept `text/html`.
 */
export function isNavigation({ headers, routeOptions }: FastifyRequest): boolean {
  const page = routeOptions.config?.page ? 'text/html' : 'application/xhtml+xml';
  return headers['sec-fetch-mode'] === 'navigate' || (headers.accept ?? '').includes(page);
}

/** The only place that maps thrown values to `application/problem+json`, or to a page. */
export function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  problemPage?: ProblemPage,
): FastifyReply {
  const { status } = problem;
  beforeProblem(reply, problem);
  if (problemPage && isNavigation(request)) {
    const { headers = {}, body, ...page } = problemPage(problem, request);
    return reply
      .code(page.status)
      .headers(headers)
      .serializer((text) => String(text))
      .send(body);
  }
  if (problem.extras.allow) void reply.header('Allow', problem.extras.allow.join(', '));
  if (status === 401) void reply.header('WWW-Authenticate', 'Bearer');
  return reply
    .code(status)
    .type('application/problem+json; charset=utf-8')
    .serializer((body) => JSON.stringify(body))
    .send(problemDocument(problem, request.id));
}

const problemsByCode: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_JSON_BODY: [
    'malformed_request',
    'The body is not valid JSON. Send one JSON object in UTF-8.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['malformed_request', 'Content-Length does not match the body.'],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'payload_too_large',
    'The body is larger than this operation accepts. Split it into several requests.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'This operation does not accept this Content-Type. Send JSON as application/json, and a file with one of the types that /docs lists for the operation.',
  ],
  FST_ERR_BAD_URL: ['malformed_request', 'The URL has an invalid percent-encoding. Encode it as UTF-8.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'A part of the URL is too long.'],
};

/**
 * PostgreSQL codes for a timeout, a deadlock, a lock that was not acquired, no free connection, no disk
 * space, a row deleted while it was being referenced, or shards that Citus has just replaced.
 */
const temporaryCodes = new Set(['57014', '40P01', '55P03', '53300', '53100', '23503', '40001']);
/** The operating system has no disk space or file handles left. */
const exhaustionCodes = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

type Thrown = {
  code?: string;
  statusCode?: number;
  validation?: ValidationIssue[];
  validationContext?: string;
};

export function toProblem(error: unknown): Problem | null {
  if (error instanceof Problem) return error;
  const thrown = error as Thrown;
  if (thrown.validation) return validationProblem(thrown.validation, thrown.validationContext ?? 'request');
  const [code, detail] = problemsByCode[thrown.code ?? ''] ?? [];
  if (code && detail) return new Problem(code, detail);
  if (temporaryCodes.has(thrown.code ?? ''))
    return new Problem('unavailable', 'The database could not process this request right now. Try again.', {
      retryAfter: 2,
    });
  if (exhaustionCodes.has(thrown.code ?? ''))
    return new Problem(
      'unavailable',
      'The service is running out of memory or disk space. Try again later.',
      { retryAfter: 60 },
    );
  if (thrown.statusCode === 416)
    return new Problem(
      'range_not_satisfiable',
      'The requested range is beyond the end of the file. Request another range or the whole file.',
    );
  if (thrown.statusCode === 400) return new Problem('malformed_request', 'The request could not be read.');
  return null;
}

/** The problem that is returned to the caller; causes of failures go only to the log. */
export function loggedProblem(error: unknown, request: FastifyRequest, log: Log): Problem {
  const problem = toProblem(error);
  // Nobody reads the response to a request whose client has left while it waited.
  if (problem && problem.status >= 500 && !request.hasEnded)
    log.warn(
      // A problem is an intended response, and any caller can cause many. Its stack trace adds nothing.
      { request_id: request.id, ...(error === problem ? { detail: problem.message } : { err: error }) },
      'service unavailable',
    );
  if (problem) return problem;
  log.error({ request_id: request.id, err: error }, 'request failed');
  const detail =
    'The service failed to process the request. Try again. If the error persists, contact support and quote the request_id.';
  return new Problem('internal_error', detail);
}

export function handleProblems(app: FastifyInstance, log: Log, problemPage?: ProblemPage): void {
  trackMethods(app);
  app.setErrorHandler((error: unknown, request: FastifyRequest, reply) => {
    return sendProblem(request, reply, loggedProblem(error, request, log), problemPage);
  });
  app.setNotFoundHandler((request, reply) => sendProblem(request, reply, notFound(request), problemPage));
}

/** The problem for an unknown URL, or for a URL that does not support the method. */
export function notFound({ method, url, server }: FastifyRequest): Problem {
  const allow = server.methodsAt(url.split('?', 1)[0] ?? '');
  if (allow.length > 0 && !allow.includes(method))
    return new Problem(
      'method_not_allowed',
      `${method} is not supported at this URL. Use ${allow.join(' or ')}.`,
      { allow },
    );
  return new Problem('not_found', 'There is nothing at this URL. See /docs for all operations.');
}
