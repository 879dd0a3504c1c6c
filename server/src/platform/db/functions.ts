import { createHash } from 'node:crypto';
import { assertFunctionTenantScoped } from './guard/tenant-guard.ts';

/**
 * A function in the database, which runs several short statements in one round trip. Its first
 * parameter is the tenant.
 */
export type DatabaseFunction = {
  /** Ends with a hash of the definition, so that nodes of two versions can use the same database. */
  name: string;
  /** The file in `migrations/functions` without its extension. */
  file: string;
  body: string;
  definition: string;
};

/**
 * `parameters` and `returns` are SQL. The tenant guard checks the statements in `body` (PL/pgSQL), in which
 * `$1` is the tenant. Each statement keeps one plan for all values, because planning costs more than running.
 * `npm run generate` writes `migrations/functions`, which `migrate` applies.
 */
export function databaseFunction(parts: {
  name: string;
  parameters: string;
  returns: string;
  body: string;
}): DatabaseFunction {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
  const name = `${parts.name}_${hash}`;
  assertFunctionTenantScoped(name, parts.body);
  const definition = `create or replace function ${name} (${parts.parameters}) returns ${parts.returns}
language plpgsql set plan_cache_mode = force_generic_plan as $body$
#variable_conflict use_column
${parts.body.trim()}
$body$;
`;
  return { name, file: parts.name, body: parts.body, definition };
}
