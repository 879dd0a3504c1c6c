import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { forTenant, transaction } from '../../db/transaction.ts';
import { loggedProblem } from '../../http/problems.ts';
import { type Route, type RouteResponse, route } from '../../http/routes.ts';
import { type Guards, registerRoutes } from '../../http/serve/dispatch.ts';
import { checkShape, parseNothing, recordShape } from '../../http/validation/validation.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { isId, newId } from '../../lib/ids.ts';
import { storable } from '../../lib/unicode.ts';
import { schemaById, schemaList, serviceProvider, typeById, typeList } from './discovery.ts';
import { createGroup, deleteGroup, listGroups, patchGroup, putGroup, readGroup } from './groups.ts';
import { GuardStopped } from './guard.ts';
import { isRecord, type Json, type Resource } from './json.ts';
import {
  contentType,
  done,
  errorBody,
  found,
  made,
  notFound,
  refuse,
  scimPath,
  selected,
} from './protocol.ts';
import { knownMode, recordStop } from './settings.ts';
import { createScimUser, deleteScimUser, listUsers, patchScimUser, putScimUser, readUser } from './users.ts';

function bodyOf({ body }: FastifyRequest): Json {
  if (!Buffer.isBuffer(body) || body.length === 0)
    return refuse('invalidSyntax', 'The body is missing. Send JSON.');
  if (!isUtf8(body)) return refuse('invalidSyntax', 'The body is not UTF-8.');
  const text = body.toString();
  checkShape(text, recordShape);
  try {
    return JSON.parse(text);
  } catch {
    return refuse('invalidSyntax', 'The body is not valid JSON.');
  }
}

/** Carries the response of a dry run out of its transaction, which is rolled back. */
class DryRun extends Error {
  readonly response: RouteResponse;
  constructor(response: RouteResponse) {
    super('dry run');
    this.response = response;
  }
}

/** Does all of a write and logs it, or nothing; in a dry run, only logs it. */
async function write(
  ctx: TenantContext,
  request: FastifyRequest,
  work: (ctx: TenantContext) => Promise<RouteResponse>,
): Promise<RouteResponse> {
  const isDry = (await knownMode.get(ctx, ctx.tenantId)) === 'dry_run';
  try {
    return await transaction(isDry ? { ...ctx, isDryRun: true as const } : ctx, async (ctx) => {
      const response = await work(ctx);
      if (isDry) throw new DryRun(response);
      await record(ctx, request, response, false);
      return response;
    });
  } catch (error) {
    if (!(error instanceof DryRun)) {
      if (error instanceof GuardStopped && !isDry) await recordStop(ctx);
      throw error;
    }
    await record(ctx, request, error.response, isDry);
    return error.response;
  }
}

const masked = (key: string, value: unknown) => (/password|secret|token/i.test(key) ? '***' : value);

/** The body of a request, as far as it can be read, without secrets. */
function logged({ body }: FastifyRequest): string | null {
  if (!Buffer.isBuffer(body) || body.length === 0) return null;
  try {
    return storable(JSON.stringify(JSON.parse(body.toString(), masked))).slice(0, 65_536);
  } catch {
    return null;
  }
}

/** The user that the request is about, whose erasure erases the entry. */
function userOf(path: string, answer: unknown): string | null {
  const [, id = ''] = /^\/Users\/([^/?]+)/i.exec(path) ?? [];
  if (isId(id)) return id;
  const made = typeof answer === 'string' && /^\/Users/i.test(path) ? JSON.parse(answer) : null;
  return isRecord(made) && typeof made.id === 'string' && isId(made.id) ? made.id : null;
}

async function record(
  ctx: TenantContext,
  request: FastifyRequest,
  response: RouteResponse,
  isDry: boolean,
): Promise<void> {
  const path = request.url.slice(scimPath.length);
  const row = {
    tenant_id: ctx.tenantId,
    entry_id: newId(ctx.now()),
    at: ctx.now(),
    key_id: request.caller?.keyId ?? null,
    method: request.method,
    path: storable(path).slice(0, 1_000),
    status: response.status,
    is_dry_run: isDry,
    request: logged(request),
    answer: typeof response.body === 'string' ? response.body.slice(0, 65_536) : null,
    user_id: isDry ? null : userOf(path, response.body),
  };
  await ctx.db.insertInto('provisioning_log').values(row).execute();
}

const common = { tag: 'Provisioning', access: 'tenant', scope: 'scim:write', ownErrors: true } as const;
const query = Type.Object({}, { additionalProperties: true });
const byId = Type.Object({ id: Type.String({ maxLength: 255 }) });
const raw = {
  types: ['application/scim+json', 'application/json'],
  description: 'A SCIM resource or PATCH.',
};
const scim = (description: string) => ({ description, type: 'application/scim+json' });
const reads = { 200: scim('The resource or a list.') };

