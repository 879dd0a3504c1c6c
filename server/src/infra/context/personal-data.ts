import type { KeyPosition } from '../../db/page.ts';
import type { TenantContext } from './context.ts';

/**
 * The person that the data is about. Enrolments are read page by page, because there may be any
 * number of them.
 */
export type Person = {
  userId: string;
  loginId: string;
  isAdmin: boolean;
  enrolments: () => AsyncIterable<string>;
};

/** Maximum rows that an erasure changes in one statement. Other work runs between statements. */
export const batchRows = 150;

/** One user, or one of their enrolments. Anything after `until` was written by the erasure itself. */
export type Subject = { userId: string; loginId: string; enrollId: string; until: Date };

/** How many records a batch covered, and where the next one starts; null if nothing is left. */
export type Batch = { records: number; next: KeyPosition | null };

export type EraseBatch = (ctx: TenantContext, subject: Subject, after: KeyPosition | null) => Promise<Batch>;

/** Counts records, up to `max`. */
export type CountUpTo = (
  ctx: TenantContext,
  input: { userId: string; enrollIds: readonly string[]; max: number },
) => Promise<number>;

/**
 * One kind of personal data. Each module describes its own tables; erasure receipts and exports are built from these
 * descriptions, in their order.
 */
export type PersonalData = {
  /** The name in receipts, and the member in the exported document. */
  name: string;
  tables: readonly string[];
  /** Describes the erased data, in the words of the receipt; null if nothing is erased. */
  erased: string | null;
  /** Describes the data that is kept without identifying the person, and the reason. */
  retained: { what: string; why: string } | null;
  /**
   * Erases one batch of the records that refer to the user. A later call also finds records that have been added since.
   */
  eraseForUser?: EraseBatch;
  /** Counts kept records that refer to the user. No record is counted twice. */
  countForUser?: EraseBatch;
  /**
   * Erases records of an enrolment that no longer has a user. No more records are added to such an enrolment.
   */
  eraseForEnrolment?: EraseBatch;
  count: CountUpTo;
  /** Reads all data held about the person, as records for that person. */
  read: (ctx: TenantContext, person: Person) => AsyncIterable<object>;
};

/**
 * The result of a step whose query no longer finds erased rows. Each call therefore starts from the
 * beginning.
 */
export const batchOf = (records: number): Batch => ({
  records,
  next: records < batchRows ? null : [],
});
