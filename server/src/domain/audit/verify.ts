import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { run, transaction } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import { isServed, servedTenants } from '../../infra/operations/jobs.ts';
import { recordRotation } from '../../infra/operations/open-keys.ts';
import {
  appendAudit,
  checkHead,
  deployment,
  type Entry,
  type Head,
  hashOf,
  isCurrentSeal,
  isDeleted,
  noChains,
  recordChain,
  sealHead,
  type TenantChains,
} from './chain.ts';

/** A defect in a chain, reported at the first entry that shows it. */
type ChainDefect = { Number: number | null; Reason: string };

type CheckedChain = {
  /** Null for the deployment's chain. */
  TenantID: string | null;
  Entries: number;
  /**
   * The hash of the last entry. A copy stored elsewhere can later prove that no entry up to this one was
   * changed or removed.
   */
  Hash: string;
  Break: ChainDefect | null;
};

/** These fields of a chain's result from an earlier verification. */
export type KnownHead = Pick<CheckedChain, 'TenantID' | 'Entries' | 'Hash'>;

const page = 500;

const read = `
select audit_entry.* from audit_entry
where audit_entry.tenant_id = $1 and (audit_entry.number, audit_entry.audit_id) > ($2, $3::uuid)
order by audit_entry.number, audit_entry.audit_id limit ${page}`;

async function* entriesOf(ctx: Context, tenantId: string): AsyncGenerator<Entry> {
  let place: [number, string] | null = [Number.MIN_SAFE_INTEGER, '00000000-0000-0000-0000-000000000000'];
  while (place) {
    const rows: Entry[] = await run<Entry>(ctx, read, [tenantId, ...place]);
    yield* rows;
    const last = rows.length === page ? rows.at(-1) : undefined;
    place = last ? [last.number, last.audit_id] : null;
  }
}

function breakAt(entry: Entry, before: { number: number; hash: string }): ChainDefect | null {
  const broken = (Reason: string) => ({ Number: entry.number, Reason });
  if (entry.number !== before.number + 1)
    return broken(`Entry ${before.number + 1} is missing, or an entry was inserted.`);
  if (hashOf(before.hash, entry) !== entry.hash)
    return broken('The hash does not match: this entry or an earlier one was changed.');
  if (entry.action === 'audit.head_unverified')
    return broken('The end of the trail had already been changed when the service wrote this entry.');
  return null;
}

function breakAtEnd(
  ctx: Context,
  tenantId: string,
  head: Head | null,
  last: ChainPosition,
): ChainDefect | null {
  const broken = (Reason: string) => ({ Number: null, Reason });
  if (!head) return broken('The head of the chain is missing.');
  if (head.number !== last.number || head.hash !== last.hash)
    return broken(
      `The head refers to entry ${head.number}, but the last entry is ${last.number}: the end was cut off.`,
    );
  if (last.number === 0) return broken('The chain is empty: its entries were removed.');
  const seal = checkHead(ctx, tenantId, head);
  if (seal === 'forged')
    return broken('The seal of the head does not match: the end of the chain was cut off or replaced.');
  if (seal === 'unknown key')
    return broken('The key that sealed the head is not in the key ring, so the chain cannot be verified.');
  return null;
}

type ChainPosition = { number: number; hash: string };

/** A tenant's chain starts with its creation. */
const isBeginning = ({ number, action }: Entry) =>
  action === 'audit.began' || (number === 1 && action === 'tenant.created');

async function checkChain(
  ctx: Context,
  tenantId: string,
  known: readonly KnownHead[],
  note: (entry: Entry) => string | null = () => null,
): Promise<CheckedChain> {
  const head = await ownRows({ db: ctx.db, tenantId }, 'audit_chain')
    .select(['number', 'at', 'hash', 'seal'])
    .executeTakeFirst();
  let last: ChainPosition = { number: 0, hash: '' };
  let first: ChainDefect | null = null;
  let hasBeginning = false;
  const expected = new Map(known.map(({ Entries, Hash }) => [Entries, Hash]));
  for await (const entry of entriesOf(ctx, tenantId)) {
    // Entries written after the head was read are left for the next verification.
    if (head && entry.number > head.number && last.hash === head.hash) break;
    first ??= breakAt(entry, last);
    const hash = expected.get(entry.number);
    if (hash !== undefined && hash !== entry.hash)
      first ??= { Number: entry.number, Reason: 'The hash differs from the one verified earlier.' };
    expected.delete(entry.number);
    hasBeginning ||= isBeginning(entry);
    const wrong = note(entry);
    if (wrong !== null) first ??= { Number: entry.number, Reason: wrong };
    last = { number: entry.number, hash: entry.hash };
  }
  first ??= breakAtEnd(ctx, tenantId, head ?? null, last);
  if (!hasBeginning) first ??= { Number: 1, Reason: 'The chain does not begin with its start entry.' };
  const [missing] = [...expected.keys()].filter((number) => number > 0);
  if (missing !== undefined)
    first ??= { Number: missing, Reason: 'The entry existed when the trail was last verified.' };
  return {
    TenantID: tenantId === '' ? null : tenantId,
    Entries: last.number,
    Hash: last.hash,
    Break: first,
  };
}

