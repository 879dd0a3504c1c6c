import type { TenantContext } from './context.ts';
import type { KeyPosition } from './keyset.ts';

/** Whose data it is. A person may have any number of enrolments: they are read a page at a time. */
export type Person = {
  userId: string;
  loginId: string;
  isAdmin: boolean;
  enrolments: () => AsyncIterable<string>;
};

/** Rows that an erasure changes in one statement; other work runs between two statements. */
export const batchRows = 150;

/**
 * Data of one user, or of one of their enrolments. `until`: anything later was written by the erasure itself.
 */
export type Subject = { userId: string; loginId: string; enrollId: string; until: Date };

/** How many records a batch covered, and where the next one starts; null: nothing is left. */
export type Batch = { records: number; next: KeyPosition | null };

export type EraseBatch = (ctx: TenantContext, subject: Subject, after: KeyPosition | null) => Promise<Batch>;

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
   * Erases one batch of the records that refer to the user. A later call also finds records added
   * meanwhile.
   */
  eraseOfUser?: EraseBatch;
  /** Counts kept records that refer to the user, each once. */
  countOfUser?: EraseBatch;
  /** Erases records of an enrolment that no longer has a user, so nothing is added meanwhile. */
  eraseOfEnrolment?: EraseBatch;
  count: CountUpTo;
  /** All data held about the person, as records for them to read. */
  read: (ctx: TenantContext, person: Person) => AsyncIterable<object>;
};

/** `next` for a step that no longer finds rows once they are erased. */
export const batchOf = (records: number): Batch => ({
  records,
  next: records < batchRows ? null : [],
});
