import type { TenantContext } from './context.ts';
import type { Place } from './keyset.ts';

/** Whose data it is. A person may have any number of enrolments: they are read a page at a time. */
export type Person = {
  userId: string;
  loginId: string;
  isAdmin: boolean;
  enrolments: () => AsyncIterable<string>;
};

/** Rows that an erasure changes in one statement: others go between two of them. */
export const portionRows = 300;

/** Of one user, or of one of their enrolments. `until`: what was written later was written by the erasure. */
export type Subject = { userId: string; loginId: string; enrollId: string; until: Date };

/** How many records a portion concerned, and where the next begins; null: nothing is left. */
export type Portion = { records: number; next: Place | null };

export type ErasePortion = (ctx: TenantContext, subject: Subject, after: Place | null) => Promise<Portion>;

/** How many there are, but no more than `most`. */
export type CountUpTo = (
  ctx: TenantContext,
  input: { userId: string; enrollIds: readonly string[]; most: number },
) => Promise<number>;

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
  /** Erases what points at the user, a portion at a time. Asked again, it finds what was written meanwhile. */
  eraseOfUser?: ErasePortion;
  /** Counts what is kept and points at the user, once. */
  countOfUser?: ErasePortion;
  /** Erases what points at an enrolment, which belongs to nobody any more: nothing is added. */
  eraseOfEnrolment?: ErasePortion;
  count: CountUpTo;
  /** Everything that is held, as records for the person to read. */
  read: (ctx: TenantContext, person: Person) => AsyncIterable<object>;
};

/** `next` of a step whose rows are not found any more once they are erased. */
export const portionOf = (records: number): Portion => ({
  records,
  next: records < portionRows ? null : [],
});
