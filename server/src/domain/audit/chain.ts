import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { joinTransaction, run, transaction } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { findKey, sign, splitOnce, verify } from '../../infra/keys/key-ring.ts';
import { newId, sha256 } from '../../lib/ids.ts';
import { type AuditAction, auditCatalogue, type NewAudit } from './actions.ts';

/** The chains that must exist according to the deployment's chain, even if all of their entries are missing. */
export type TenantChains = {
  /** Tenants whose chain was started and who have not been deleted since. */
  readonly started: Set<string>;
  /** For each deleted tenant, the number of the entry that records its deletion. */
  readonly deleted: Map<string, number>;
};

export const noChains = (): TenantChains => ({ started: new Set(), deleted: new Map() });

/** Processes an entry of the deployment's chain. Returns a description of what is wrong with it, if anything. */
export function recordChain(
  { started, deleted }: TenantChains,
  { action, target_id, number }: Entry,
): string | null {
  if (target_id === null) return null;
  if (action === 'tenant.deleted') {
    started.delete(target_id);
    deleted.set(target_id, number);
  }
  if (action !== 'audit.began') return null;
  const isTwice = started.has(target_id);
  started.add(target_id);
  return isTwice ? `The trail of ${target_id} was started a second time: the earlier one was removed.` : null;
}

/** Whether the tenant was deleted. If so, its chain may be missing. */
export function isDeleted({ started, deleted }: TenantChains, tenantId: string): boolean {
  return deleted.has(tenantId) && !started.has(tenantId);
}

/** An entry as stored, without its hash. */
export type Content = {
  tenant_id: string;
  audit_id: string;
  number: number;
  at: Date;
  action: string;
  actor: string;
  actor_id: string | null;
  actor_user_id: string | null;
  address: string | null;
  request_id: string | null;
  target: string | null;
  target_id: string | null;
  event_id: string | null;
  data: unknown;
};

export type Entry = Content & { hash: string };

/** The last entry of a chain, as stored in `audit_chain`. */
export type Head = { number: number; at: Date; hash: string; seal: string };

/** Makes the bytes independent of the order in which the database returns members. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, sorted(member)]);
}

function canonical(entry: Content): string {
  const { number, at, ...rest } = entry;
  return JSON.stringify([
    1,
    rest.tenant_id,
    number,
    rest.audit_id,
    at.toISOString(),
    rest.action,
    rest.actor,
    rest.actor_id,
    rest.actor_user_id,
    rest.address,
    rest.request_id,
    rest.target,
    rest.target_id,
    rest.event_id,
    sorted(rest.data),
  ]);
}

/** SHA-256 of the entry and the previous hash ('' for the first). */
export function hashOf(previous: string, entry: Content): string {
  return sha256(`${previous}\n${canonical(entry)}`);
}

const placed = (tenantId: string, number: number, hash: string) => `${tenantId}\0${number}\0${hash}`;

/**
 * Only the service can create a seal. An attacker who can write to the database can compute hashes,
 * but not seals. The seal of the head covers the whole chain.
 */
export function sealHead(ctx: Context, tenantId: string, head: Omit<Head, 'seal' | 'at'>): string {
  return sign(ctx.keys, 'audit-head', placed(tenantId, head.number, head.hash));
}

/** `unknown key` means that the key is no longer in the ring. */
export type Seal = 'genuine' | 'forged' | 'unknown key';

export function checkHead({ keys }: Context, tenantId: string, head: Omit<Head, 'at'>): Seal {
  const { number, hash, seal } = head;
  if (verify(keys, 'audit-head', placed(tenantId, number, hash), seal)) return 'genuine';
  return findKey(keys, splitOnce(seal)[0]) ? 'forged' : 'unknown key';
}

export function isCurrentSeal({ keys }: Context, seal: string): boolean {
  return splitOnce(seal)[0] === keys.keys[0].id;
}

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
  target, target_id, event_id, data, hash)
select $1, made.audit_id, made.number, made.at, made.action, made.actor, made.actor_id, made.actor_user_id,
  made.address, made.request_id, made.target, made.target_id, made.event_id, made.data, made.hash
from jsonb_to_recordset($6::jsonb) as made (audit_id uuid, number bigint, at timestamptz, action text, actor text,
  actor_id text, actor_user_id uuid, address text, request_id text, target text, target_id text, event_id uuid,
  data jsonb, hash text)`;

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

type DataOf<A extends AuditAction> = Extract<NewAudit, { action: A }>['data'];

/** Records an action of `ctx.actor` in the tenant's trail, as `appendAudit` does. */
export function audit<A extends AuditAction>(
  ctx: TenantContext,
  action: A,
  targetId: string | null,
  ...[data]: Record<never, never> extends DataOf<A> ? [data?: DataOf<A>] : [data: DataOf<A>]
): Promise<void> {
  // The parameters are the members of one entry.
  return appendAudit(ctx, ctx.tenantId, { action, targetId, data: data ?? {} } as NewAudit);
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
  return updateOwn({ db: ctx.db, tenantId }, 'audit_chain')
    .set((column) => ({ number: column.ref('number') }))
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
  const entry = await ownRows({ db: ctx.db, tenantId }, 'audit_entry')
    .select(['number', 'at', 'hash'])
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
  await run(ctx, write, [tenantId, number, at, hash, sealHead(ctx, tenantId, last), JSON.stringify(made)]);
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
    made.push({ ...content, hash });
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

/** Starts the deployment's trail, once for each database. A trail that was removed later is not started again. */
export async function startDeploymentTrail(ctx: Context): Promise<void> {
  const isDue = ctx.db.selectFrom('setting').select('name').where('name', '=', 'audit_begins');
  if (!(await isDue.executeTakeFirst())) return;
  await transaction(ctx, async (ctx) => {
    const due = await ctx.db.deleteFrom('setting').where('name', '=', 'audit_begins').executeTakeFirst();
    if (due.numDeletedRows === 0n) return;
    await beginChain(ctx, deployment, { action: 'audit.began', targetId: null, data: {} });
  });
}

/** The deployment's chain lists all other chains, so no chain can be removed unnoticed. */
export function recordChainStart(ctx: Context, tenantId: string): Promise<void> {
  return appendAudit(ctx, deployment, { action: 'audit.began', targetId: tenantId, data: {} });
}
