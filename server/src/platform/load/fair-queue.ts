import { Problem } from '../errors.ts';

/** Runs only a few tasks at a time. The others wait in queues, one per tenant, which are served in turn. */
export type FairQueue = {
  readonly max: number;
  readonly maxPerCaller: number;
  /** Maximum number of tasks waiting in one queue. */
  readonly maxWaiting: number;
  /** A task that has waited for this many milliseconds is rejected. */
  readonly longestWait: number | null;
  /** Maximum number of slots for the queues of all networks together. */
  readonly maxAnonymous: number;
  /** Slots reserved for queues with no running task, so a few long queues cannot take all slots. */
  readonly reserved: number;
  /**
   * After a task has taken longer than this many milliseconds, its queue gets at most two slots for ten
   * seconds, because its tasks may be waiting for locks of their own tenant.
   */
  readonly slowAfter: number;
  /** These queues are served before all others, in this order, but never twice in a row while others wait. */
  readonly first: readonly string[];
  lastWasFirst: boolean;
  inUse: number;
  anonymousInUse: number;
  readonly callers: Map<string, WaitingList>;
};

type WaitingList = { inUse: number; waiting: (() => void)[]; starts: number[]; slowUntil: number };

/** Queues for work without a tenant. No TenantID is empty or contains a control character. */
export const operatorQueue = '';
export const anonymousQueue = '\nanonymous';
export const isAnonymousQueue = (queue: string | undefined): boolean =>
  queue?.startsWith(anonymousQueue) === true;
/** For look-ups of keys, sessions and tenants, which are short statements that every caller depends on. */
export const credentialsQueue = '\ncredentials';
/** For background work in short statements: finding due jobs, webhook dispatch, maintenance. */
export const serviceQueue = '\nservice';
/** For scheduled jobs. Their statements may be many and long, so they have no priority. */
export const jobsQueue = '\njobs';
/**
 * For reads of data that tenants share, such as the tree of a release. Such reads should not count against a
 * single tenant's queue.
 */
export const catalogueQueue = '\ncatalogue';

const ofNode = '\nnode ';
/** For background work for the tenants of one worker node of a Citus cluster. */
export const nodeQueue = (node: string): string => `${ofNode}${node}`;
export const nodeOfQueue = (queue: string): string | undefined =>
  queue.startsWith(ofNode) ? queue.slice(ofNode.length) : undefined;

export const isTenant = (queue: string): boolean => queue !== operatorQueue && !queue.startsWith('\n');

export function openFairQueue(
  limits: Pick<FairQueue, 'max' | 'maxPerCaller' | 'maxWaiting'> & {
    longestWait?: number;
    maxAnonymous?: number;
    reserved?: number;
    slowAfter?: number;
    first?: string[];
  },
): FairQueue {
  const unlimited = Number.POSITIVE_INFINITY;
  const none = { longestWait: null, maxAnonymous: unlimited, reserved: 0, slowAfter: unlimited, first: [] };
  return { ...none, ...limits, lastWasFirst: false, inUse: 0, anonymousInUse: 0, callers: new Map() };
}

export function waitingIn({ callers }: FairQueue): number {
  let waiting = 0;
  for (const own of callers.values()) waiting += own.waiting.length;
  return waiting;
}

export function isQueueFull({ callers, maxWaiting }: FairQueue, owner: string): boolean {
  return (callers.get(owner)?.waiting.length ?? 0) >= maxWaiting;
}

/**
 * Runs the task when its turn comes. Returns null if the queue is full. After each turn, a tenant's
 * queue moves to the end, so a long queue delays only its own tenant.
 */
export function inTurn<Result>(
  queue: FairQueue,
  owner: string,
  work: () => Promise<Result>,
  onWait: () => void = () => {},
): Promise<Result> | null {
  const own = queue.callers.get(owner) ?? { inUse: 0, waiting: [], starts: [], slowUntil: 0 };
  const isFree = mayStart(queue, owner, own);
  if (!isFree && isQueueFull(queue, owner)) return null;
  queue.callers.set(owner, own);
  if (isFree) {
    occupy(queue, owner, own, 1);
    return runAndStartNext(queue, owner, own, work);
  }
  onWait();
  return waitIn(own, queue.longestWait).then(() => runAndStartNext(queue, owner, own, work));
}

function waitIn({ waiting }: WaitingList, longest: number | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      waiting.splice(waiting.indexOf(start), 1);
      reject(overloaded());
    };
    const timer = longest === null ? null : setTimeout(giveUp, longest);
    const start = () => {
      if (timer) clearTimeout(timer);
      resolve();
    };
    waiting.push(start);
  });
}

/** The random delay makes clients retry at different times. */
export function overloaded(): Problem {
  return new Problem('unavailable', 'The service is overloaded. Retry the request.', {
    retryAfter: 1 + Math.floor(Math.random() * 3),
  });
}

const slowSlots = 2;
const slowMilliseconds = 10_000;

function isSlow({ slowAfter }: FairQueue, { starts, slowUntil }: WaitingList): boolean {
  const now = performance.now();
  return slowUntil > now || (starts[0] ?? now) < now - slowAfter;
}

function mayStart(queue: FairQueue, owner: string, own: WaitingList): boolean {
  const { max, maxPerCaller, inUse, first, reserved } = queue;
  if (inUse >= max || own.inUse >= maxPerCaller) return false;
  if (isAnonymousQueue(owner) && queue.anonymousInUse >= queue.maxAnonymous) return false;
  if (own.inUse === 0 || first.includes(owner)) return true;
  return max - inUse > reserved && (own.inUse < slowSlots || !isSlow(queue, own));
}

const isIdle = ({ inUse, waiting, slowUntil }: WaitingList): boolean =>
  inUse === 0 && waiting.length === 0 && slowUntil <= performance.now();

function occupy(queue: FairQueue, owner: string, own: WaitingList, slots: 1 | -1): void {
  queue.inUse += slots;
  own.inUse += slots;
  if (isAnonymousQueue(owner)) queue.anonymousInUse += slots;
}

async function runAndStartNext<Result>(
  queue: FairQueue,
  owner: string,
  own: WaitingList,
  work: () => Promise<Result>,
): Promise<Result> {
  const started = performance.now();
  own.starts.push(started);
  try {
    return await work();
  } finally {
    occupy(queue, owner, own, -1);
    own.starts.splice(own.starts.indexOf(started), 1);
    const ended = performance.now();
    if (ended - started > queue.slowAfter) own.slowUntil = ended + slowMilliseconds;
    while (startNext(queue));
  }
}

/** Starts the next task that may run. Returns false if there is none. */
function startNext(queue: FairQueue): boolean {
  const { first, inUse, max } = queue;
  if (inUse >= max) return false;
  const others = [...queue.callers.keys()].filter((owner) => !first.includes(owner));
  for (const owner of queue.lastWasFirst ? [...others, ...first] : [...first, ...others])
    if (serve(queue, owner)) {
      queue.lastWasFirst = first.includes(owner);
      return true;
    }
  return false;
}

/** Starts the first task in the queue if it may run, and moves the queue to the end. */
function serve(queue: FairQueue, owner: string): boolean {
  const own = queue.callers.get(owner);
  if (!own) return false;
  const next = mayStart(queue, owner, own) ? own.waiting.shift() : undefined;
  if (next || isIdle(own)) queue.callers.delete(owner);
  if (!next) return false;
  queue.callers.set(owner, own);
  occupy(queue, owner, own, 1);
  next();
  return true;
}
