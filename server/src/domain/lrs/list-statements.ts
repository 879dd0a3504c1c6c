import { identityOf } from '../../../../standards/xapi/actors.ts';
import {
  canonical,
  type Format,
  localizeDefinition,
  withIdsOnly,
} from '../../../../standards/xapi/formats.ts';
import { invalid } from '../../../../standards/xapi/invalid.ts';
import { readLanguages } from '../../../../standards/xapi/languages.ts';
import { allActivities } from '../../../../standards/xapi/subjects.ts';
import { writeInstant } from '../../../../standards/xapi/times.ts';
import type { JsonObject } from '../../../../standards/xapi/types.ts';
import { type Condition, pageSql } from '../../db/page.ts';
import { type Parameters, parametersAfter, run, runUnprepared } from '../../db/transaction.ts';
import { openQueue } from '../../infra/calls/queue.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { readDefinitions } from './activity-definitions.ts';
import {
  agentParameter,
  instantParameter,
  iriParameter,
  type LrsRequest,
  truthParameter,
  uuidParameter,
} from './lrs-request.ts';
import { microseconds, statementsLock } from './store-function.ts';
import { type StoredRow, searchKey, toStatement, toText } from './stored-statement.ts';

/** The position after which a page begins, as an opaque string. */
export function writeCursor(position: number): string {
  return Buffer.from(`statements ${position}`).toString('base64url');
}

export function readCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const [, position] = /^statements (\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  return position === undefined
    ? invalid('cursor', 'is not valid. Start again without it.')
    : Number(position);
}

/**
 * Communication 2.1.3: the filters of GET statements. A statement must have one of the keys in each member of
 * `alternatives`.
 */
type StatementFilter = {
  alternatives: string[][];
  /** In microseconds since 1970. */
  since: number | null;
  until: number | null;
  ascending: boolean;
  limit: number;
  format: Format;
  attachments: boolean;
};

/** The parameter that the LRS adds to the link to the next page. */
export const cursorParameter = 'cursor';

export const listParameters = [
  'agent',
  'verb',
  'activity',
  'registration',
  'related_activities',
  'related_agents',
  'since',
  'until',
  'limit',
  'format',
  'attachments',
  'ascending',
] as const;

export const singleParameters = ['statementId', 'voidedStatementId', 'format', 'attachments'];

/** Communication 2.1.3: 0 means as many as the server allows. */
const maxLimit = 200;

function readLimit(value: string | undefined): number {
  if (value === undefined) return maxLimit;
  if (!/^\d{1,9}$/.test(value)) invalid('limit', 'must be a non-negative integer.');
  return Math.min(Number(value) || maxLimit, maxLimit);
}

export function readFormat(value = 'exact'): Format {
  if (value === 'exact' || value === 'ids' || value === 'canonical') return value;
  return invalid('format', 'must be ids, exact or canonical.');
}

export function readFilter({ parameters, caller }: LrsRequest): StatementFilter {
  const relatedAgents = truthParameter(parameters, 'related_agents');
  const relatedActivities = truthParameter(parameters, 'related_activities');
  const agent = agentParameter(parameters);
  const verb = iriParameter(parameters, 'verb');
  const activity = iriParameter(parameters, 'activity');
  const registration = uuidParameter(parameters, 'registration');
  const alternatives: string[][] = [];
  if (caller.kind === 'au') alternatives.push([searchKey('registration', caller.session.registration)]);
  if (registration !== null) alternatives.push([searchKey('registration', registration)]);
  if (agent !== null) {
    const identity = identityOf(agent) ?? '';
    alternatives.push([
      searchKey('agent', identity),
      ...(relatedAgents ? [searchKey('related agent', identity)] : []),
    ]);
  }
  if (activity !== null)
    alternatives.push([
      searchKey('activity', activity),
      ...(relatedActivities ? [searchKey('related activity', activity)] : []),
    ]);
  if (verb !== null) alternatives.push([searchKey('verb', verb)]);
  return {
    alternatives,
    since: instantParameter(parameters, 'since'),
    until: instantParameter(parameters, 'until'),
    ascending: truthParameter(parameters, 'ascending'),
    limit: readLimit(parameters.limit),
    format: readFormat(parameters.format),
    attachments: truthParameter(parameters, 'attachments'),
  };
}

type StatementPage = {
  rows: (StoredRow & { statement_id: string })[];
  /** Where the next page begins; null if this is the last one. */
  next: number | null;
};

