import type { Config } from '../config.ts';
import { type Budgets, openBudgets } from './budgets.ts';
import { type FairQueue, openFairQueue } from './fair-queue.ts';
import { openPeers, type Peers } from './peers.ts';
import { concurrentLists, openTurnQueues, type TurnQueue } from './turn-queues.ts';
import { openUnreadBytes, type UnreadBytes } from './unread-bytes.ts';

/**
 * `anonymous` is for requests without valid credentials, `api` for requests with a key or a session, and
 * `runTime` for learners, starting with the click on the launch link.
 */
export const poolNames = ['anonymous', 'api', 'runTime'] as const;
export type PoolName = (typeof poolNames)[number];

/**
 * Limits how many requests run at a time. Further requests wait if the queue has room. Otherwise,
 * they are rejected.
 */
export type Pool = {
  readonly max: number;
  readonly maxWaiting: number;
  inUse: number;
  readonly waiting: (() => void)[];
  /** When the pool became full; null if it is not full. */
  exhaustedSince: Date | null;
};

/**
 * The current load on this node, across all its ports. Pools are independent: a request never takes
 * a slot in another pool.
 */
export type Admission = Readonly<Record<TurnQueue, FairQueue>> & {
  readonly pools: Readonly<Record<PoolName, Pool>>;
  /** Sign-ins of anonymous callers with a password. */
  readonly passwords: FairQueue;
  readonly passwordAddresses: Budgets;
  /** All password hashing. Each hash uses 20 MiB of memory, and a thread for at least 20 ms. */
  readonly hashes: FairQueue;
  /** Users' passwords checked with an API key. Each check takes several statements besides its hash. */
  readonly checks: FairQueue;
  /**
   * Bytes that clients have not read yet: of lists and documents, of responses to learners' units, and of
   * large sessions.
   */
  readonly unsent: UnreadBytes;
  readonly unsentToUnits: UnreadBytes;
  readonly unreadSessions: UnreadBytes;
  /** Complete lists being sent. */
  readonly exports: Budgets;
  /** Test events being sent to tenants' endpoints. */
  readonly pings: Budgets;
  /**
   * Bytes of large documents rewritten for merges. `merges` counts by tenant, separately for its
   * keys and for its learners' units. `unitMerges` counts by enrolment.
   */
  readonly merges: Budgets;
  readonly unitMerges: Budgets;
  /** Enrolment keys created by a tenant. */
  readonly issuedKeys: Budgets;
  /** Rows of bulk calls waiting to be hashed. */
  readonly bulkHashes: FairQueue;
  readonly passwordNetworks: Budgets;
  /** Calls without credentials, and calls with wrong credentials, by address. */
  readonly addresses: Budgets;
  readonly wrongCredentials: Budgets;
  /** Bodies that anonymous callers are sending, by address and by /24 or /48 network, and their time limit. */
  readonly anonymousBodies: Budgets;
  readonly anonymousNetworks: Budgets;
  anonymousBodyMilliseconds: number;
  /** Changes by anonymous callers, such as sign-ins, by tenant. */
  readonly anonymousChanges: Budgets;
  /** Null behind a proxy. */
  readonly peers: Peers | null;
  /** Responses without a slot that clients have not read yet, by address, and their time limit. */
  readonly unread: Budgets;
  rejectionMilliseconds: number;
  /** The time limit for an anonymous caller to read a response with a slot. */
  responseMilliseconds: number;
  /** Slots in the pools per key or session, and per tenant. They are limited once half of the pool is in use. */
  readonly keys: Budgets;
  readonly tenants: Budgets;
  readonly runTimeTenants: Budgets;
  /** Run-time requests started per turn of the event loop: `fileTurns` for files, `runTimeTurns` for all others. */
  readonly runTimeTurns: FairQueue;
  readonly fileTurns: FairQueue;
  /** Bytes of a tenant's commits in progress. */
  readonly commitBytes: Budgets;
  /**
   * Requests from the pages of an enrolment, or of a course's preview. The limit per minute is for commits and
   * heartbeats; files have a separate limit.
   */
  readonly learnerCalls: Budgets;
  readonly learnerFiles: Budgets;
  /** Requests for files that do not exist in the course. */
  readonly fileMisses: Budgets;
  /** Commits of an enrolment or preview. The limit per minute is for their bytes. */
  readonly commits: Budgets;
  /** Requests for the player's and console's files, which cost little, by address. */
  readonly constantFiles: Budgets;
  /**
   * Launches of an enrolment that this node has counted. Beyond the limit, the database counts
   * them.
   */
  readonly starts: Budgets;
  /** Units opened on this node that report to the service themselves, by enrolment. */
  readonly unitOpenings: Budgets;
  /** Large sessions being read and written. */
  readonly openings: FairQueue;
  /** Digests of credentials that were valid. Their callers are not affected by others at the same address. */
  readonly trusted: Set<string>;
  /** Credentials, by network, that are being looked up for the first time. */
  readonly pendingLookups: Map<string, Promise<unknown>>;
  /** Bulk calls in progress by key, and their files in `scratch` by tenant. */
  readonly bulkCalls: Map<string, number>;
  readonly bulkFiles: Map<string, number>;
  /** Total bytes of these files. */
  spoolBytes: number;
  stalled: boolean;
  draining: boolean;
};

