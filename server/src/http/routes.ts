import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Player, RunTimeUse } from '../infra/calls/limits.ts';
import type { Submission } from '../infra/calls/once.ts';
import type { Context, TenantContext } from '../infra/context/context.ts';
import type { Scope } from '../infra/context/scopes.ts';
import type { ErrorCode } from '../lib/errors.ts';

/** The caller: a key or session that belongs to a tenant, or to the operator if `tenantId` is null. */
export type Caller = {
  keyId: string;
  tenantId: string | null;
  scopes: readonly Scope[];
  /** The scopes of the key behind an access token. The token can have a subset of them. */
  keyScopes?: readonly Scope[];
  /** The session's user. */
  userId?: string;
  /** A console session instead of a key. */
  isSession?: true;
  /** A learner's AU, whose requests use the budgets of run-time traffic. */
  player?: Player;
  /** The LoginID of a learner's session, which may call only routes marked `allowsLearners`, with this LoginID. */
  learner?: string;
};

export type RouteResponse = {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** The body, complete or in the requested range. */
  file?: { folder: string; path: string };
  /** True if the handler has done only part of its work and must be called again. */
  isPartial?: true;
};

/**
 * A `tenant` route acts on one tenant's data, and `operator` routes are for the operator only.
 * `either` acts on one tenant's data, or on all data if the operator names no tenant. `anyone`
 * needs neither key nor session. `session` needs the player's ticket or session in the path.
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

/**
 * Added to the input: the result of `prepare`, and the number of times that the handler has been called for this request before.
 */
type Prepared<R> = { prepared: R; turn: number };

export type Route = RouteData & (Handling | Submitting);

type Handling = {
  handle: (
    ctx: Context,
    input: Input<TSchema, TSchema, TSchema> & Prepared<unknown>,
    reply: FastifyReply,
  ) => Promise<RouteResponse>;
};

/** A frequent verb. Does the slow work of a call and returns its row, for a statement shared with other calls. */
type Submitting = {
  submission: (
    ctx: TenantContext,
    input: Input<TSchema, TSchema, TSchema>,
  ) => Promise<Submission<RouteResponse>>;
};

type RouteData = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, with parameters in braces as in the OpenAPI document. */
  path: string;
  /** The `operationId`. */
  name: string;
  summary: string;
  /** For integrators, in addition to the summary: when to call the operation, and what happens. */
  description?: string;
  tag: string;
  /** The origin that serves the operation. The default is the API's origin. */
  origin?: 'content';
  access: Access;
  scope: Scope | null;
  /** Scopes required in addition to `scope`. */
  additionalScopes?: readonly Scope[];
  /** Only console sessions, not keys, may call the operation. */
  sessionsOnly?: true;
  /** Learners' sessions may also call the operation, with their own LoginID in the path. */
  allowsLearners?: true;
  /** Headers that a request needs, in addition to those of all routes. */
  headers?: Readonly<Record<string, { description: string; example: string }>>;
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  /** A body that is passed on as an unparsed stream. */
  streams?: {
    types: readonly string[];
    description: string;
    bulk?: true;
    /** Example requests by content type. */
    examples?: Record<string, string>;
  };
  /**
   * A body of any type, which the handler gets as a Buffer and parses itself. `schemas` and `examples` are
   * keyed by content type, for the OpenAPI document.
   */
  raw?: {
    types: readonly string[];
    description: string;
    schemas?: Record<string, TSchema>;
    examples?: Record<string, unknown>;
  };
  /** For `session` routes: the credential in the path, and the use that determines which limits apply. */
  runTime?: { token: 'ticket' | 'session'; use: Exclude<RunTimeUse, object> | 'commit' };
  /** Opened in a browser, so errors that occur before the handler runs are sent as pages too. */
  page?: true;
  /** Sends a file; the content origin decides how it is compressed. */
  sendsFile?: true;
  /** For files: requests are logged only if they fail or are aborted. */
  logs?: 'failures';
  /** Maximum body size in bytes, if it differs from the server's default. */
  bodyLimit?: number;
  /** Also accepts `application/x-www-form-urlencoded`, and handles `request.validationError` itself. */
  forms?: boolean;
  /** `type` is the content type if it is not JSON. `example`: fields that differ from the schema's examples. */
  responses: Record<
    number,
    { description: string; schema?: TSchema; type?: string | readonly string[]; example?: unknown }
  >;
  /** Errors are in the format of the route's protocol, which `responses` describes. */
  ownErrors?: true;
  /** Error codes that the operation can return, in addition to those that follow from its access and input. */
  problems?: readonly ErrorCode[];
  /** Optional fields that the operation's example includes. */
  example?: readonly string[];
  /** Event types that the operation can write; empty if it writes data but no events. */
  events?: readonly string[];
  /** Audited actions that the operation can write; empty if it writes data but no audit entries. */
  audits?: readonly string[];
  /** The response is a document of any size. `body` generates it in parts. */
  streamsResponse?: true;
  /**
   * Does slow work that is safe to repeat, such as a hash or a network call. With an Idempotency-Key,
   * `handle` then runs in a transaction.
   */
  prepare?: (ctx: Context, input: Input<TSchema, TSchema, TSchema>) => Promise<unknown>;
  /** Work that is safe to repeat, after `handle` has committed and before the response is sent. */
  afterwards?: (ctx: Context) => Promise<void>;
};

/** A method and a path, such as `GET /user/{LoginID}`. */
export type Address = `${RouteData['method']} /${string}`;

type RouteSpec<A extends Access, P, Q, B, R> = Omit<
  RouteData,
  'method' | 'path' | 'name' | 'access' | 'params' | 'query' | 'body' | 'prepare' | 'afterwards'
> & {
  access: A;
  params?: P;
  query?: Q;
  body?: B;
  prepare?: (ctx: ContextOf<A>, input: Input<P, Q, B>) => Promise<R>;
  afterwards?: (ctx: ContextOf<A>) => Promise<void>;
} & (
    | {
        handle: (
          ctx: ContextOf<A>,
          input: Input<P, Q, B> & Prepared<R>,
          reply: FastifyReply,
        ) => Promise<RouteResponse>;
      }
    | { submission: (ctx: TenantContext, input: Input<P, Q, B>) => Promise<Submission<RouteResponse>> }
  );

/**
 * Declares an operation. The casts are safe: the validator guarantees the declared types of the input, and the
 * dispatcher guarantees that a `tenant` route has a tenant.
 */
export function route<
  A extends Access,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  R = undefined,
>(address: Address, name: string, spec: RouteSpec<A, P, Q, B, R>): Route {
  const [method, path] = address.split(' ');
  return { method, path, name, ...spec } as unknown as Route;
}

export function ok(body: unknown): RouteResponse {
  return { status: 200, body };
}

export function created(body: unknown, location: string): RouteResponse {
  return { status: 201, body, headers: { Location: location } };
}

/** A path with its parameters percent-encoded. */
export function path(strings: TemplateStringsArray, ...values: string[]): string {
  return strings.reduce((all, part, index) => all + encodeURIComponent(values[index - 1] ?? '') + part);
}

/**
 * Returns the host name that the browser requested. Fastify's `hostname` prefers `X-Forwarded-Host`, which
 * many proxies pass on from clients.
 */
export function hostOf({ headers }: FastifyRequest): string {
  return String(headers[':authority'] ?? headers.host ?? '').replace(/:\d*$/, '');
}
