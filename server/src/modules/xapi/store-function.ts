import { databaseFunction } from '../../platform/db/functions.ts';

/** A statement as the function takes it. Rows with the same `request` are stored together or not at all. */
export type StatementRow = {
  request: number;
  id: string;
  payload: string;
  bytes: number;
  keys: string[];
  refers_to: string | null;
  voids: boolean;
};

/** A statement that exists already, because of which nothing of the request was stored. */
export type Clash = { request: number; statement_id: string; payload: string };

/** A chain of references longer than this, and more references to one statement, are not followed any further. */
export const maxDepth = 20;
export const maxReferences = 500;

const rows = `json_to_recordset($2) as given (n integer, request integer, id uuid, payload text, bytes integer,
      keys uuid[], refers_to uuid, voids boolean)`;

/**
 * Held by writers until they commit. Whoever has it sees all statements of the tenant, so nothing is stored twice and
 * positions become visible in order.
 */
export const lockKey = "hashtextextended('statements ' || $1, 0)";
/** The database's clock, because the nodes' clocks differ. */
export const microseconds = 'floor(extract(epoch from clock_timestamp()) * 1000000)::bigint';

const lockLog = `
  perform pg_advisory_xact_lock(${lockKey});
  select log.position into last from statement_log log where log.tenant_id = $1;
  last := greatest(last, ${microseconds});`;

const findClashes = `
  for request, statement_id, payload in
    select given.request, held.statement_id, held.payload from ${rows}
    join statement held on held.tenant_id = $1 and held.statement_id = given.id
  loop
    clashed := clashed || request;
    return next;
  end loop;`;

const insertStatements = `
  insert into statement (tenant_id, statement_id, position, payload, bytes, keys, refers_to, voids)
  select $1, given.id, last + given.n, given.payload, given.bytes, given.keys, given.refers_to, given.voids
  from ${rows} where given.request <> all (clashed);
  insert into statement_match (tenant_id, key, position, source)
  select $1, own.key, last + given.n, last + given.n
  from ${rows} cross join unnest(given.keys) as own (key) where given.request <> all (clashed);`;

/**
 * Data 2.3.2: a voiding statement can arrive before the one it voids, and cannot be voided itself. Communication 2.1.3:
 * a statement is also found by what the statements have that it refers to.
 */
const followReferences = `
  insert into voided_statement (tenant_id, position)
  select $1, target.position from statement fresh
  join statement target on target.tenant_id = $1 and target.statement_id = fresh.refers_to and not target.voids
  where fresh.tenant_id = $1 and fresh.position > last and fresh.voids
  on conflict do nothing;
  with recursive chain (position, target, depth) as (
    select fresh.position, fresh.refers_to, 1 from statement fresh
    where fresh.tenant_id = $1 and fresh.position > last and fresh.refers_to is not null
    union
    select chain.position, target.refers_to, chain.depth + 1 from chain
    join statement target on target.tenant_id = $1 and target.statement_id = chain.target
    where target.refers_to is not null and chain.depth < ${maxDepth}
  )
  insert into statement_match (tenant_id, key, position, source)
  select $1, own.key, chain.position, target.position from chain
  join statement target on target.tenant_id = $1 and target.statement_id = chain.target
  cross join unnest(target.keys) as own (key)
  on conflict do nothing;`;

/** Statements that were stored before the ones they refer to. */
const completeReferences = `
  for late in select held.statement_id, held.position, held.voids, held.refers_to from statement held
    where held.tenant_id = $1 and held.position > last
      and exists (select from statement earlier where earlier.tenant_id = $1 and earlier.refers_to = held.statement_id)
  loop
    insert into voided_statement (tenant_id, position)
    select $1, late.position where not late.voids and exists (
      select from statement voiding
      where voiding.tenant_id = $1 and voiding.refers_to = late.statement_id and voiding.voids
    ) on conflict do nothing;
    with recursive referring (position, id, depth) as (
      select earlier.position, earlier.statement_id, 1 from statement earlier
      where earlier.tenant_id = $1 and earlier.refers_to = late.statement_id
      union
      select earlier.position, earlier.statement_id, referring.depth + 1 from referring
      join statement earlier on earlier.tenant_id = $1 and earlier.refers_to = referring.id
      where referring.depth < ${maxDepth}
    ), referred (position, target, depth) as (
      select late.position, late.refers_to, 1
      union
      select target.position, target.refers_to, referred.depth + 1 from referred
      join statement target on target.tenant_id = $1 and target.statement_id = referred.target
      where referred.depth < ${maxDepth}
    ), first_referring as (select referring.position from referring limit ${maxReferences})
    insert into statement_match (tenant_id, key, position, source)
    select $1, own.key, first_referring.position, source.position
    from first_referring cross join referred
    join statement source on source.tenant_id = $1 and source.position = referred.position
    cross join unnest(source.keys) as own (key)
    on conflict do nothing;
  end loop;`;

/**
 * Stores statements of the tenant `$1`; `$2` is an array of `StatementRow`, numbered from 1. A
 * position is also the time of storing, so it must not go back. Returns the clashes. The tenant's statements stay locked
 * until the commit, so this must be the last step of a transaction.
 */
export const storeFunction = databaseFunction({
  name: 'store_statements',
  parameters: 'text, json',
  returns: 'table (request integer, statement_id uuid, payload text)',
  body: `
declare
  last bigint;
  added bigint;
  clashed integer[] := '{}';
  late record;
begin
  ${lockLog}
  ${findClashes}
  ${insertStatements}
  select max(held.position) into added from statement held where held.tenant_id = $1 and held.position > last;
  if added is null then
    return;
  end if;
  insert into statement_log as log (tenant_id, position) values ($1, added)
  on conflict (tenant_id) do update set position = excluded.position;
  ${followReferences}
  ${completeReferences}
end`,
});

export const storeText = `select outcome.request, outcome.statement_id, outcome.payload
from ${storeFunction.name}($1, $2) outcome`;
