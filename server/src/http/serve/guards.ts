import type { FastifyRequest } from 'fastify';
import type { Actor, Context } from '../../infra/context/context.ts';
import type { Caller, Route } from '../routes.ts';

/** Returns the caller; throws without valid credentials. */
export type Authenticate = (ctx: Context, request: FastifyRequest) => Promise<Caller>;
/** Throws if the caller may not call the route; `loginId` is the LoginID in the path. */
type Authorize = (caller: Caller, route: Route, loginId: string | null) => void;
/** The tenant that a request acts on. */
export type ResolveTenant = (ctx: Context, request: FastifyRequest, caller: Caller) => Promise<string>;
/** Admits anyone who has the ticket or session in the path, before the body is read. */
export type EnterSession = (ctx: Context, request: FastifyRequest, route: Route) => Promise<void>;

/** How each kind of caller is admitted. */
export type Guards = {
  authenticate: Authenticate;
  authorize: Authorize;
  resolveTenant: ResolveTenant;
  enterSession: EnterSession;
};

function kindOf(caller: Caller | null): Actor['kind'] {
  if (caller === null) return 'anyone';
  if (!caller.isSession) return caller.tenantId === null ? 'operator_key' : 'key';
  if (caller.tenantId === null) return 'operator';
  return caller.learner === undefined ? 'administrator' : 'learner';
}

/**
 * Identifies the sender of a request. Omits learners' IP addresses, because audit entries cannot be
 * erased.
 */
export function actorOf(request: FastifyRequest): Actor {
  const { caller } = request;
  const kind = kindOf(caller);
  return {
    kind,
    id: caller?.keyId ?? null,
    userId: caller?.userId ?? null,
    address: kind === 'learner' ? null : request.address,
    requestId: request.id,
  };
}
