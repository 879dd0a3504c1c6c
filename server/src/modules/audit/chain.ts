import type { Context } from '../../platform/context.ts';
import { sha256 } from '../../platform/ids.ts';
import { findKey } from '../../platform/keys/key-ring.ts';
import { sign, splitOnce, verify } from '../../platform/keys/signing.ts';

/** An entry as stored, without its hash and seal. */
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

export type Entry = Content & { hash: string; seal: string };

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
 * but not seals.
 */
export function sealEntry(ctx: Context, entry: Content & { hash: string }): string {
  return sign(ctx.keys, 'audit', placed(entry.tenant_id, entry.number, entry.hash));
}

/**
 * The head has a separate purpose, so an entry's seal cannot be reused for the head of a truncated
 * trail.
 */
export function sealHead(ctx: Context, tenantId: string, head: Omit<Head, 'seal' | 'at'>): string {
  return sign(ctx.keys, 'audit-head', placed(tenantId, head.number, head.hash));
}

/** `unknown key` means that the key is no longer in the ring. */
export type Seal = 'genuine' | 'forged' | 'unknown key';

export function checkEntry(ctx: Context, entry: Entry): Seal {
  return check(ctx, 'audit', entry.tenant_id, entry);
}

export function checkHead(ctx: Context, tenantId: string, head: Omit<Head, 'at'>): Seal {
  return check(ctx, 'audit-head', tenantId, head);
}

function check(
  { keys }: Context,
  purpose: 'audit' | 'audit-head',
  tenantId: string,
  { number, hash, seal }: Omit<Head, 'at'>,
): Seal {
  if (verify(keys, purpose, placed(tenantId, number, hash), seal)) return 'genuine';
  return findKey(keys, splitOnce(seal)[0]) ? 'forged' : 'unknown key';
}

/** Whether the seal was made with the current signing key. */
export function isCurrentSeal({ keys }: Context, seal: string): boolean {
  return splitOnce(seal)[0] === keys.keys[0].id;
}
