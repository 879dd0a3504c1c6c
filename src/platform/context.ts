import type { Kysely } from 'kysely';
import type { Config } from './config.ts';
import type { Engine } from './db/engine.ts';
import type { Schema } from './db/generated.ts';
import type { PackageFiles } from './files.ts';
import type { Log } from './log.ts';

/** What every verb gets first. Built once per process; a test overrides parts of it. */
export type Context = {
  readonly config: Config;
  readonly engine: Engine;
  readonly db: Kysely<Schema>;
  readonly log: Log;
  readonly files: PackageFiles;
  /** Signs launch links, sessions and access tokens; shared by all nodes through the database. */
  readonly signingKey: Buffer;
  readonly now: () => Date;
};

/** The context of a verb on one tenant's data: without a tenant such a verb does not compile. */
export type TenantContext = Context & { readonly tenantId: string };
