import { allActivities } from '../../../../standards/xapi/subjects.ts';
import type { Activity, JsonObject, Statement } from '../../../../standards/xapi/types.ts';
import { isObject } from '../../../../standards/xapi/values.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { mapInSteps } from '../../platform/load/in-steps.ts';
import { partOfState } from '../../platform/node-state.ts';
import { searchKey } from './search-keys.ts';

/** Definitions that this process has stored in the last minute: a course repeats them in every statement. */
const known = partOfState('activity_definitions', () => ({ since: 0, names: new Set<string>() }));
const maxKnown = 20_000;
const knownMilliseconds = 60_000;

const insert = `
insert into activity_definition (tenant_id, activity_key, definition_key, position, activity)
select $1, given.activity_key, given.definition_key, $3, given.activity
from json_to_recordset($2) as given (activity_key uuid, definition_key uuid, activity text)
order by given.activity_key, given.definition_key
on conflict do nothing returning octet_length(activity) as bytes`;

/** `names` are for `rememberDefinitions`. */
type Added = { names: readonly string[]; added: number; bytes: number };

/**
 * Data 2.4.4.1: remembers what statements say about the activities that they can define. Each distinct definition is
 * stored once.
 */
export async function addDefinitions(
  ctx: TenantContext,
  statements: readonly Statement[],
  defines: (activityId: string) => boolean = () => true,
): Promise<Added> {
  const names = recentlyKnown(ctx);
  const rows = new Map<string, { activity_key: string; definition_key: string; activity: string }>();
  const seen = new Set<string>();
  const add = (activity: Activity) => {
    const text = JSON.stringify(activity);
    if (seen.has(text)) return;
    seen.add(text);
    if (Buffer.byteLength(text) > maxDefinitionBytes || !defines(activity.id)) return;
    const definition_key = searchKey('definition', text);
    const name = `${ctx.tenantId} ${definition_key}`;
    if (names.has(name)) return;
    rows.set(name, { activity_key: searchKey('activity', activity.id), definition_key, activity: text });
  };
  await mapInSteps(statements, (statement) => definedActivities(statement).forEach(add));
  if (rows.size === 0) return { names: [], added: 0, bytes: 0 };
  const values = [ctx.tenantId, JSON.stringify([...rows.values()]), ctx.now().getTime() * 1000];
  const added = await run<{ bytes: number }>(ctx, { name: 'add_definitions', text: insert, values });
  return {
    names: [...rows.keys()],
    added: added.length,
    bytes: added.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Called after the commit. */
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

const definedActivities = (statement: Statement) =>
  allActivities(statement).filter(({ definition }) => definition !== undefined);

/** Maximum number of definitions of an activity that are merged. */
const maxDefinitions = 50;
/** A larger definition is stored only with its statement. */
const maxDefinitionBytes = 32 * 1024;
/** For all definitions in a response. */
const maxReadBytes = 4 * 1024 ** 2;

/** Communication 2.5: everything known about the given activities. Newer texts take precedence over older ones. */
export async function readDefinitions(
  ctx: TenantContext,
  ids: readonly string[],
): Promise<Map<string, JsonObject>> {
  const keys = [...new Set(ids)].map((id) => searchKey('activity', id));
  const rows = await run<{ activity: string }>(ctx, {
    text: `select found.activity from (
      select page.activity, page.position, sum(octet_length(page.activity)) over (order by page.position) as sum
      from unnest($2::uuid[]) as wanted (key) cross join lateral (
        select held.activity, held.position from activity_definition held
        where held.tenant_id = $1 and held.activity_key = wanted.key limit ${maxDefinitions}
      ) page
    ) found where found.sum <= ${maxReadBytes} order by found.position`,
    values: [ctx.tenantId, keys],
  });
  const merged = new Map<string, JsonObject>();
  for (const { activity } of rows) {
    const { id, definition = {} } = JSON.parse(activity) as Activity;
    merged.set(id, mergeDefinitions(merged.get(id) ?? {}, definition));
  }
  return merged;
}

/** Language maps are merged; everything else is replaced. */
function mergeDefinitions(older: JsonObject, newer: JsonObject): JsonObject {
  const merged = { ...older };
  for (const [name, value] of Object.entries(newer)) {
    const before = merged[name];
    const isMap = name === 'name' || name === 'description' || name === 'extensions';
    merged[name] = isMap && isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return merged;
}
