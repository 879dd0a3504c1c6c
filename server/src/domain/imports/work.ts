import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { run, transaction } from '../../db/transaction.ts';
import { type Context, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { deleteByTenant } from '../../infra/operations/delete-by-tenant.ts';
import { isServed, serveInTurns } from '../../infra/operations/jobs.ts';
import { type Facts, readFacts } from './facts.ts';
import { countResults, processRows } from './process-rows.ts';
import {
  type ImportLine,
  type ImportRecord,
  keptMs,
  lineOf,
  type RowResult,
  type RowUndo,
  recordOf,
} from './record.ts';
import { noCounts } from './start.ts';
import { countUndos, hasEffect, type RemoveUser, undoRow } from './undo-rows.ts';

/** As many rows as one statement of the bulk calls processes. */
const batchSize = 200;
/** An undo takes several statements for each row. */
const undoSize = 20;
/** Other imports of the tenant, and other tenants, get their turn after this time. */
const turnMs = 5_000;
/** A request answers after this time, whatever is left for the job. */
export const requestMs = 1_000;
/** A claim not renewed for this long belongs to a process that died. */
const claimSeconds = 60;

const claimText = `
update import held set claimed_until = $2::timestamptz + make_interval(secs => ${claimSeconds})
where held.tenant_id = $1 and held.import_id = (
  select open.import_id from import open
  where open.tenant_id = $1 and open.status in ('planning', 'applying', 'undoing')
    and (open.claimed_until is null or open.claimed_until <= $2)
  order by open.import_id limit 1 for update skip locked
)
returning held.*`;

const storeOf = (column: 'plan' | 'result' | 'undo') => `
update import_row held set ${column} = sent.value, nearest = coalesce(sent.nearest, held.nearest)
from jsonb_to_recordset($3::jsonb) as sent (line integer, value jsonb, nearest text)
where held.tenant_id = $1 and held.import_id = $2 and held.line = sent.line`;

const columns = { planning: 'plan', applying: 'result', undoing: 'undo' } as const;
const following = { planning: 'planned', applying: 'applied', undoing: 'undone' } as const;
type Phase = keyof typeof columns;

type Done = {
  lines: ImportLine[];
  values: (RowResult | RowUndo)[];
  counts: Partial<Pick<ImportRecord, 'counts' | 'undo_counts'>>;
};

async function nextLines(ctx: TenantContext, record: ImportRecord, limit: number): Promise<ImportLine[]> {
  const rows = await ownRows(ctx, 'import_row', { import_id: record.import_id })
    .selectAll()
    .where('line', '>', record.line)
    .orderBy('line')
    .limit(limit)
    .execute();
  return rows.map(lineOf);
}

/** Processes the next rows, up to the first one that the service was too busy for. */
async function workBatch(
  ctx: TenantContext,
  { record, facts, phase }: { record: ImportRecord; facts: Facts | null; phase: Phase },
  removeUser: RemoveUser,
): Promise<Done & { isLast: boolean }> {
  const size = phase === 'undoing' ? undoSize : batchSize;
  const lines = await nextLines(ctx, record, size);
  const isLast = lines.length < size;
  if (phase === 'undoing') {
    const undone: [ImportLine, RowUndo][] = [];
    for (const line of lines.filter(hasEffect))
      undone.push([line, await undoRow(ctx, { record, line }, removeUser)]);
    const values = undone.map(([, undo]) => undo);
    const before = record.undo_counts ?? {
      Rows: 0,
      Done: 0,
      UsersRemoved: 0,
      UsersRestored: 0,
      EnrolmentsWithdrawn: 0,
      Kept: 0,
    };
    return { lines, values, counts: { undo_counts: countUndos(before, values) }, isLast };
  }
  const input = { record, facts: facts as Facts, plan: phase === 'planning' };
  const results = lines.length === 0 ? [] : await processRows(ctx, input, lines);
  const busy = results.indexOf(null);
  const values = (busy < 0 ? results : results.slice(0, busy)).filter((one) => one !== null);
  const counts = { counts: countResults(record.counts, values) };
  return { lines: lines.slice(0, values.length), values, counts, isLast: isLast && busy < 0 };
}

/** Stores what came of the rows together with the place where the next batch begins. */
async function store(
  ctx: TenantContext,
  { record, phase, done }: { record: ImportRecord; phase: Phase; done: Done & { isLast: boolean } },
): Promise<ImportRecord> {
  const { lines, values, counts, isLast } = done;
  const of = phase === 'undoing' ? lines.filter(hasEffect) : lines;
  const sent = of.map(({ line }, at) => {
    const value = values[at];
    return { line, value, nearest: value && 'nearest' in value ? value.nearest : null };
  });
  // An import without Plan is applied as soon as it is planned.
  const goesOn = phase === 'planning' && record.is_automatic;
  const status = !isLast ? phase : goesOn ? 'applying' : following[phase];
  const begins = isLast && goesOn;
  const place = {
    status,
    line: begins ? 0 : (lines.at(-1)?.line ?? record.line),
    claimed_until: isLast ? null : new Date(ctx.now().getTime() + claimSeconds * 1000),
    ...(isLast && phase === 'applying' ? { applied_at: tenantNow(ctx) } : {}),
  };
  const after = begins ? { counts: noCounts(record.counts.Rows) } : counts;
  await transaction(ctx, async (ctx) => {
    const column = columns[phase];
    await run(ctx, storeOf(column), [ctx.tenantId, record.import_id, JSON.stringify(sent)]);
    await updateOwn(ctx, 'import', { import_id: record.import_id })
      .set({
        ...place,
        ...(after.counts && { counts: JSON.stringify(after.counts) }),
        ...(after.undo_counts && { undo_counts: JSON.stringify(after.undo_counts) }),
      })
      .execute();
  });
  return { ...record, ...place, ...after };
}

const isPhase = (status: string): status is Phase => status in columns;

/**
 * Works on the tenant's next open import for a short time, with the rights of its caller. Returns whether there was one.
 * A batch that was interrupted is repeated, which changes nothing: each row's outcome was stored with its effect.
 */
export async function workNext(ctx: TenantContext, removeUser: RemoveUser, ms = turnMs): Promise<boolean> {
  const [claimed] = await run<Parameters<typeof recordOf>[0]>(ctx, claimText, [ctx.tenantId, ctx.now()]);
  if (!claimed) return false;
  let record = recordOf(claimed);
  const own: TenantContext = { ...ctx, actor: record.actor, scopes: record.scopes ?? undefined };
  const end = performance.now() + ms;
  while (isPhase(record.status) && performance.now() < end && !ctx.load.draining) {
    const phase = record.status;
    const facts = phase === 'undoing' ? null : await readFacts(own, record);
    while (record.status === phase && performance.now() < end && !ctx.load.draining) {
      const done = await workBatch(own, { record, facts, phase }, removeUser);
      if (done.lines.length === 0 && !done.isLast) break;
      record = await store(own, { record, phase, done });
    }
  }
  if (isPhase(record.status))
    await updateOwn(ctx, 'import', { import_id: record.import_id }).set({ claimed_until: null }).execute();
  return true;
}

const openText = `/* across tenants: imports of all tenants */
select held.tenant_id from import held
join tenant client on client.tenant_id = held.tenant_id and client.status = 'active'
where held.status in ('planning', 'applying', 'undoing') and (held.claimed_until is null or held.claimed_until <= $3)
  and held.tenant_id <> all($1::text[]) and ${isServed('held.tenant_id', '$2')}
group by held.tenant_id order by min(held.created_at) limit 50`;

/** Job: works on the imports of all tenants in turns. */
export const workImports = (ctx: Context, removeUser: RemoveUser): Promise<void> =>
  serveInTurns(ctx, {
    name: 'open_imports',
    text: openText,
    values: () => [ctx.now()],
    work: (ctx) => workNext(ctx, removeUser),
  });

const findOld = `/* across tenants: imports are deleted in all tenants */
select tenant_id, jsonb_build_object('import_id', import_id) as key from import
where created_at <= $1 and tenant_id <> all($3::text[]) and ${isServed('tenant_id', '$4')} order by created_at limit $2`;

const removeOld = `
delete from import where tenant_id = $1 and import_id in (
  select held.import_id from import held join jsonb_to_recordset($2) as old (import_id uuid) on held.import_id = old.import_id
  where held.tenant_id = $1 and held.created_at <= $3 for update of held skip locked
) returning 1`;

const findUnread = findOld.replace('created_at <= $1', `created_at <= $1 and status = 'reading'`);
const dayMs = 86_400_000;

/** Job: deletes old imports with their rows, and those whose upload was interrupted. */
export async function deleteOldImports(ctx: Context): Promise<void> {
  const before = (ms: number) => new Date(ctx.now().getTime() - ms);
  const texts = { find: findOld, remove: removeOld, max: 10 };
  await deleteByTenant(ctx, { ...texts, until: before(keptMs) });
  await deleteByTenant(ctx, { ...texts, find: findUnread, until: before(dayMs) });
}
