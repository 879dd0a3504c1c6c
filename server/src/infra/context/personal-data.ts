import type { KeyPosition } from '../../db/page.ts';
import type { TenantContext } from './context.ts';

/** The person that the data is about. Enrolments are read page by page, because there may be any number of them. */
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

export type CountUpTo = (
  ctx: TenantContext,
  input: { userId: string; enrollIds: readonly string[]; max: number },
) => Promise<number>;

/** What is kept without identifying the person or, if a law requires it, with their name, and why. */
export type Retained = { what: string; why: string; until?: Date | null };

/** Describes the erased data, in the words of the receipt, and the data that is kept; null if there is none. */
export type Described = { erased: string | null; retained: Retained | null };

/**
 * One kind of personal data. Each module describes its own tables; erasure receipts and exports are built from these
 * descriptions, in their order.
 */
export type PersonalData = {
  /** The name in receipts, and the member in the exported document. */
  name: string;
  tables: readonly string[];
  /** The fields of `Described`, unless `describe` reads them. */
  erased: string | null;
  retained: Retained | null;
  /** For what depends on the tenant or the person. In a plan, there is no `erasureId`. */
  describe?: (ctx: TenantContext, of: { userId: string; erasureId: string | null }) => Promise<Described>;
  /**
   * Erases one batch of the records that refer to the user. A later call also finds records that have been added since.
   */
  eraseForUser?: EraseBatch;
  /** Counts kept records that refer to the user. No record is counted twice. */
  countForUser?: EraseBatch;
  /** Erases records of an enrolment that no longer has a user. No more records are added to such an enrolment. */
  eraseForEnrolment?: EraseBatch;
  count: CountUpTo;
  /** Reads all data held about the person, as records for that person. */
  read: (ctx: TenantContext, person: Person) => AsyncIterable<object>;
};

/** The result of a step whose query no longer finds erased rows. Each call therefore starts from the beginning. */
export const batchOf = (records: number): Batch => ({ records, next: records < batchRows ? null : [] });
