import {
  canonical,
  type Format,
  localizeDefinition,
  withIdsOnly,
} from '../../../../standards/xapi/formats.ts';
import { readLanguages } from '../../../../standards/xapi/languages.ts';
import { allActivities } from '../../../../standards/xapi/subjects.ts';
import { writeInstant } from '../../../../standards/xapi/times.ts';
import type { JsonObject } from '../../../../standards/xapi/types.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { openQueue } from '../../platform/load/queue.ts';
import { readDefinitions } from './activity-definitions.ts';
import { searchKey } from './search-keys.ts';
import { microseconds, statementsLock } from './store-function.ts';
import { type StoredRow, toStatement, toText } from './stored-statement.ts';

export type FoundStatement = StoredRow & { statement_id: string };

/**
 * Reads a statement by its ID. `$3` selects whether it must be voided or must not be (Communication 2.1.3).
 */
const readText = `
select statement.statement_id, statement.payload, statement.position from statement
where statement.tenant_id = $1 and statement.statement_id = $2::uuid and exists (
  select from voided_statement voided where voided.tenant_id = $1 and voided.position = statement.position
) = $3 and ($4::uuid is null or $4 = any (statement.keys))`;

/** If `registration` is not null, the caller may read only statements with this registration. */
export async function readStatementById(
  ctx: TenantContext,
  input: { id: string; voided: boolean; registration: string | null },
): Promise<FoundStatement | null> {
  const key = input.registration === null ? null : searchKey('registration', input.registration);
  const values = [ctx.tenantId, input.id, input.voided, key];
  const [row] = await run<FoundStatement>(ctx, { name: 'read_statement', text: readText, values });
  return row ?? null;
}

const bound = `
select greatest(log.position, case when pg_try_advisory_xact_lock_shared(${statementsLock}) then ${microseconds} end, 0) as position
from (values (1)) as one (row) left join statement_log log on log.tenant_id = $1`;

/**
 * Communication 2.1.3: everything stored up to the returned time can be read. If no write is in progress,
 * this is the current time, because later writes get later times. Otherwise, it is the time of the newest
 * statement. Concurrent requests share a query that starts after all of them.
 */
export function consistentThrough(ctx: TenantContext): Promise<string> {
  return readBound.add(ctx, null);
}

const readBound = openQueue<TenantContext, null, string>({
  name: 'consistent_through',
  run: async (calls) => {
    const { ctx } = calls[0] as (typeof calls)[0];
    const [row] = await run<{ position: number }>(ctx, {
      name: 'consistent_through',
      text: bound,
      values: [ctx.tenantId],
    });
    return calls.map(() => writeInstant(row?.position ?? 0));
  },
});

/** Returns the statements as JSON in the requested format. */
export async function showStatements(
  ctx: TenantContext,
  rows: readonly StoredRow[],
  { format, acceptLanguage }: { format: Format; acceptLanguage: string | undefined },
): Promise<string[]> {
  if (format === 'exact') return rows.map(toText);
  const statements = rows.map(toStatement);
  if (format === 'ids') return statements.map((statement) => JSON.stringify(withIdsOnly(statement)));
  const ids = new Set(statements.flatMap(allActivities).map(({ id }) => id));
  const languages = readLanguages(acceptLanguage);
  const definitionOf = limitedDefinitions(await readDefinitions(ctx, ids), languages);
  return statements.map((statement) => JSON.stringify(canonical(statement, languages, definitionOf)));
}

/**
 * Maximum bytes of definitions in a response. A limit is needed because a statement can mention an activity
 * many times.
 */
const maxDefinitionBytes = 4 * 1024 ** 2;

/**
 * Localizes each definition once. Beyond the limit, statements keep the definitions that they were
 * sent with.
 */
function limitedDefinitions(definitions: ReadonlyMap<string, JsonObject>, languages: readonly string[]) {
  const known = new Map<string, { definition: JsonObject; bytes: number }>();
  let left = maxDefinitionBytes;
  return (id: string): JsonObject | undefined => {
    const found = definitions.get(id);
    if (!found) return undefined;
    const definition = known.get(id)?.definition ?? localizeDefinition(found, languages);
    const bytes = known.get(id)?.bytes ?? Buffer.byteLength(JSON.stringify(definition));
    known.set(id, { definition, bytes });
    left -= bytes;
    return left >= 0 ? definition : undefined;
  };
}
