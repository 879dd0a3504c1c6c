import type { TenantContext } from './context.ts';

/** A person, including all of their enrolments. */
export type Person = { userId: string; loginId: string; isAdmin: boolean; enrollIds: readonly string[] };

/**
 * One kind of personal data. Each module describes its own tables; erasure receipts and a person's export are
 * built from these descriptions, in their order.
 */
export type PersonalData = {
  /** Its name in receipts, and the member of the exported document. */
  name: string;
  tables: readonly string[];
  /** What is erased, as worded in the receipt; null: nothing. */
  erased: string | null;
  /** What is kept without leading to the person, and why. */
  kept: { what: string; why: string } | null;
  /** Runs in the transaction of the erasure and returns how many records were affected. */
  erase: (ctx: TenantContext, person: Person) => Promise<number>;
  /** All data held, as records for the person to read. */
  read: (ctx: TenantContext, person: Person) => AsyncIterable<object>;
};
