import type { Connection } from './engine/engine.ts';

type Table = { name: string; isTenants: boolean };
type Ask = <R>(text: string, values?: unknown[]) => Promise<R[]>;
type Definition = { table: string; name: string; definition: string };

/** Citus writes copies only while all nodes are available, but jobs must run also while one is down. */
const onlyOnCoordinator = 'scheduled_job';

/**
 * The tables that are not distributed yet. The primary keys of tenants' tables begin with the tenant. Citus manages new
 * tables that refer to a reference table, but keeps them on one node.
 */
const undistributed = `select relation.oid::regclass::text as name, first_column.attname = 'tenant_id' and relation.relname <> 'tenant' as "isTenants"
from pg_class relation
join pg_index index on index.indrelid = relation.oid and index.indisprimary
join pg_attribute first_column on first_column.attrelid = relation.oid and first_column.attnum = index.indkey[0]
where relation.relkind = 'r' and relation.relname <> '${onlyOnCoordinator}' and relation.relnamespace = current_schema()::regnamespace
  and not exists (
    select from pg_dist_partition known
    where known.logicalrelid = relation.oid and (known.partmethod <> 'n' or known.repmodel = 't')
  )
order by 1`;

const foreignKeys = `select conrelid::regclass::text as "table", quote_ident(conname) as name,
  pg_get_constraintdef(oid) as definition
from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace
  and (conrelid::regclass::text = any($1) or confrelid::regclass::text = any($1))`;

const triggers = `select tgrelid::regclass::text as "table", quote_ident(tgname) as name,
  pg_get_triggerdef(oid) as definition
from pg_trigger where not tgisinternal and tgrelid::regclass::text = any($1)`;

/** A tenant's rows in all tables are on the same node as its rows in this table. */
const leading = '"user"';

/**
 * On Citus, distributes tenants' tables by tenant, and copies all other tables to each node.
 * Changes only tables that are not distributed yet, so it can run after each migration. Existing
 * rows are kept.
 */
export async function distribute(connection: Connection): Promise<void> {
  const ask: Ask = async <R>(text: string, values: unknown[] = []) =>
    (await connection.query<R>({ text: `/* across tenants: migration */ ${text}`, values })).rows;
  if (!(await isDistributed(connection))) return;
  await setOnNodes(ask);
  const tables = await ask<Table>(undistributed);
  if (tables.length === 0) return;
  // Citus accepts a foreign key only if both tables are distributed, and does not distribute tables that
  // refer to each other. So the keys are dropped first and added again at the end.
  const names = tables.map(({ name }) => name);
  const keys = await ask<Definition>(foreignKeys, [names]);
  for (const { table, name } of keys) await ask(`alter table ${table} drop constraint ${name}`);
  // Otherwise, they would fire for each row that is copied to a node, and write their rows again.
  const fired = await ask<Definition>(triggers, [names]);
  for (const { table, name } of fired) await ask(`drop trigger ${name} on ${table}`);
  for (const { name } of tables.filter(({ isTenants }) => !isTenants))
    await ask('select create_reference_table($1)', [name]);
  const owned = tables.filter(({ isTenants }) => isTenants).map(({ name }) => name);
  for (const name of [
    ...owned.filter((name) => name === leading),
    ...owned.filter((name) => name !== leading),
  ])
    await ask(`select create_distributed_table($1, 'tenant_id', colocate_with => $2)`, [
      name,
      name === leading ? 'none' : leading,
    ]);
  for (const { table, name, definition } of keys)
    await ask(`alter table ${table} add constraint ${name} ${definition}`);
  for (const { definition } of fired) await ask(definition);
}

const knownSettings = `select coalesce(array_agg(config), '{}') as config
from pg_db_role_setting, unnest(setconfig) as each (config)
where setrole = current_user::regrole and setdatabase = (select oid from pg_database where datname = current_database())`;

