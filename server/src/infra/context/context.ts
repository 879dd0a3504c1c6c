import type { Kysely } from 'kysely';
import type { Engine } from '../../db/engine/engine.ts';
import type { Schema } from '../../db/engine/generated.ts';
import type { runIsolated } from '../../lib/isolated.ts';
import type { Log } from '../../lib/log.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { PackageFiles } from '../storage/package-files.ts';
import type { Config } from './config.ts';
import type { Counters } from './counters.ts';
import type { ImportQueue, Load } from './load.ts';
import type { Scope } from './scopes.ts';
import type { Tracing } from './tracing.ts';

/** Data that this node keeps in memory between requests. Each part is stored under the symbol that declared it. */
export type NodeState = Map<symbol, unknown>;

export const openState = (): NodeState => new Map();

/** Declares a part of the state. Only this function has the symbol, so the value is always a `V`. */
export function partOfState<V>(name: string, create: () => V): (ctx: { state: NodeState }) => V {
  const part = Symbol(name);
  return ({ state }) => {
    if (!state.has(part)) state.set(part, create());
    return state.get(part) as V;
  };
}

/** How many milliseconds the clocks of test tenants are ahead of the service's clock, by tenant. */
export type TenantClocks = { ahead: ReadonlyMap<string, number> };

export const openClocks = (): TenantClocks => ({ ahead: new Map() });

/**
 * The current time for a tenant's data: enrolments, enrolment keys, users' dates, events and reports. Everything else
 * uses `ctx.now()`, so that moving the clock of a test tenant affects nothing that protects or is shared by tenants:
 * credentials, sessions, invitations, limits, the audit trail and deliveries.
 */
export function tenantNow({ now, clocks, tenantId }: TenantClock): Date {
  const ahead = clocks.ahead.get(tenantId);
  return ahead === undefined ? now() : new Date(now().getTime() + ahead);
}

/** The seconds by which the clocks of test tenants are ahead, by tenant, as JSON for `tenantNowOfSql`. */
export const secondsAhead = ({ clocks }: { clocks: TenantClocks }): string =>
  JSON.stringify(Object.fromEntries([...clocks.ahead].map(([tenant, ahead]) => [tenant, ahead / 1000])));

type TenantClock = { now: () => Date; clocks: TenantClocks; tenantId: string };

/** SQL: a tenant's current time. `now` is the service's time, and `client` is the tenant's row. */
export const tenantNowSql = (now: string, client: string) =>
  `(${now}::timestamptz + make_interval(secs => coalesce(${client}.clock_offset, 0)))`;

/**
 * SQL: the same as `tenantNowSql`, for a lateral subquery with a limit, which cannot use the tenant's row on Citus.
 * `ahead` is a parameter with `secondsAhead`, and `tenant` is SQL.
 */
export const tenantNowOfSql = (now: string, ahead: string, tenant: string) =>
  `(${now}::timestamptz + make_interval(secs => coalesce((${ahead}::jsonb ->> ${tenant})::float8, 0)))`;

/**
 * `anyone` is a caller without a key or session, such as a user who is signing in. `service` is the process itself, for
 * example a job.
 */
export const actorKinds = [
  'key',
  'administrator',
  'learner',
  'operator_key',
  'operator',
  'command_line',
  'service',
  'anyone',
] as const;

/** The cause of a change, as recorded in the audit trail. */
export type Actor = {
  kind: (typeof actorKinds)[number];
  /** ID of the key or session. */
  id: string | null;
  /** The session's user. */
  userId: string | null;
  address: string | null;
  requestId: string | null;
};

export const serviceActor: Actor = {
  kind: 'service',
  id: null,
  userId: null,
  address: null,
  requestId: null,
};

/** The first argument of every service function. Built once per process; tests override parts of it. */
export type Context = {
  readonly config: Config;
  /** The home page of accounts, and the prefix of course IDs, in xAPI statements. See `openHomePage`. */
  readonly homePage: string;
  readonly engine: Engine;
  /** Queues, caches and counts in this process's memory. */
  readonly state: NodeState;
  readonly db: Kysely<Schema>;
  readonly log: Log;
  readonly files: PackageFiles;
  /** Package imports on this node. */
  readonly imports: ImportQueue;
  /** Runs a program on untrusted input. */
  readonly isolate: typeof runIsolated;
  /** Signs launch links, sessions and access tokens, and encrypts webhook secrets; the same on all nodes. */
  readonly keys: KeyRing;
  /** What this node is doing, and has done in this minute. */
  readonly load: Load;
  /** Counts of events on this node since it started, for metrics. */
  readonly counters: Counters;
  /** The service's time. For a tenant's data, use `tenantNow`. */
  readonly now: () => Date;
  readonly clocks: TenantClocks;
  readonly actor: Actor;
  /** Absent without OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly tracing?: Tracing;
  /** The key or session of the request; absent when the service itself acts. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Set in background work for the tenants of one worker node of a Citus cluster. */
  readonly workerNode?: string;
  /** Set in a dry run, whose transaction is rolled back. A dry run must not lock rows that all tenants share. */
  readonly isDryRun?: true;
  /** Throws if the caller has lost access during a long response. Absent when the service itself acts. */
  readonly checkCaller?: () => Promise<unknown>;
};

/** The context for service functions that use one tenant's data. Calling them without a tenant does not compile. */
export type TenantContext = Context & { readonly tenantId: string };
