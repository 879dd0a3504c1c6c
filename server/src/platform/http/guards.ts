import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Caller, Route } from '../routes.ts';

export type Authenticate = (ctx: Context, request: FastifyRequest, route: Route) => Promise<Caller>;
export type ResolveTenant = (ctx: Context, request: FastifyRequest, caller: Caller) => Promise<string>;
/** Admits whoever has the ticket or session in the path, before the body is read. */
export type EnterSession = (ctx: Context, request: FastifyRequest, route: Route) => Promise<void>;

/** How each kind of caller is let in. */
export type Guards = { authenticate: Authenticate; resolveTenant: ResolveTenant; enterSession: EnterSession };