/**
 * The chains of existing tenants, and any entries left over from other chains. Each chain must be complete unless its
 * tenant was deleted.
 */
async function chainsToCheck(ctx: Context, tenantChains: TenantChains): Promise<Set<string>> {
  const rows = await run<{ tenant_id: string; is_live: boolean }>(
    ctx,
    `/* across tenants: verification reads all chains */
      select tenant.tenant_id, tenant.status <> 'deleting' as is_live from tenant
      union select head.tenant_id, false from audit_chain head
      union select entry.tenant_id, false from audit_entry entry`,
  );
  const there = rows.filter(({ tenant_id, is_live }) => is_live || !isDeleted(tenantChains, tenant_id));
  return new Set([...tenantChains.started, ...there.map(({ tenant_id }) => tenant_id)].sort());
}

/**
 * Checks all chains that must exist. A chain that an earlier verification listed may be missing if its tenant has been
 * deleted since.
 */
export async function verifyAudit(
  ctx: Context,
  input: { known?: readonly KnownHead[] } = {},
): Promise<{ Intact: boolean; Chains: CheckedChain[] }> {
  const { known = [] } = input;
  const tenantChains = noChains();
  const knownOf = (tenantId: string) => known.filter((head) => (head.TenantID ?? deployment) === tenantId);
  const ofDeployment = knownOf(deployment);
  const Chains = [
    await checkChain(ctx, deployment, ofDeployment, (entry) => recordChain(tenantChains, entry)),
  ];
  const seen = Math.max(0, ...ofDeployment.map(({ Entries }) => Entries));
  const isOld = (tenantId: string) => (tenantChains.deleted.get(tenantId) ?? 0) > seen;
  const expected = known.filter(({ TenantID }) => TenantID !== null && !isOld(TenantID));
  const all = await chainsToCheck(ctx, tenantChains);
  for (const { TenantID } of expected) if (TenantID !== null) all.add(TenantID);
  all.delete(deployment);
  for (const tenantId of all)
    Chains.push(await checkChain(ctx, tenantId, isOld(tenantId) ? [] : knownOf(tenantId)));
  return { Intact: Chains.every((chain) => chain.Break === null), Chains };
}

const headsText = `/* across tenants: the heads of all audit chains are sealed with the current key */
select head.tenant_id, head.number, head.hash, head.seal from audit_chain head where head.number > 0 and ${isServed('head.tenant_id', '$1')}`;

/**
 * Seals the heads of all chains with the first key in the ring, so that older keys can then be removed. Called before a node serves requests.
 */
export async function renewSeals(ctx: Context): Promise<void> {
  const heads = await run<Head & { tenant_id: string }>(ctx, headsText, [await servedTenants(ctx)]);
  for (const { tenant_id, seal } of heads) if (!isCurrentSeal(ctx, seal)) await renew(ctx, tenant_id);
}

async function renew(ctx: Context, tenantId: string): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const head = await ownRows({ db: ctx.db, tenantId }, 'audit_chain')
      .selectAll()
      .forUpdate()
      .executeTakeFirst();
    // A head that fails verification is left unchanged; the next entry reports it.
    if (!head || checkHead(ctx, tenantId, head) !== 'genuine') return;
    await updateOwn({ db: ctx.db, tenantId }, 'audit_chain')
      .set({ seal: sealHead(ctx, tenantId, head) })
      .execute();
  });
}

/**
 * The command line rotates the key file without access to the database, so the first node that loads the new key
 * records the rotation.
 */
export function auditRotation(ctx: Context): Promise<void> {
  return recordRotation(ctx, (ctx, KeyID) =>
    appendAudit(ctx, deployment, { action: 'signing_keys.rotated', targetId: null, data: { KeyID } }),
  );
}
