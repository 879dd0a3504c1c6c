import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../infra/context/context.ts';
import { countUse } from '../../infra/context/usage.ts';
import { countCall, enterPlayer, enterTenant } from '../../infra/load/limits.ts';
import { Problem } from '../../lib/errors.ts';
import { cleanFields } from '../../lib/unicode.ts';
import { loginIdIn } from '../idempotency.ts';
import type { Caller, Route } from '../routes.ts';
import { declaredBytes } from '../rows/uploads.ts';
import { acceptLowerCase } from '../validation/checks.ts';
import { admitUpload, rejectLargeBody } from './entry.ts';
import type { Guards } from './guards.ts';
import { callHandler, sessionHandler } from './respond.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Copied from the route's `page`. */
    page?: true;
    /** Copied from the route's `sendsFile`. */
    sendsFile?: true;
  }
}

/** Anonymous callers only send forms with a few fields. */
const anonymousBytes = 16 * 1024;

type EntryCheck = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
type Step = (request: FastifyRequest, reply: FastifyReply, done: () => void) => void;

const isOperator = (caller: Caller | null) => caller?.tenantId === null;

function namesTenant({ access }: Route, { caller, headers }: FastifyRequest): boolean {
  return (
    access === 'tenant' || (access === 'either' && (!isOperator(caller) || headers.tenant !== undefined))
  );
}

/** Authorises the caller and counts the call before any of the body is read. */
function entryCheckOf(ctx: Context, route: Route, guards: Guards): EntryCheck {
  if (route.access === 'anyone') return async (request) => rejectLargeBody(request);
  if (route.access === 'session') return (request) => guards.enterSession(ctx, request, route);
  return async (request, reply) => {
    const caller = await guards.authenticate(ctx, request);
    // Set the caller before any rejection, so that the log names the key and rejected calls are
    // rate-limited too.
    request.caller = caller;
    countCall(ctx, caller.keyId, reply);
    guards.authorize(caller, route, loginIdIn(request.params));
    if (namesTenant(route, request)) request.tenantId = await guards.resolveTenant(ctx, request, caller);
    countUse(ctx, caller.tenantId ?? request.tenantId, 'calls');
    if (!route.streams) rejectLargeBody(request);
    if (route.streams) await admitUpload(ctx, request, caller, route.streams.bulk === true);
    if (caller.player) enterPlayer(ctx, request, caller.player, { bytes: declaredBytes(request) });
    else enterTenant(ctx, request, caller.tenantId ?? request.tenantId, 'api');
  };
}

/** Converts the input into the form that the schemas validate. */
function preparation({ forms, query, body, streams }: Route): Step {
  return (request, _reply, done) => {
    if (query) acceptLowerCase(request.query, query);
    for (const part of [request.params, request.query]) cleanFields(part);
    if (Buffer.isBuffer(request.body)) return done();
    if (!(request.body instanceof Readable)) cleanFields(request.body, { blankIsNull: true });
    if (!forms && request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
      throw new Problem('unsupported_media_type', 'Send the body as application/json.');
    if (body && (request.body === undefined || request.body === null)) request.body = {};
    const streamed = request.body instanceof Readable && request.headers['content-type']?.split(';')[0];
    if (streamed ? !streams?.types.includes(streamed.trim().toLowerCase()) : streams)
      throw new Problem(
        'unsupported_media_type',
        `Send the body with Content-Type: ${streams?.types.join(' or ') ?? 'application/json'}.`,
      );
    done();
  };
}

/** The schemas that validate requests and filter responses. */
function checksOf({ params, query, body, responses }: Route) {
  const filters = Object.entries(responses).flatMap(([status, { schema, type }]) =>
    schema && !type ? [[status, schema] as const] : [],
  );
  return {
    ...(params ? { params } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body } : {}),
    response: Object.fromEntries(filters),
  };
}

/** Registers every operation with its access rules, input and response filter, all taken from the route's data. */
export function registerRoutes(
  app: FastifyInstance,
  ctx: Context,
  routes: readonly Route[],
  guards: Guards,
): void {
  for (const route of routes) {
    const isOpen = route.access === 'anyone';
    const isSession = route.access === 'session';
    const bodyLimit = route.bodyLimit ?? (isOpen ? anonymousBytes : undefined);
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      schema: checksOf(route),
      attachValidation: route.forms === true,
      // A HEAD request would generate the whole document and discard it.
      exposeHeadRoute: !route.streamsResponse,
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      config: {
        ...(route.page ? { page: true } : {}),
        ...(route.sendsFile ? { sendsFile: true } : {}),
        ...(route.logs ? { logs: route.logs } : {}),
      },
      ...(route.sendsFile ? { compress: false } : {}),
      onRequest: entryCheckOf(ctx, route, guards),
      ...(isSession ? {} : { preValidation: preparation(route) }),
      handler: isSession ? sessionHandler(ctx, route) : callHandler(ctx, route, guards),
    });
  }
}