/** If `payload` is null, the statement does not fit on the page. */
type Found = { position: number; statement_id: string; payload: string | null };

/** Maximum bytes of a page with its attachments. Pages end early so that they fit into memory. */
const maxPageBytes = 4 * 1024 ** 2;

/**
 * Communication 2.1.3. The keys of a statement also apply to statements that refer to it, so all
 * keys of a match must come from the same source. A position is the time at which a statement was
 * stored.
 */
export async function listStatements(
  ctx: TenantContext,
  filter: StatementFilter,
  after: number | null,
): Promise<StatementPage> {
  const parameters = parametersAfter(ctx.tenantId);
  const text = showText(positionsSql(filter, after, parameters), filter);
  const found = await runUnprepared<Found>(ctx, text, parameters.values);
  const page = found.filter(isShown);
  const hasMore = found.length > page.length;
  return { rows: page, next: (hasMore ? page.at(-1)?.position : null) ?? null };
}

const isShown = (row: Found): row is Found & StatementPage['rows'][number] => row.payload !== null;

/**
 * SQL for the positions of the first statements after the previous page, one more than wanted. The rows of each key are
 * in the order of their index.
 */
function positionsSql(filter: StatementFilter, after: number | null, parameters: Parameters): string {
  const { ascending, limit } = filter;
  const [keys, ...others] = filter.alternatives;
  const list = { values: [], key: ['position'], after: startOf(filter, after), newest: !ascending };
  const where = [...periodOf(filter), isNotVoided];
  if (!keys)
    return pageSql(
      { ...list, rows: 'statement held where held.tenant_id = $1', where },
      limit + 1,
      parameters,
      'held.position',
    );
  const rows = 'statement_match held where held.tenant_id = $1';
  const ofKeys = keys.map((key) => {
    const isKey: Condition = ({ add }) => `held.key = ${add(key)}::uuid`;
    const own = { ...list, rows, where: [isKey, ...others.map(hasKey), ...where] };
    return `(${pageSql(own, limit + 1, parameters, 'distinct held.position')})`;
  });
  return `select distinct held.position from (${ofKeys.join(' union all ')}) held
    order by held.position ${ascending ? 'asc' : 'desc'} limit ${limit + 1}`;
}

/** The position after which the page begins: the end of the previous page, or the bound of the period. */
function startOf({ since, until, ascending }: StatementFilter, after: number | null): [number] | null {
  if (after !== null) return [after];
  if (ascending) return since === null ? null : [since];
  return until === null ? null : [until + 1];
}

function periodOf({ since, until }: StatementFilter): Condition[] {
  const conditions: Condition[] = [];
  if (since !== null) conditions.push(({ add }) => `held.position > ${add(since)}::bigint`);
  if (until !== null) conditions.push(({ add }) => `held.position <= ${add(until)}::bigint`);
  return conditions;
}

const hasKey =
  (keys: readonly string[]): Condition =>
  ({ add }) =>
    `exists (select from statement_match other where other.tenant_id = $1 and other.key = any (${add(keys)}::uuid[])
      and other.position = held.position and other.source = held.source)`;

const isNotVoided: Condition = () =>
  `not exists (select from voided_statement voided
    where voided.tenant_id = $1 and voided.position = held.position)`;

/** Reads the payloads of the first statements that fit, but at least one. */
function showText(positions: string, { ascending, limit }: StatementFilter): string {
  const order = `order by held.position ${ascending ? 'asc' : 'desc'}`;
  return `
select held.position, held.statement_id,
  case when held.shown <= ${limit} and held.sum - held.bytes <= ${maxPageBytes} then held.payload end as payload
from (
  select own.position, own.statement_id, own.payload, own.bytes,
    count(*) over so_far as shown, sum(own.bytes) over so_far as sum
  from (${positions}) held
  cross join lateral (
    select found.position, found.statement_id, found.payload, found.bytes from statement found
    where found.tenant_id = $1 and found.position = held.position limit 1
  ) own
  window so_far as (${order})
) held ${order}`;
}

export type FoundStatement = StoredRow & { statement_id: string };

/** Reads a statement by its ID. `$3` selects whether it must be voided or must not be (Communication 2.1.3). */
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
  const [row] = await run<FoundStatement>(ctx, readText, [ctx.tenantId, input.id, input.voided, key]);
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
    const [row] = await run<{ position: number }>(ctx, bound, [ctx.tenantId]);
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

/** Localizes each definition once. Beyond the limit, statements keep the definitions that they were sent with. */
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
