import type { Kysely } from 'kysely';
import type { Engine } from '../../db/engine/engine.ts';
import type { Schema } from '../../db/engine/generated.ts';
import type { runIsolated } from '../../lib/isolated.ts';
import type { Log } from '../../lib/log.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { PackageFiles } from '../storage/package-files.ts';
import type { TenantClocks } from './clocks.ts';
import type { Config } from './config.ts';
import type { Counters } from './counters.ts';
import type { ImportQueue } from './import-queue.ts';
import type { Load } from './load.ts';
import type { NodeState } from './node-state.ts';
import type { Scope } from './scopes.ts';

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
  /** The key or session of the request; absent when the service itself acts. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Set in background work for the tenants of one worker node of a Citus cluster. */
  readonly workerNode?: string;
  /**
   * Set in a dry run, whose transaction is rolled back. A dry run must not lock rows that all tenants share.
   */
  readonly isDryRun?: true;
  /** Throws if the caller has lost access during a long response. Absent when the service itself acts. */
  readonly checkCaller?: () => Promise<unknown>;
};

/**
 * The context for service functions that use one tenant's data. Calling them without a tenant does not
 * compile.
 */
export type TenantContext = Context & { readonly tenantId: string };
