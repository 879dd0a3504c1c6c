import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { forTenant } from '../db/transaction.ts';
import { once, type Prepare, valueOrThrow } from '../infra/calls/once.ts';
import { operatorOwner } from '../infra/calls/stored-responses.ts';
import type { Context, TenantContext } from '../infra/context/context.ts';
import { invalid } from '../lib/errors.ts';
import type { RouteResponse } from './routes.ts';

export const idempotencyHeader = 'Idempotency-Key';

/** Reads the Idempotency-Key of a request; null if it has none. */
export function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw invalid(idempotencyHeader, `${idempotencyHeader} must be 1–255 printable ASCII characters.`);
}

/** The owner of the keys: a tenant, or one of the operator's API keys. */
function keySpace(ctx: Context, request: FastifyRequest, key: string): [TenantContext, string] {
  const { tenantId, caller } = request;
  return tenantId === null
    ? [forTenant(ctx, operatorOwner), `${caller?.keyId}\0${key}`]
    : [forTenant(ctx, tenantId), key];
}

/**
 * The scopes are stored as part of the request. They determine what a response shows, so a key with
 * other scopes must not get the stored response.
 */
export function scopesOf({ caller }: FastifyRequest): string {
  return [...(caller?.scopes ?? [])].sort().join(' ');
}

/** Handles a POST with an Idempotency-Key: returns the stored response or, if there is none, does the work. */
export async function respondOnce(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  key: string,
  prepare: Prepare<RouteResponse>,
): Promise<RouteResponse> {
  const [space, name] = keySpace(ctx, request, key);
  const asked = {
    key: name,
    request: `${request.method} ${request.url}\n${scopesOf(request)}\n${textOf(request.body)}`,
    about: loginIdIn(request.params) ?? loginIdIn(request.body),
    aboutTenant: request.tenantId === null ? tenantIdIn(request) : null,
  };
  const { outcome, replayed } = await once(space, asked, prepare);
  if (replayed) void reply.header('Idempotency-Replayed', 'true');
  return valueOrThrow(outcome);
}

/** Does a tenant's work on a file that was read completely, once for each Idempotency-Key. */
export async function doOnce<T>(
  ctx: TenantContext,
  request: FastifyRequest,
  file: Uint8Array,
  work: (ctx: TenantContext) => Promise<T>,
): Promise<{ value: T; headers: Record<string, string> }> {
  const key = readIdempotencyKey(request);
  if (key === null) return { value: await work(ctx), headers: {} };
  const asked = `${request.method} ${request.url}\n${scopesOf(request)}\n${textOf(file)}`;
  const { outcome, replayed } = await once(
    ctx,
    { key, request: asked, about: null, aboutTenant: null },
    async () => (inside) => work({ ...ctx, ...inside }),
  );
  return { value: valueOrThrow(outcome), headers: replayed ? { 'Idempotency-Replayed': 'true' } : {} };
}

/** A raw body is hashed, because JSON would write each of its bytes as a number. */
const textOf = (body: unknown) => (body instanceof Uint8Array ? hash('sha256', body) : JSON.stringify(body));

function tenantIdIn({ params, body }: FastifyRequest): string | null {
  return textIn(params, 'TenantID') ?? textIn(body, 'TenantID');
}

/** The LoginID in a path, a body or a row. */
export function loginIdIn(fields: unknown): string | null {
  return textIn(fields, 'LoginID');
}

function textIn(fields: unknown, name: string): string | null {
  if (typeof fields !== 'object' || fields === null) return null;
  const found: unknown = Object.hasOwn(fields, name) ? Reflect.get(fields, name) : null;
  return typeof found === 'string' ? found : null;
}
