import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { RunTimeUse } from './admission.ts';
import type { Context, TenantContext } from './context.ts';
import type { ErrorCode } from './errors.ts';
import type { Scope } from './scopes.ts';

/** Who is calling: a key or a session, of a tenant or of the operator (`tenantId` null). */
export type Caller = {
  keyId: string;
  tenantId: string | null;
  scopes: readonly Scope[];
  /** Of the person whose session it is. */
  userId?: string;
  /** A session of the console instead of a key. */
  isSession?: true;
  /** The LoginID of a learner's session, which may call the routes marked `own` with it, and no others. */
  learner?: string;
};

export type Answer = {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** What is sent as the body, whole or in the range that was asked for. */
  file?: { folder: string; path: string };
};

/**
 * `tenant`: acts on one tenant's data. `operator`: the operator only. `either`: on one tenant's data, or for an operator who
 * names no tenant on all. `anyone`: needs neither key nor session. `session`: the ticket or session of the player in its path.
 */
export type Access = 'tenant' | 'operator' | 'either' | 'anyone' | 'session';

type ContextOf<A extends Access> = A extends 'tenant'
  ? TenantContext
  : A extends 'either'
    ? Context & { readonly tenantId?: string }
    : Context;
type ValueOf<S> = S extends TSchema ? Static<S> : undefined;

export type Input<P, Q, B> = {
  params: ValueOf<P>;
  query: ValueOf<Q>;
  body: ValueOf<B>;
  request: FastifyRequest;
};

/** Beside the input: what `prepare` answered. */
type Prepared<R> = { prepared: R };

/** One operation of the interface, as data. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters in braces, as in the documents. */
  path: string;
  /** The `operationId`. */
  name: string;
  summary: string;
  /** For integrators, beside the summary: when to call it, and what happens. */
  description?: string;
  tag: string;
  /** Which of the two origins serves it; by default that of the interface. */
  origin?: 'content';
  access: Access;
  scope: Scope | null;
  /** Scopes that are needed beside it. */
  also?: readonly Scope[];
  /** A read that learners' sessions may call too, with their own LoginID in the path. */
  own?: true;
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  /** A body that is passed on as a stream and not parsed. */
  streams?: {
    types: readonly string[];
    description: string;
    bulk?: true;
    /** By type: what a request may look like. */
    examples?: Record<string, string>;
  };
  /** Of a `session` route: what its path holds, and what it is for, by which it is admitted. */
  runTime?: { token: 'ticket' | 'session'; use: Exclude<RunTimeUse, object> | 'commit' };
  /** Opened by people: refusals before the handler are pages, too. */
  page?: true;
  /** Answers a file; its origin decides how it is compressed. */
  sendsFile?: true;
  /** The largest body in bytes where it is not the server's usual limit. */
  bodyLimit?: number;
  /** Of a GET for `anyone`: its handler takes the request on when it has seen who calls. */
  admits?: true;
  /** Takes `application/x-www-form-urlencoded` beside JSON, and answers `request.validationError` itself. */
  forms?: boolean;
  /** `type`: what is answered when it is not JSON. `example`: where the examples of the schema are not enough. */
  answers: Record<
    number,
    { description: string; schema?: TSchema; type?: string | readonly string[]; example?: unknown }
  >;
  /** Codes of the errors that it answers beside those that follow from its access and from what it takes. */
  problems?: readonly ErrorCode[];
  /** Fields that its example sends beside those that it must. */
  example?: readonly string[];
  /** Types of the events that the operation may write; a write without any says so with an empty list. */
  events?: readonly string[];
  /** Actions that the operation may write into the audit trail; a write without any says so with an empty list. */
  audits?: readonly string[];
  /** Costs as much as a list: it waits for its tenant's turn. */
  heavy?: true;
  /** Its answer is a document of any size, of which `body` makes a part at a time, each in its tenant's turn. */
  whole?: true;
  /** Its verb is one coalesced statement, and writes nothing when it refuses: calls with an Idempotency-Key share a transaction. */
  coalesced?: true;
  /** What is slow and harmless to repeat: a hash, a call over the network. With an Idempotency-Key `handle` runs in a transaction. */
  prepare?: (ctx: Context, input: Input<TSchema, TSchema, TSchema>) => Promise<unknown>;
  handle: (
    ctx: Context,
    input: Input<TSchema, TSchema, TSchema> & Prepared<unknown>,
    reply: FastifyReply,
  ) => Promise<Answer>;
};

type RouteSpec<A extends Access, P, Q, B, R> = Omit<
  Route,
  'access' | 'params' | 'query' | 'body' | 'prepare' | 'handle'
> & {
  access: A;
  params?: P;
  query?: Q;
  body?: B;
  prepare?: (ctx: ContextOf<A>, input: Input<P, Q, B>) => Promise<R>;
  handle: (ctx: ContextOf<A>, input: Input<P, Q, B> & Prepared<R>, reply: FastifyReply) => Promise<Answer>;
};

/**
 * Declares an operation. The validator guarantees that the input has the declared types, and the dispatcher that a
 * `tenant` route gets a tenant, so the widening here is safe.
 */
export function route<
  A extends Access,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  R = undefined,
>(spec: RouteSpec<A, P, Q, B, R>): Route {
  return spec as unknown as Route;
}

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export function created(body: unknown, location: string): Answer {
  return { status: 201, body, headers: { Location: location } };
}

/** A path with its parameters percent-encoded. */
export function path(strings: TemplateStringsArray, ...values: string[]): string {
  return strings.reduce((all, part, index) => all + encodeURIComponent(values[index - 1] ?? '') + part);
}
