import { databaseFunction, functionForTenants } from '../../db/functions.ts';

/** A statement as passed to the function. Rows with the same `request` are stored together or not at all. */
export type StatementRow = {
  request: number;
  id: string;
  payload: string;
  bytes: number;
  keys: string[];
  refers_to: string | null;
  voids: boolean;
};

/**
 * An existing statement that kept all statements of the request from being stored. Its payload is
 * null if the result would become too large.
 */
export type ConflictingStatement = { n: number; statement_id: string; payload: string | null };

/** A row of the result: a conflict, or the number of rows added because of references. The number comes last. */
export type Outcome = (ConflictingStatement & { followed: null }) | { n: number; followed: number };

/** Limits for following references: the length of a chain, and the number of references to the same statement. */
export const maxDepth = 5;
const maxReferences = 500;
/** Maximum number of rows that one call adds because of references. Each statement can have thousands of keys. */
export const maxFollowed = 10_000;

/**
 * Passes one JSON text per line, which needs no escaping. Splitting lines costs a sixth as much as parsing
 * the texts as values in another JSON document.
 */
const lines = (parameter: string) => `string_to_array(${parameter}, e'\\n')`;

const rows = `unnest($2, $3, ${lines('$4')}, $5, ${lines('$6')}, $7, $8)
    with ordinality as given (request, id, payload, bytes, keys, refers_to, voids, n)`;

/**
 * The key of the lock that a writer holds until its commit. The holder sees all statements of the
 * tenant, so nothing is stored twice and positions become visible in order.
 */
export const statementsLock = "hashtextextended('statements ' || $1, 0)";
/** Uses the database's clock, because the nodes' clocks differ. */
export const microseconds = 'floor(extract(epoch from clock_timestamp()) * 1000000)::bigint';

const lockLog = `
  perform pg_advisory_xact_lock(${statementsLock});
  select log.position into last from statement_log log where log.tenant_id = $1;
  last := greatest(last, ${microseconds});`;

/** Selects a statement by its ID. The limit makes the planner look up each statement. */
export const found = (id: string, columns: string) => `(
      select ${columns} from statement own where own.tenant_id = $1 and own.statement_id = ${id} limit 1
    )`;

/** Maximum bytes of stored statements with which a request is compared. They can be larger than the request. */
export const maxComparedBytes = 8 * 1024 ** 2;

/** Returns null for payloads beyond the maximum. */
const findConflicts = `
  for n, statement_id, payload in
    select conflict.request, conflict.statement_id,
      case when sum(octet_length(conflict.payload)) over (order by conflict.n) <= ${maxComparedBytes} then conflict.payload end
    from (
      select given.request, given.n, held.statement_id, held.payload from ${rows}
      cross join lateral ${found('given.id', 'own.statement_id, own.payload')} held
    ) conflict
  loop
    conflicting := conflicting || n;
    return next;
  end loop;`;

const insertStatements = `
  insert into statement (tenant_id, statement_id, position, payload, bytes, keys, refers_to, voids)
  select $1, given.id, last + given.n, given.payload, given.bytes, given.keys::uuid[], given.refers_to, given.voids
  from ${rows} where given.request <> all (conflicting);
  get diagnostics added = row_count;
  insert into statement_match (tenant_id, key, position, source)
  select $1, own.key, last + given.n, last + given.n
  from ${rows} cross join unnest(given.keys::uuid[]) as own (key) where given.request <> all (conflicting);`;

/** `late` itself, and the statements that it refers to, directly or through others. */
const referred = `referred (position, target, depth) as (
      select late.position, late.refers_to, 1
      union
      select target.position, target.refers_to, referred.depth + 1 from referred
      cross join lateral ${found('referred.target', 'own.position, own.refers_to')} target
      where referred.depth < ${maxDepth}
    )`;

const keysAt = (position: string) => `(
      select own.keys from statement own where own.tenant_id = $1 and own.position = ${position} limit 1
    )`;

/** Adds keys of one statement to another, until no rows are left. */
const follow = (
  matches: string,
) => `select array_agg(chosen.key), array_agg(chosen.position), array_agg(chosen.source)
      into followed_keys, followed_positions, followed_sources
      from (${matches} limit rows_left) chosen;
      insert into statement_match (tenant_id, key, position, source)
      select $1, chosen.key, chosen.position, chosen.source
      from unnest(followed_keys, followed_positions, followed_sources) as chosen (key, position, source)
      on conflict do nothing;
      rows_left := rows_left - coalesce(cardinality(followed_keys), 0);`;