/**
 * Citus sends statements to the nodes in sessions of its own, which have the role's settings. Without a lock timeout, a
 * statement would wait for a lock for as long as a statement may run. The second setting also sends each `set local`.
 * Settings of the database would also end moves of shards, which another role can start.
 */
const nodeSettings = { lock_timeout: '2s', 'citus.propagate_set_commands': 'local' };

/** Citus copies a role's settings to all nodes, also to those that are added later. */
async function setOnNodes(ask: Ask): Promise<void> {
  const [known] = await ask<{ config: string[] }>(knownSettings);
  for (const [name, value] of Object.entries(nodeSettings))
    if (!known?.config.includes(`${name}=${value}`))
      await ask(`do $$ begin
        execute format('alter role %I in database %I set ${name} = %L', current_user, current_database(), '${value}');
      end $$`);
}

/**
 * On Citus, rejects a worker, because locks of documents are taken on the node to which a process is connected, and a
 * database without workers, whose rows would all be on the coordinator.
 */
export async function assertCoordinator(connection: Connection): Promise<void> {
  if (!(await isDistributed(connection))) return;
  const { rows } = await connection.query<{ name: string; isWorker: boolean; hasWorkers: boolean }>({
    text: `/* across tenants: migration */ select current_database() as name, groupid > 0 as "isWorker",
      exists (select from pg_dist_node where groupid > 0) as "hasWorkers" from pg_dist_local_group`,
    values: [],
  });
  const [node] = rows;
  if (node?.isWorker)
    throw new Error('DATABASE_URL names a worker of a Citus cluster. Set it to the coordinator.');
  if (node && !node.hasWorkers)
    throw new Error(
      `The database ${node.name} has the extension citus but no workers. Register them with citus_add_node, or drop the extension.`,
    );
}

/**
 * On Citus, lets the transaction change several tables, and create triggers. They are safe because the triggers on
 * "user" write only rows of the same tenant, which are on the same node.
 */
export async function allowSchemaChanges(connection: Connection): Promise<void> {
  if (!(await isDistributed(connection))) return;
  for (const setting of [
    `citus.multi_shard_modify_mode = 'sequential'`,
    'citus.enable_unsafe_triggers = on',
    // Otherwise, Citus manages a new table that refers to a reference table, and other tables cannot refer to it.
    'citus.enable_local_reference_table_foreign_keys = off',
  ])
    await connection.query({ text: `/* across tenants: migration */ set local ${setting}`, values: [] });
}

/** Those of these functions that are for one tenant, unless they are distributed already. */
const undistributedFunctions = `select proname as name from pg_proc
where proname = any($1) and pronamespace = current_schema()::regnamespace
and proargtypes[0] = 'text'::regtype and not exists (
  select from pg_dist_object known
  where known.classid = 'pg_proc'::regclass and known.objid = pg_proc.oid and known.distribution_argument_index is not null
)`;

/**
 * On Citus, makes these functions run on the node that has the tenant's rows. They may be older than the
 * distribution, as in a restored backup. In a transaction, Citus runs them on the coordinator instead. A function that
 * takes advisory locks must not run there, because each node has its own.
 */
export async function distributeFunctions(connection: Connection, names: string[]): Promise<void> {
  if (!(await isDistributed(connection))) return;
  const { rows } = await connection.query<{ name: string }>({
    text: undistributedFunctions,
    values: [names],
  });
  for (const { name } of rows) {
    // Citus must know the tenant when it plans a statement, so it cannot use one plan for all values.
    await connection.query({
      text: `/* across tenants: migration */ alter function ${name} reset all`,
      values: [],
    });
    await connection.query({
      text: `/* across tenants: migration */ select create_distributed_function(oid::regprocedure, '$1',
          colocate_with => '${leading}', force_delegation => prosrc like '%pg_advisory%')
        from pg_proc where proname = $1 and pronamespace = current_schema()::regnamespace`,
      values: [name],
    });
  }
}

export async function isDistributed(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query({
    text: `select from pg_extension where extname = 'citus'`,
    values: [],
  });
  return rows.length > 0;
}
