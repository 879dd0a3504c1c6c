import { createHash } from 'node:crypto';
import { assertFunctionTenantScoped } from './guard/tenant-guard.ts';
import { type Database, run } from './transaction.ts';

type Parts = { name: string; parameters: string; returns: string; body: string };

/**
 * A function in the database, which runs several short statements in one round trip. Its first
 * parameter is the tenant.
 */
export type DatabaseFunction = Parts & {
  /** Ends with a hash of the definition, so that nodes of two versions can use the same database. */
  name: string;
  /** The file in `migrations/functions` without its extension. */
  file: string;
  definition: string;
};

/** The planner expects 100 rows from a call and would read all rows of a tenant instead of looking up a few. */
const lookUpsOnly = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']
  .map((way) => `set enable_${way} = off`)
  .join(' ');

function define(parts: Parts): DatabaseFunction {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
  const name = `${parts.name}_${hash}`;
  const definition = `create or replace function ${name} (${parts.parameters}) returns ${parts.returns}
language plpgsql set plan_cache_mode = force_generic_plan ${lookUpsOnly} as $body$
#variable_conflict use_column
${parts.body.trim()}
$body$;
`;
  return { ...parts, name, file: parts.name, definition };
}

/**
 * `parameters` and `returns` are SQL. The tenant guard checks the statements in `body` (PL/pgSQL), in which
 * `$1` is the tenant. Each statement keeps one plan for all values, because planning costs more than running. The plan
 * looks rows up by an index: without that, a commit costs 107 µs of CPU instead of 45 for a tenant with 3,000 enrolments.
 * `npm run generate` writes `migrations/functions`, which `migrate` applies.
 */
export function databaseFunction(parts: Parts): DatabaseFunction {
  const made = define(parts);
  assertFunctionTenantScoped(made.name, parts.body);
  return made;
}

/** Calls for several tenants in one statement. `isLeftOut` has the tenants whose call changed nothing. */
export type FunctionCalls<R> = { rows: R[]; isLeftOut: (tenantId: string) => boolean };

export type FunctionForTenants = {
  each: DatabaseFunction;
  call: <R extends { n: number }>(
    ctx: { db: Database },
    calls: readonly { ctx: { tenantId: string }; values: readonly unknown[] }[],
  ) => Promise<FunctionCalls<R>>;
};

/**
 * Lets a function be called for several tenants in one round trip and one commit. Each call sees one tenant. They run in
 * the order of the tenants, so that two such statements cannot wait for each other. A call that fails or meets a locked
 * row is undone and left out, for a statement of its own. The time for locks is short, because the tenants before it
 * stay locked meanwhile.
 *
 * The first column of the function's result is the integer `n`; here, it is negative for a tenant that was left out.
 * `columns` is the select list, for the alias `outcome`.
 */
export function functionForTenants(own: DatabaseFunction, columns: string): FunctionForTenants {
  const types = own.parameters.split(', ').slice(1);
  const numbers = types.map((_, at) => at + 2);
  const each = define({
    name: `${own.file}_each`,
    parameters: ['text', ...types].map(() => 'text[]').join(', '),
    returns: own.returns,
    body: `
declare
  own record;
  patience text := '20ms';
begin
  for own in
    select * from unnest($1, ${numbers.map((n) => `$${n}`).join(', ')}) with ordinality
      as each (tenant, ${numbers.map((n) => `v${n}`).join(', ')}, at) order by each.tenant collate "C"
  loop
    perform set_config('lock_timeout', patience, true);
    begin
      return query select * from ${own.name}(own.tenant, ${types.map((type, at) => `own.v${at + 2}::${type}`).join(', ')});
    exception when others then
      patience := '1ms';
      n := -own.at;
      return next;
    end;
  end loop;
end`,
  });
  const parameters = ['$1', ...numbers.map((n) => `$${n}`)].join(', ');
  const ofOne = `select ${columns} from ${own.name}(${parameters}) outcome`;
  const ofSeveral = `/* across tenants: each call of the function sees one tenant */ select ${columns} from ${each.name}(${parameters}) outcome`;
  return {
    each,
    call: async <R extends { n: number }>(
      ctx: { db: Database },
      calls: readonly { ctx: { tenantId: string }; values: readonly unknown[] }[],
    ) => {
      const ids = calls.map(({ ctx }) => ctx.tenantId);
      const [first] = calls;
      if (!first) return { rows: [], isLeftOut: () => false };
      if (calls.length === 1) {
        return { rows: await run<R>(ctx, ofOne, [ids[0], ...first.values]), isLeftOut: () => false };
      }
      const values = [ids, ...types.map((_, at) => calls.map(({ values }) => values[at]))];
      const found = await run<R>(ctx, ofSeveral, values);
      const left = new Set(found.flatMap(({ n }) => (n < 0 ? [ids[-n - 1]] : [])));
      return { rows: found.filter(({ n }) => n >= 0), isLeftOut: (tenantId) => left.has(tenantId) };
    },
  };
}
