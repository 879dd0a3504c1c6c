/** What a commit said; the answer of the service must say the same for ever. */
export type Said = { number: number; launch: number; bookmark: string; seconds: number; completed: boolean };

/** What the client was told (`acknowledged`), and the one write whose answer never came (`unanswered`). */
export type EnrolmentRecord = {
  loginId: string;
  enrollId: string;
  launchUrl: string;
  reference: string;
  launches: number;
  commits: Said[];
  /** Of a launch that another one had superseded, with numbers that both use. */
  late: Said[];
  unanswered: { launch: true } | { commit: Said } | { late: Said } | null;
  /** Where the newest launch commits, when the learner did not leave it. */
  open: { launch: number; address: string; next: number } | null;
  /** Written since the last check. */
  touched: boolean;
};

/** Whether anything that was acknowledged completes the course. */
export const isCompleted = ({ commits, late }: EnrolmentRecord): boolean =>
  [...commits, ...late].some(({ completed }) => completed);

export type UserDetails = {
  LoginID: string;
  FirstName: string;
  LastName: string;
  GroupName: string;
  Email: string;
};

/** Unanswered: it is there whole, or not at all. The same holds for the enrolment that was asked for. */
export type UserRecord = {
  details: UserDetails;
  answered: boolean;
  asked: { reference: string } | null;
  touched: boolean;
};

export type Counts = { users: number; enrolments: number; launches: number; commits: number; late: number };

export type Ledger = {
  users: UserRecord[];
  enrolments: EnrolmentRecord[];
  /** Answers 2xx that were received whole. */
  acknowledged: Counts;
};

export const emptyLedger = (): Ledger => ({
  users: [],
  enrolments: [],
  acknowledged: { users: 0, enrolments: 0, launches: 0, commits: 0, late: 0 },
});

/** What a check found missing or half there. */
export type Findings = { lost: string[]; torn: string[] };
