import type { Context } from '../../platform/context.ts';
import { joinTransaction, run } from '../../platform/db/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { auditCatalogue, type NewAudit } from './actions.ts';
import { type Content, checkHead, type Entry, type Head, hashOf, sealEntry, sealHead } from './chain.ts';

/**
 * The chain of the deployment. It records actions that concern no tenant: those on the catalogue, the
 * operator and backups.
 */
export const deployment = '';

const write = `
with moved as (
  update audit_chain head set number = $2, at = $3, hash = $4, seal = $5 where head.tenant_id = $1
)
insert into audit_entry (tenant_id, audit_id, number, at, action, actor, actor_id, actor_user_id, address, request_id,
  target, target_id, event_id, data, hash, seal)
select $1, made.audit_id, made.number, made.at, made.action, made.actor, made.actor_id, made.actor_user_id,
  made.address, made.request_id, made.target, made.target_id, made.event_id, made.data, made.hash, made.seal
from jsonb_to_recordset($6::jsonb) as made (audit_id uuid, number bigint, at timestamptz, action text, actor text,
  actor_id text, actor_user_id uuid, address text, request_id text, target text, target_id text, event_id uuid,
  data jsonb, hash text, seal text)`;

/**
 * Records an action of `ctx.actor` in the transaction of the change. Write the entry last, because
 * the chain stays locked until the transaction ends. `tenantId` selects the trail. A dry run records nothing, and so it
 * locks nothing.
 */
export async function appendAudit(ctx: Context, tenantId: string, ...entries: NewAudit[]): Promise<void> {
  if (entries.length === 0 || ctx.isDryRun) return;
  await joinTransaction(ctx, async (ctx) => {
    const head = (await lockHead(ctx, tenantId)) ?? (await replaceHead(ctx, tenantId));
    await writeEntries(ctx, tenantId, head, [...findTampering(ctx, tenantId, head), ...entries]);
  });
}

/** Writes the first entry of a chain. Chains start only here: for a new tenant or a new database. */
export async function beginChain(ctx: Context, tenantId: string, entry: NewAudit): Promise<void> {
  await joinTransaction(ctx, async (ctx) => {
    const head = await insertHead(ctx, tenantId, { number: 0, at: ctx.now(), hash: '' });
    if (head) await writeEntries(ctx, tenantId, head, [entry]);
    else await appendAudit(ctx, tenantId, entry);
  });
}

function lockHead(ctx: Context, tenantId: string): Promise<Head | undefined> {
  return ctx.db
    .updateTable('audit_chain')
    .set((column) => ({ number: column.ref('number') }))
    .where('tenant_id', '=', tenantId)
    .returning(['number', 'at', 'hash', 'seal'])
    .executeTakeFirst();
}

function insertHead(ctx: Context, tenantId: string, head: Omit<Head, 'seal'>): Promise<Head | undefined> {
  return ctx.db
    .insertInto('audit_chain')
    .values({ tenant_id: tenantId, ...head, seal: '' })
    .onConflict((conflict) => conflict.column('tenant_id').doNothing())
    .returning(['number', 'at', 'hash', 'seal'])
    .executeTakeFirst();
}

/**
 * Replaces a head that was removed outside the service. The new head has no seal, so every verification reports the
 * next entry.
 */
async function replaceHead(ctx: Context, tenantId: string): Promise<Head> {
  const entry = await ctx.db
    .selectFrom('audit_entry')
    .select(['number', 'at', 'hash'])
    .where('tenant_id', '=', tenantId)
    .orderBy('number', 'desc')
    .orderBy('audit_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const head =
    (await insertHead(ctx, tenantId, entry ?? { number: 0, at: ctx.now(), hash: '' })) ??
    (await lockHead(ctx, tenantId));
  if (!head) throw new Error('The audit chain could not be locked.');
  return head;
}

async function writeEntries(ctx: Context, tenantId: string, head: Head, entries: NewAudit[]): Promise<void> {
  const made = chained(ctx, tenantId, head, entries);
  const last = made.at(-1);
  if (!last) return;
  const { number, at, hash } = last;
  const values = [tenantId, number, at, hash, sealHead(ctx, tenantId, last), JSON.stringify(made)];
  await run(ctx, { name: 'write_audit_entries', text: write, values });
}

/** If a trail was changed outside the service, the service records this in the trail and continues to write to it. */
function findTampering(ctx: Context, tenantId: string, head: Head): NewAudit[] {
  if (checkHead(ctx, tenantId, head) === 'genuine') return [];
  ctx.log.error(
    { tenant: tenantId },
    'the audit trail was changed outside the service, or its signing key is missing',
  );
  return [{ action: 'audit.head_unverified', targetId: null, data: {} }];
}

/** Times in a chain strictly increase, so IDs and numbers have the same order even if the nodes' clocks differ. */
function chained(ctx: Context, tenantId: string, head: Head, entries: NewAudit[]): Entry[] {
  const made: Entry[] = [];
  let { number, hash } = head;
  let time = head.at.getTime();
  for (const entry of entries) {
    number += 1;
    time = number === 1 ? ctx.now().getTime() : Math.max(ctx.now().getTime(), time + 1);
    const content = contentOf(ctx, entry, { tenantId, number, at: new Date(time) });
    hash = hashOf(hash, content);
    made.push({ ...content, hash, seal: sealEntry(ctx, { ...content, hash }) });
  }
  return made;
}

type ChainPosition = { tenantId: string; number: number; at: Date };

function contentOf(ctx: Context, entry: NewAudit, { tenantId, number, at }: ChainPosition): Content {
  const actor = entry.actor ?? ctx.actor;
  const [, target] = auditCatalogue[entry.action];
  return {
    tenant_id: tenantId,
    audit_id: newId(at),
    number,
    at,
    action: entry.action,
    actor: actor.kind,
    actor_id: actor.id,
    actor_user_id: actor.userId,
    address: actor.address,
    request_id: actor.requestId,
    target: entry.targetId === null ? null : target,
    target_id: entry.targetId,
    event_id: entry.eventId ?? null,
    data: entry.data,
  };
}