type Work = (ctx: TenantContext, request: FastifyRequest, id: string) => Promise<RouteResponse>;

const list = (path: string, name: string, work: Work): Route =>
  route(`GET ${scimPath}${path}`, name, {
    ...{ ...common, summary: name, query, responses: reads },
    handle: (ctx, { request }) => work(ctx, request, ''),
  });

const one = (path: string, name: string, work: Work): Route =>
  route(`GET ${scimPath}${path}/{id}`, name, {
    ...{ ...common, summary: name, query, params: byId, responses: reads },
    handle: (ctx, { request, params }) => work(ctx, request, params.id),
  });

const create = (path: string, name: string, work: Work): Route =>
  route(`POST ${scimPath}${path}`, name, {
    ...{ ...common, summary: name, query, raw },
    responses: { 201: scim('Created.') },
    events: [],
    handle: (ctx, { request }) => write(ctx, request, (ctx) => work(ctx, request, '')),
  });

const change = (method: 'PUT' | 'PATCH' | 'DELETE', path: string, name: string, work: Work): Route =>
  route(`${method} ${scimPath}${path}/{id}`, name, {
    ...{ ...common, summary: name, query, params: byId, raw },
    responses: { 200: scim('Changed.'), 204: { description: 'Done.' } },
    events: [],
    handle: (ctx, { request, params }) => write(ctx, request, (ctx) => work(ctx, request, params.id)),
  });

const orNotFound = (resource: Resource | null, what: string) => {
  if (!resource) throw notFound(what);
  return found(resource);
};

/** SCIM describes itself, so these operations are not in openapi.json. */
const routes: Route[] = [
  list('/ServiceProviderConfig', 'scimConfig', async (ctx) => found(serviceProvider(ctx))),
  list('/Schemas', 'scimSchemas', async (ctx) => found(await schemaList(ctx))),
  one('/Schemas', 'scimSchema', async (ctx, _, id) => orNotFound(schemaById(ctx, id), 'schema')),
  list('/ResourceTypes', 'scimTypes', async (ctx) => found(await typeList(ctx))),
  one('/ResourceTypes', 'scimType', async (ctx, _, id) => orNotFound(typeById(ctx, id), 'resource type')),
  list('/Users', 'scimUsers', async (ctx, request) => found(await listUsers(ctx, request))),
  one('/Users', 'scimUser', async (ctx, request, id) => found(selected(request, await readUser(ctx, id)))),
  create('/Users', 'scimCreateUser', async (ctx, request) =>
    made(await createScimUser(ctx, bodyOf(request))),
  ),
  change('PUT', '/Users', 'scimPutUser', async (ctx, request, id) =>
    found(await putScimUser(ctx, id, bodyOf(request))),
  ),
  change('PATCH', '/Users', 'scimPatchUser', async (ctx, request, id) =>
    found(await patchScimUser(ctx, id, bodyOf(request))),
  ),
  change('DELETE', '/Users', 'scimDeleteUser', async (ctx, _, id) => {
    await deleteScimUser(ctx, id);
    return done;
  }),
  list('/Groups', 'scimGroups', async (ctx, request) => found(await listGroups(ctx, request))),
  one('/Groups', 'scimGroup', async (ctx, request, id) => found(await readGroup(ctx, request, id))),
  create('/Groups', 'scimCreateGroup', async (ctx, request) =>
    made(await createGroup(ctx, request, bodyOf(request))),
  ),
  change('PUT', '/Groups', 'scimPutGroup', async (ctx, request, id) =>
    found(await putGroup(ctx, request, id, bodyOf(request))),
  ),
  change('PATCH', '/Groups', 'scimPatchGroup', async (ctx, request, id) => {
    await patchGroup(ctx, id, bodyOf(request));
    return done;
  }),
  change('DELETE', '/Groups', 'scimDeleteGroup', async (ctx, _, id) => {
    await deleteGroup(ctx, id);
    return done;
  }),
];

/** Serves SCIM 2.0 (RFC 7644) with its own content type and error bodies. */
export function serveScim(api: FastifyInstance, ctx: Context, guards: Guards): void {
  api.register(async (scim) => {
    parseNothing(scim);
    scim.setErrorHandler(async (error, request, reply) => {
      const known = errorBody(error);
      const problem = known ? null : loggedProblem(error, request, ctx.log);
      const { status, body } = known ?? errorBody(problem) ?? { status: 500, body: {} };
      const text = JSON.stringify(body);
      if (request.tenantId !== null && status !== 404)
        await record(forTenant(ctx, request.tenantId), request, { status, body: text }, false).catch(
          (err: unknown) => ctx.log.warn({ err }, 'a rejected SCIM request could not be logged'),
        );
      if (status === 429 || status === 503) void reply.header('Retry-After', '5');
      return reply.code(status).type(contentType).serializer(String).send(text);
    });
    registerRoutes(scim, ctx, routes, guards);
  });
}
