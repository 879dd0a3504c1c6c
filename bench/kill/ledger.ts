/** The content of a commit. The service must always return it unchanged. */
export type Acknowledged = {
  number: number;
  launch: number;
  bookmark: string;
  seconds: number;
  completed: boolean;
};

/** The writes acknowledged to the client, and the single write that has no response yet (`unanswered`). */
export type EnrolmentRecord = {
  loginId: string;
  enrollId: string;
  launchUrl: string;
  reference: string;
  launches: number;
  commits: Acknowledged[];
  /** Commits for a superseded launch, with numbers that the newer launch uses too. */
  late: Acknowledged[];
  unanswered: { launch: true } | { commit: Acknowledged } | { late: Acknowledged } | null;
  /** The newest launch, which sends commits unless the learner has left it. */
  open: { launch: number; address: string; next: number } | null;
  /** Whether the client has written to the enrolment since the last check. */
  touched: boolean;
};

/** Whether an acknowledged commit completes the course. */
export const isCompleted = ({ commits, late }: EnrolmentRecord): boolean =>
  [...commits, ...late].some(({ completed }) => completed);

export type UserDetails = {
  LoginID: string;
  FirstName: string;
  LastName: string;
  GroupName: string;
  Email: string;
};

/**
 * If the request got no response, the user is either stored completely or absent. The same applies to the
 * requested enrolment.
 */
export type UserRecord = {
  details: UserDetails;
  answered: boolean;
  asked: { reference: string } | null;
  touched: boolean;
};

/** A request with several statements. Either all of them are stored, or none. */
export type StatementsRecord = { ids: string[]; answered: boolean; touched: boolean };

export type Counts = {
  users: number;
  enrolments: number;
  launches: number;
  commits: number;
  late: number;
  statements: number;
  releases: number;
  /** Backups that were verified. */
  backups: number;
};

export type Ledger = {
  users: UserRecord[];
  enrolments: EnrolmentRecord[];
  statements: StatementsRecord[];
  releases: { number: number; checked: boolean }[];
  /** Those that a kill interrupted. */
  interrupted: { imports: number; backups: number };
  /** 2xx responses that were received completely. */
  acknowledged: Counts;
  /** Why requests were not acknowledged. */
  failures: string[];
};

export const emptyLedger = (): Ledger => ({
  users: [],
  enrolments: [],
  statements: [],
  releases: [],
  interrupted: { imports: 0, backups: 0 },
  acknowledged: {
    ...{ users: 0, enrolments: 0, launches: 0, commits: 0, late: 0, statements: 0 },
    ...{ releases: 0, backups: 0 },
  },
  failures: [],
});

/** Data that a check found missing or incomplete. */
export type Findings = { lost: string[]; torn: string[] };
