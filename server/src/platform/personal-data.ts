import type { TenantContext } from './context.ts';

/** Whose data it is, with all of their enrolments. */
export type Person = { userId: string; loginId: string; isAdmin: boolean; enrollIds: readonly string[] };

/**
 * One kind of data held of a person. Each module tells of its own tables; the receipt of an erasure and the export of
 * a person are made from these, in their order.
 */
export type PersonalData = {
  /** In receipts, and the member of the exported document. */
  name: string;
  tables: readonly string[];
  /** What goes, as the receipt says it; null: nothing does. */
  erased: string | null;
  /** What stays without pointing at the person, and why. */
  kept: { what: string; why: string } | null;
  /** Runs in the transaction of the erasure and answers how many records it concerned. */
  erase: (ctx: TenantContext, person: Person) => Promise<number>;
  /** Everything that is held, as records for the person to read. */
  read: (ctx: TenantContext, person: Person) => AsyncIterable<object>;
};
