import type { TenantContext } from './context.ts';
import type { Place } from './keyset.ts';

/** Whose data it is. A person may have any number of enrolments: they are read a page at a time. */
export type Person = {
  userId: string;
  loginId: string;
  isAdmin: boolean;
  enrolments: () => AsyncIterable<string>;
};

/** Rows that an erasure changes in one statement; other work runs between two statements. */
export const portionRows = 300;

/**
 * Data of one user, or of one of their enrolments. `until`: anything later was written by the erasure itself.
 */
export type Subject = { userId: string; loginId: string; enrollId: string; until: Date };

/** How many records a portion covered, and where the next one starts; null: nothing is left. */
export type Portion = { records: number; next: Place | null };

export type ErasePortion = (ctx: TenantContext, subject: Subject, after: Place | null) => Promise<Portion>;

/** Counts records, up to `most`. */
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
  /** What is kept without identifying the person, and why. */
  kept: { what: string; why: string } | null;
  /**
   * Erases one portion of the records that refer to the user. A later call also finds records added
   * meanwhile.
   */
  eraseOfUser?: ErasePortion;
  /** Counts kept records that refer to the user, each once. */
  countOfUser?: ErasePortion;
  /** Erases records of an enrolment that no longer has a user, so nothing is added meanwhile. */
  eraseOfEnrolment?: ErasePortion;
  count: CountUpTo;
  /** All data held about the person, as records for them to read. */
  read: (ctx: TenantContext, person: Person) => AsyncIterable<object>;
};

/** `next` for a step that no longer finds rows once they are erased. */
export const portionOf = (records: number): Portion => ({
  records,
  next: records < portionRows ? null : [],
});
