import type { Kysely } from 'kysely';
import type { Config } from './config.ts';
import type { Counters } from './counters.ts';
import type { Engine } from './db/engine.ts';
import type { Schema } from './db/generated.ts';
import type { PackageFiles } from './files.ts';
import type { KeyRing } from './keys/key-ring.ts';
import type { Log } from './log.ts';
import type { Admission } from './pools.ts';
import type { Queue } from './queue.ts';
import type { Scope } from './scopes.ts';

/** `anyone`: a caller without a key or session, such as somebody who signs in. `service`: the process itself, a job. */
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

/** Who causes a change, as the audit trail names them. */
export type Actor = {
  kind: (typeof actorKinds)[number];
  /** Of the key or the session. */
  id: string | null;
  /** Of the person whose session it is. */
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

/** What every verb gets first. Built once per process; a test overrides parts of it. */
export type Context = {
  readonly config: Config;
  readonly engine: Engine;
  readonly db: Kysely<Schema>;
  readonly log: Log;
  readonly files: PackageFiles;
  /** Package imports of this node. */
  readonly imports: Queue;
  /** Signs launch links, sessions and access tokens, and encrypts webhook secrets; the same on all nodes. */
  readonly keys: KeyRing;
  /** What this node has taken on: the budgets of callers, and how much of them is used. */
  readonly admission: Admission;
  /** What happened on this node since it started, for metrics. */
  readonly counters: Counters;
  readonly now: () => Date;
  readonly actor: Actor;
  /** Of the key or session whose request this is; absent when the service itself works. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Refuses when the caller may no longer call: for answers that take long. Absent when the service itself works. */
  readonly checkCaller?: () => Promise<unknown>;
};

/** The context of a verb on one tenant's data: without a tenant such a verb does not compile. */
export type TenantContext = Context & { readonly tenantId: string };
