import { invalid } from '../../../../standards/xapi/invalid.ts';
import { allActivities } from '../../../../standards/xapi/subjects.ts';
import type { Activity, JsonObject, Statement } from '../../../../standards/xapi/types.ts';
import { isObject } from '../../../../standards/xapi/values.ts';
import { run } from '../../db/transaction.ts';
import { partOfState, type TenantContext } from '../../infra/context/context.ts';
import { exactMembers, parseExact } from '../../lib/exact-json.ts';
import { searchKey } from './stored-statement.ts';

/**
 * Definitions that this process has stored in the last minute. A course repeats its definitions in
 * every statement, so most of them need not be stored again.
 */
const known = partOfState('activity_definitions', () => ({ since: 0, names: new Set<string>() }));
const maxKnown = 20_000;
const knownMilliseconds = 60_000;

const insert = `
insert into activity_definition (tenant_id, activity_key, definition_key, position, activity)
select $1, given.activity_key, given.definition_key, $3, given.activity
from json_to_recordset($2) as given (activity_key uuid, definition_key uuid, activity text)
order by given.activity_key, given.definition_key
on conflict do nothing returning octet_length(activity) as bytes`;

/** `names` is passed to `rememberDefinitions`. */
type Added = { names: readonly string[]; added: number; bytes: number };

/**
 * Data 2.4.4.1: stores the definitions of activities in statements, if the caller may define these
 * activities. Each distinct definition is stored once.
 */
export async function addDefinitions(
  ctx: TenantContext,
  statements: readonly Statement[],
  defines: (activityId: string) => boolean = () => true,
): Promise<Added> {
  const names = recentlyKnown(ctx);
  const rows = new Map<string, { activity_key: string; definition_key: string; activity: string }>();
  for (const [text, id] of definitionsIn(statements)) {
    if (Buffer.byteLength(text) > maxDefinitionBytes || !defines(id)) continue;
    const definition_key = searchKey('definition', text);
    const name = `${ctx.tenantId} ${definition_key}`;
    if (!names.has(name))
      rows.set(name, { activity_key: searchKey('activity', id), definition_key, activity: text });
  }
  if (rows.size === 0) return { names: [], added: 0, bytes: 0 };
  const values = [ctx.tenantId, JSON.stringify([...rows.values()]), ctx.now().getTime() * 1000];
  const added = await run<{ bytes: number }>(ctx, insert, values);
  return {
    names: [...rows.keys()],
    added: added.length,
    bytes: added.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Must be called after the commit: definitions that were rolled back must be stored again. */
export function rememberDefinitions(ctx: TenantContext, added: Pick<Added, 'names'>): void {
  const names = recentlyKnown(ctx);
  for (const name of added.names) names.add(name);
}

function recentlyKnown(ctx: TenantContext): Set<string> {
  const state = known(ctx);
  const now = ctx.now().getTime();
  if (state.names.size > maxKnown || Math.abs(now - state.since) > knownMilliseconds) {
    state.names.clear();
    state.since = now;
  }
  return state.names;
}

/** Returns the distinct definitions, each mapped to the ID of its activity. */
function definitionsIn(statements: readonly Statement[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const activity of statements.flatMap(allActivities))
    if (activity.definition !== undefined) found.set(JSON.stringify(activity), activity.id);
  return found;
}

/** Maximum number of definitions in a request, because each takes a row. */
const maxDefinitionsOfRequest = 1_000;

export function checkDefinitions(statements: readonly Statement[]): void {
  const { size } = definitionsIn(statements);
  if (size > maxDefinitionsOfRequest)
    invalid(
      'The body',
      `contains more than ${maxDefinitionsOfRequest} different definitions of activities. Split it into several requests.`,
    );
}

/** Maximum number of definitions of an activity that are merged. */
const maxDefinitions = 50;
/** A larger definition is stored only with its statement. */
const maxDefinitionBytes = 32 * 1024;
/** Maximum bytes of all definitions in a response. Older definitions are left out. */
const maxReadBytes = 1024 ** 2;
/**
 * Maximum number of activities with merged definitions in a response. Further activities keep the
 * definitions that they were sent with.
 */
const maxActivities = 2_000;
/** A single database statement reads at most 5,000 definitions. */
const activitiesPerRead = 100;

/** The order makes PostgreSQL use the primary key. Otherwise it may read the whole table for each activity. */
const read = `select found.activity from (
  select page.activity, page.position, sum(octet_length(page.activity)) over (order by page.position desc) as sum
  from unnest($2::uuid[]) as wanted (key) cross join lateral (
    select definition.activity, definition.position from activity_definition definition
    where definition.tenant_id = $1 and definition.activity_key = wanted.key
    order by definition.tenant_id, definition.activity_key, definition.definition_key limit ${maxDefinitions}
  ) page
) found where found.sum <= $3 order by found.position`;

/**
 * Communication 2.5: returns everything known about the given activities. Newer texts take
 * precedence over older ones.
 */
export async function readDefinitions(
  ctx: TenantContext,
  ids: ReadonlySet<string>,
): Promise<Map<string, JsonObject>> {
  const some = [...ids].slice(0, maxActivities);
  const keys = some.map((id) => searchKey('activity', id));
  const merged = new Map<string, JsonObject>();
  let left = maxReadBytes;
  for (let at = 0; at < keys.length && left > 0; at += activitiesPerRead) {
    const values = [ctx.tenantId, keys.slice(at, at + activitiesPerRead), left];
    const rows = await run<{ activity: string }>(ctx, read, values);
    for (const { activity } of rows) {
      left -= Buffer.byteLength(activity);
      const { id, definition = {} } = parseExact(activity) as Activity;
      const known = merged.get(id) ?? withoutPrototype();
      merged.set(id, known);
      mergeInto(known, definition);
    }
  }
  return merged;
}

/** Creates an object to which any name can be assigned, even `__proto__`. */
const withoutPrototype = (): JsonObject => Object.create(null);

/**
 * Merges language maps and extensions, and replaces everything else. Changes `known` in place,
 * because copying it each time would take quadratic time.
 */
function mergeInto(known: JsonObject, newer: JsonObject): void {
  for (const [name, value] of Object.entries(newer)) {
    const isMap = name === 'name' || name === 'description' || name === 'extensions';
    if (!isMap || !isObject(value)) {
      known[name] = value;
      continue;
    }
    const before = known[name];
    known[name] = Object.assign(isObject(before) ? before : withoutPrototype(), exactMembers(value));
  }
}
