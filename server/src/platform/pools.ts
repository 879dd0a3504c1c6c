import { type Budgets, openBudgets } from './budgets.ts';
import type { Config } from './config.ts';
import { openPeers, type Peers } from './peers.ts';
import { openTurns, type Turns } from './turns.ts';

/** `anonymous`: without valid credentials. `interface`: with a key or a session. `runTime`: learners, from the click on. */
export const poolNames = ['anonymous', 'interface', 'runTime'] as const;
export type PoolName = (typeof poolNames)[number];

/** So many at a time; the rest waits, as far as there is room for it, or is rejected. */
export type Pool = {
  readonly most: number;
  readonly mostWaiting: number;
  inUse: number;
  readonly waiting: (() => void)[];
  /** Since when it is full; null: it is not. */
  exhaustedSince: Date | null;
};

/** What this node has taken on, over all its ports. Requests of one pool never take the place of another's. */
export type Admission = {
  readonly pools: Readonly<Record<PoolName, Pool>>;
  /** Strangers who sign in with a password. */
  readonly passwords: Pool;
  readonly passwordAddresses: Budgets;
  /** All hashing of passwords: each takes 20 MiB and a thread for 20 ms or more. */
  readonly hashes: Turns;
  /** Passwords of users that keys check: each takes several statements beside its hash. */
  readonly checks: Turns;
  /** Lists and reports being read. */
  readonly lists: Turns;
  /** Bytes of lists that clients have not taken yet, by tenant. */
  readonly unsent: { readonly most: number; readonly bytes: Map<string, number> };
  /** Whole lists being sent. */
  readonly exports: Budgets;
  /** Rows of bulk calls that are to be hashed. */
  readonly bulkHashes: Turns;
  readonly passwordSites: Budgets;
  /** Calls without credentials, and with wrong ones, by address. */
  readonly addresses: Budgets;
  readonly wrongCredentials: Budgets;
  /** Bodies that strangers are sending, by address and by site, and how long each may take. */
  readonly strangerBodies: Budgets;
  readonly strangerSites: Budgets;
  strangerBodyMilliseconds: number;
  /** Null behind a proxy. */
  readonly peers: Peers | null;
  /** Answers without a place that their clients have not taken yet, by address, and how long they may take for them. */
  readonly unread: Budgets;
  refusalMilliseconds: number;
  /** How long a stranger may take for an answer with a place. */
  answerMilliseconds: number;
  /** Places of a key or session and of a tenant in the pools, which count once half of the pool is taken. */
  readonly keys: Budgets;
  readonly tenants: Budgets;
  readonly runTimeTenants: Budgets;
  /** Bytes of a tenant's commits in progress. */
  readonly commitBytes: Budgets;
  /** What the pages of an enrolment, or of a course's preview, ask for; a minute counts commits and signs of life. */
  readonly sittings: Budgets;
  readonly sittingFiles: Budgets;
  /** Requests for files that the course does not have. */
  readonly fileMisses: Budgets;
  /** Commits of an enrolment or preview; a minute counts their bytes. */
  readonly commits: Budgets;
  /** Files of the player and the console, which cost little, by address. */
  readonly constantFiles: Budgets;
  /** Launches of an enrolment on this node; beyond it the database counts. */
  readonly starts: Budgets;
  /** Sessions being opened, by enrolment: one at a time. */
  readonly openings: Turns;
  /** Digests of credentials that were valid: their callers do not suffer for others at their address. */
  readonly trusted: Set<string>;
  /** Bulk calls in progress by key, and their files in `scratch` by tenant. */
  readonly bulkCalls: Map<string, number>;
  readonly bulkFiles: Map<string, number>;
  /** Of those files together. */
  spoolBytes: number;
  stalled: boolean;
  draining: boolean;
};

/** A page loads about twenty, and a school has one address. */
const filesPerCall = 20;
const commitsPerMinute = 120;
/** A page sends one commit at a time, but whatever is left when it is closed all at once; over HTTP/1.1 that is six. */
const commitsAtOnce = 6;
const commitBytesPerMinute = 30 * 1024 ** 2;
const commitBytesOfTenant = 16 * 1024 ** 2;
/** Ordinary commits count as well, and do not wait for those of a few learners with large ones. */
export const ordinaryCommitBytes = 16 * 1024;
const requestsOfSitting = 20;
/** A browser asks for a course's files all at once: over HTTP/2 for 100. */
const filesOfSitting = 100;
/** Some courses look for subtitles or pictures that they may not have. */
const missesPerMinute = 600;
const bodiesOfAddress = 10;
const bodiesOfSite = 40;
/** Over HTTP/2 each costs 14 kB. A browser requests up to 100 files simultaneously. */
const unreadOfAddress = 500;
/** Each launch is an event, and perhaps a webhook delivery, for ever. */
export const launchesPerMinute = 10;