/** A page loads about twenty files, and a whole school may share one address. */
const filesPerCall = 20;
const commitsPerMinute = 120;
/**
 * A page sends one commit at a time. When it closes, it sends all remaining commits, up to six at a
 * time over HTTP/1.1.
 */
const concurrentCommits = 6;
const commitBytesPerMinute = 30 * 1024 ** 2;
const commitBytesOfTenant = 16 * 1024 ** 2;
/**
 * Commits up to this size are counted, but they do not wait while a few learners send large
 * commits.
 */
export const ordinaryCommitBytes = 16 * 1024;
const learnerRequests = 20;
/** Each start takes up to half a millisecond of the event loop. */
const startsPerTurn = 32;
/**
 * Concurrent launches and commits share statements. With a limit of 2, their rate was only half as high
 * (docs/performance.md).
 */
const startsOfTenant = 16;
/** File requests do not share statements, so starting more at a time would only delay other requests. */
const fileStartsOfTenant = 2;
/** A browser requests a course's files in parallel, up to 100 over HTTP/2. */
const concurrentFiles = 100;
/** Enough to open a course of 69 files (our largest test package) 80 times, or a course of 2,000 files three times. */
const filesPerMinute = 6_000;
/** Some courses request optional subtitles or images that do not exist. */
const missesPerMinute = 600;
const bodiesOfAddress = 10;
const bodiesOfSite = 40;
/**
 * Over HTTP/2, each unread response costs 14 kB. A browser requests up to 100 files simultaneously.
 */
const unreadOfAddress = 500;
/** Each launch writes an event that is kept forever, and possibly a webhook delivery. */
export const launchesPerMinute = 10;

/** Half of the threads in libuv's pool. The others read learners' files. */
const concurrentHashes = 2;
const maxWaitingHashes = 100;
/** A whole class can sign in from one address at the same moment, and waiting a few seconds does no harm. */
const maxWaitingPasswords = 200;
const maxUnsent = 16 * 1024 ** 2;
const maxUnsentToUnit = 4 * 1024 ** 2;
/** A session takes up to 13 MiB. A rejected page retries its request. */
const maxUnreadSessions = 32 * 1024 ** 2;
const exportsOfTenant = 8;
/** Enough for twenty requests of the maximum size. */
const issuedKeysPerMinute = 20_000;
const mergedBytesPerMinute = 64 * 1024 ** 2;
const mergedBytesOfUnitPerMinute = 8 * 1024 ** 2;
/** Low limits, because people send test events by hand. */
const concurrentPings = 4;
const pingsPerMinute = 60;
/**
 * Maximum number of a network's requests that wait while one of them looks up the same credentials.
 */
const maxWaitingForCredentials = 1_000;

export function openPool(max: number, maxWaiting = 0): Pool {
  return { max, maxWaiting, inUse: 0, waiting: [], exhaustedSince: null };
}