/**
 * Data 2.3.2: a voiding statement can arrive before the statement that it voids. A voiding statement cannot
 * itself be voided. Communication 2.1.3: a statement is also found by the keys of the statements that it
 * refers to.
 */
const followReferences = `
    if late.voids then
      insert into voided_statement (tenant_id, position)
      select $1, target.position from ${found('late.refers_to', 'own.position, own.voids')} target
      where not target.voids on conflict do nothing;
    end if;
    if late.refers_to is not null then
      with recursive ${referred}
      ${follow(`select each.key, late.position, referred.position as source from referred
      cross join lateral ${keysAt('referred.position')} target cross join unnest(target.keys) as each (key)`)}
    end if;`;

/**
 * Uses a range, because only one index has this order. With an equality condition, PostgreSQL may
 * scan all statements by position if many of them refer to the same one.
 */
const earlierOf = (id: string, rows: number) => `(
      select earlier.position, earlier.statement_id, earlier.voids from statement earlier
      where earlier.tenant_id = $1 and earlier.refers_to between ${id} and ${id}
      order by earlier.refers_to, earlier.position limit ${rows}
    )`;

/** Handles a statement to which earlier statements already refer. */
const completeReferences = `
    if late.is_awaited then
      insert into voided_statement (tenant_id, position)
      select $1, late.position where not late.voids and exists (
        select from ${earlierOf('late.id', maxReferences)} earlier where earlier.voids
      ) on conflict do nothing;
      with recursive referring (position, id, depth) as (
        select earlier.position, earlier.statement_id, 1 from ${earlierOf('late.id', maxReferences)} earlier
        union
        select earlier.position, earlier.statement_id, referring.depth + 1 from referring
        cross join lateral ${earlierOf('referring.id', maxReferences)} earlier
        where referring.depth < ${maxDepth}
      ), first_referring as (select referring.position from referring limit ${maxReferences}), ${referred}
      ${follow(`select each.key, first_referring.position, referred.position as source
      from first_referring cross join referred
      cross join lateral ${keysAt('referred.position')} target cross join unnest(target.keys) as each (key)`)}
    end if;`;

const followAll = `
  for late in
    select given.id, last + given.n as position, given.refers_to, given.voids,
      awaiting.statement_id is not null as is_awaited
    from ${rows} left join lateral ${earlierOf('given.id', 1)} awaiting on true
    where given.request <> all (conflicting) and (given.refers_to is not null or awaiting.statement_id is not null)
    order by given.n
  loop
    ${followReferences}
    ${completeReferences}
  end loop;`;

/**
 * Stores statements of the tenant `$1`. `storeValues` returns the parameters. A position is also the time at which
 * the statement was stored, so it must never decrease. `$9` limits the rows added because of references. Call it last
 * in a transaction, because it locks the tenant's statements until the commit.
 */
export const storeFunction = databaseFunction({
  name: 'store_statements',
  parameters: 'text, integer[], uuid[], text, integer[], text, uuid[], boolean[], integer',
  returns: 'table (n integer, statement_id uuid, payload text, followed integer)',
  body: `
declare
  last bigint;
  added integer;
  conflicting integer[] := '{}';
  late record;
  rows_left integer := $9;
  followed_keys uuid[];
  followed_positions bigint[];
  followed_sources bigint[];
begin
  ${lockLog}
  ${findConflicts}
  ${insertStatements}
  if added = 0 then
    return;
  end if;
  insert into statement_log as log (tenant_id, position) values ($1, last + cardinality($3))
  on conflict (tenant_id) do update set position = excluded.position;
  ${followAll}
  if rows_left < $9 then
    n := 0;
    followed := $9 - rows_left;
    return next;
  end if;
end`,
});

export const storeForTenants = functionForTenants(
  storeFunction,
  'outcome.n, outcome.statement_id, outcome.payload, outcome.followed',
);

/** Returns the parameters after the tenant. Each payload is one line, because JSON.stringify writes no line breaks. */
export function storeValues(rows: readonly StatementRow[], followed: number): (string | number)[] {
  const column = (value: (row: StatementRow) => unknown) => `{${rows.map(value).join(',')}}`;
  return [
    column(({ request }) => request),
    column(({ id }) => id),
    rows.map(({ payload }) => payload).join('\n'),
    column(({ bytes }) => bytes),
    rows.map(({ keys }) => `{${keys.join(',')}}`).join('\n'),
    column(({ refers_to }) => refers_to ?? 'null'),
    column(({ voids }) => voids),
    followed,
  ];
}