/** Half of the threads of libuv's pool: the others read learners' files. */
const hashesAtOnce = 2;
const hashesWaiting = 100;
/** A class signs in at the same moment from one address, and a wait of a few seconds costs nothing. */
const passwordLine = 200;
/** The embedded database does one thing at a time; of a server we use ten connections. */
const listsAtOnce = { embedded: { most: 2, mostOfOne: 1 }, server: { most: 6, mostOfOne: 3 } };
const mostUnsent = 16 * 1024 ** 2;
const exportsOfTenant = 8;

export function openPool(most: number, mostWaiting = 0): Pool {
  return { most, mostWaiting, inUse: 0, waiting: [], exhaustedSince: null };
}

export function openAdmission({
  mostInFlight,
  anonymousRateLimit,
  trustProxy,
  databaseUrl,
}: Config): Admission {
  return {
    pools: {
      anonymous: openPool(Math.ceil(mostInFlight / 4)),
      interface: openPool(mostInFlight),
      runTime: openPool(2 * mostInFlight),
    },
    hashes: openTurns({ most: hashesAtOnce, mostOfOne: hashesAtOnce, mostWaiting: hashesWaiting }),
    checks: openTurns({
      most: Number.POSITIVE_INFINITY,
      mostOfOne: hashesAtOnce,
      mostWaiting: hashesWaiting,
    }),
    lists: openTurns({
      ...listsAtOnce[databaseUrl === null ? 'embedded' : 'server'],
      mostWaiting: Math.ceil(mostInFlight / 4),
    }),
    unsent: { most: mostUnsent, bytes: new Map() },
    exports: openBudgets({ atOnce: exportsOfTenant }),
    bulkHashes: openTurns({ most: 2, mostOfOne: 2, mostWaiting: Number.POSITIVE_INFINITY }),
    passwords: openPool(2, passwordLine),
    passwordAddresses: openBudgets({ atOnce: passwordLine / 4 }),
    passwordSites: openBudgets({ atOnce: passwordLine / 2 }),
    addresses: openBudgets({
      perMinute: anonymousRateLimit,
      atOnce: Math.max(10, Math.ceil(mostInFlight / 40)),
    }),
    constantFiles: openBudgets({
      perMinute: filesPerCall * anonymousRateLimit,
      atOnce: Math.max(10, Math.ceil(mostInFlight / 2)),
    }),
    wrongCredentials: openBudgets({ perMinute: Math.ceil(anonymousRateLimit / 2) }),
    strangerBodies: openBudgets({ atOnce: bodiesOfAddress }),
    strangerSites: openBudgets({ atOnce: bodiesOfSite }),
    strangerBodyMilliseconds: 5_000,
    peers: trustProxy > 0 ? null : openPeers(),
    unread: openBudgets({ atOnce: unreadOfAddress }),
    refusalMilliseconds: 10_000,
    answerMilliseconds: 60_000,
    keys: openBudgets({ atOnce: Math.ceil(mostInFlight / 8) }),
    tenants: openBudgets({ atOnce: Math.ceil(mostInFlight / 4) }),
    runTimeTenants: openBudgets({ atOnce: Math.ceil(mostInFlight / 2) }),
    commitBytes: openBudgets({ atOnce: commitBytesOfTenant }),
    sittings: openBudgets({ perMinute: commitsPerMinute, atOnce: requestsOfSitting }),
    fileMisses: openBudgets({ perMinute: missesPerMinute }),
    sittingFiles: openBudgets({ atOnce: filesOfSitting }),
    commits: openBudgets({ perMinute: commitBytesPerMinute, atOnce: commitsAtOnce }),
    starts: openBudgets({ perMinute: launchesPerMinute }),
    openings: openTurns({
      most: Number.POSITIVE_INFINITY,
      mostOfOne: 1,
      mostWaiting: requestsOfSitting,
    }),
    trusted: new Set(),
    bulkCalls: new Map(),
    bulkFiles: new Map(),
    spoolBytes: 0,
    stalled: false,
    draining: false,
  };
}