/** The processes of a node divide its slots, and share its budgets per minute (`share-budgets.ts`). */
export function openAdmission(config: Config): Admission {
  const { anonymousRateLimit, trustProxy, workers } = config;
  const maxInFlight = Math.ceil(config.maxInFlight / workers);
  /** A tenth of the anonymous pool, for one address or for one tenant. */
  const anonymousOfOwner = Math.max(10, Math.ceil(maxInFlight / 40));
  return {
    pools: {
      anonymous: openPool(Math.ceil(maxInFlight / 4)),
      api: openPool(maxInFlight),
      runTime: openPool(2 * maxInFlight),
    },
    hashes: openFairQueue({
      max: concurrentHashes,
      maxPerCaller: concurrentHashes,
      maxWaiting: maxWaitingHashes,
    }),
    checks: openFairQueue({
      max: Number.POSITIVE_INFINITY,
      maxPerCaller: concurrentHashes,
      maxWaiting: maxWaitingHashes,
    }),
    ...openTurnQueues(config),
    unsent: openUnreadBytes(maxUnsent),
    unsentToUnits: openUnreadBytes(maxUnsentToUnit),
    unreadSessions: openUnreadBytes(maxUnreadSessions),
    exports: openBudgets({ concurrent: exportsOfTenant }),
    pings: openBudgets({ perMinute: pingsPerMinute, concurrent: concurrentPings }),
    issuedKeys: openBudgets({ perMinute: issuedKeysPerMinute }),
    merges: openBudgets({ perMinute: mergedBytesPerMinute }),
    unitMerges: openBudgets({ perMinute: mergedBytesOfUnitPerMinute }),
    bulkHashes: openFairQueue({ max: 2, maxPerCaller: 2, maxWaiting: Number.POSITIVE_INFINITY }),
    passwords: openFairQueue({
      max: 2 * concurrentHashes,
      maxPerCaller: concurrentHashes,
      maxWaiting: maxWaitingPasswords,
      longestWait: 15_000,
    }),
    passwordAddresses: openBudgets({ concurrent: maxWaitingPasswords / 4 }),
    passwordNetworks: openBudgets({ concurrent: maxWaitingPasswords / 2 }),
    addresses: openBudgets({
      perMinute: anonymousRateLimit,
      concurrent: anonymousOfOwner,
    }),
    constantFiles: openBudgets({
      perMinute: filesPerCall * anonymousRateLimit,
      concurrent: Math.max(10, Math.ceil(maxInFlight / 2)),
    }),
    wrongCredentials: openBudgets({
      perMinute: Math.ceil(anonymousRateLimit / 2),
      concurrent: maxWaitingForCredentials,
    }),
    anonymousBodies: openBudgets({ concurrent: bodiesOfAddress }),
    anonymousNetworks: openBudgets({ concurrent: bodiesOfSite }),
    anonymousBodyMilliseconds: 5_000,
    anonymousChanges: openBudgets({ concurrent: anonymousOfOwner }),
    peers: trustProxy > 0 ? null : openPeers(workers),
    unread: openBudgets({ concurrent: unreadOfAddress }),
    rejectionMilliseconds: 10_000,
    responseMilliseconds: 60_000,
    keys: openBudgets({ concurrent: Math.ceil(maxInFlight / 8) }),
    tenants: openBudgets({ concurrent: Math.ceil(maxInFlight / 4) }),
    runTimeTenants: openBudgets({ concurrent: Math.ceil(maxInFlight / 2) }),
    runTimeTurns: openFairQueue({
      max: startsPerTurn,
      maxPerCaller: startsOfTenant,
      maxWaiting: 2 * maxInFlight,
    }),
    fileTurns: openFairQueue({
      max: startsPerTurn,
      maxPerCaller: fileStartsOfTenant,
      maxWaiting: 2 * maxInFlight,
    }),
    commitBytes: openBudgets({ concurrent: commitBytesOfTenant }),
    learnerCalls: openBudgets({ perMinute: commitsPerMinute, concurrent: learnerRequests }),
    fileMisses: openBudgets({ perMinute: missesPerMinute }),
    learnerFiles: openBudgets({ perMinute: filesPerMinute, concurrent: concurrentFiles }),
    commits: openBudgets({ perMinute: commitBytesPerMinute, concurrent: concurrentCommits }),
    starts: openBudgets({ perMinute: launchesPerMinute }),
    unitOpenings: openBudgets({ perMinute: 3 * launchesPerMinute }),
    openings: openFairQueue({
      ...concurrentLists(config),
      maxWaiting: 100,
    }),
    trusted: new Set(),
    pendingLookups: new Map(),
    bulkCalls: new Map(),
    bulkFiles: new Map(),
    spoolBytes: 0,
    stalled: false,
    draining: false,
  };
}
