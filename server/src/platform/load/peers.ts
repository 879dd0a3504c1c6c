import { type Budgets, networkOf, openBudgets, reserve } from './budgets.ts';

/**
 * Limits for the networks that connect to this node, applied before any of their requests is examined. Behind
 * a proxy, all connections are the proxy's, so these limits do not apply.
 */
export type Peers = {
  readonly connections: Budgets;
  readonly queues: Map<string, NetworkQueue>;
  /** The network of each open connection. */
  readonly networks: WeakMap<object, string>;
  /**
   * Connections whose last request came from a key, a session or a learner. They never wait behind anonymous
   * connections.
   */
  readonly known: WeakSet<object>;
  timer: NodeJS.Timeout | null;
};

/**
 * `answered` counts the responses in this second to requests without a slot. `waiting` holds the requests that the limit
 * delays.
 */
type NetworkQueue = { since: number; answered: number; readonly waiting: Set<() => void> };

/** A school with 500 learners has one address, and a browser opens six connections. */
const connectionsOfNetwork = 4_000;
/** A response to a rejected request costs 0.15 ms. */
const responsesPerSecond = 200;
const maxWaiting = 4_000;
const serveIntervalMilliseconds = 50;

/** `processes` is the number of processes that share this node's connections. */
export function openPeers(processes = 1): Peers {
  return {
    connections: openBudgets({ concurrent: Math.ceil(connectionsOfNetwork / processes) }),
    queues: new Map(),
    networks: new WeakMap(),
    known: new WeakSet(),
    timer: null,
  };
}

/**
 * Accepts a connection from the address and returns a function that releases it; null if the address has too
 * many.
 */
export function holdConnection({ connections }: Peers, address: string): (() => void) | null {
  return reserve(connections, networkOf(address));
}

/** Counts a response without a slot: to a rejected request or a probe. */
export function countResponse(peers: Peers, connection: object): void {
  peers.known.delete(connection);
  const network = peers.networks.get(connection);
  if (network === undefined) return;
  const queue = peers.queues.get(network) ?? { since: 0, answered: 0, waiting: new Set() };
  peers.queues.set(network, queue);
  const now = performance.now();
  if (now - queue.since >= 1_000) Object.assign(queue, { since: now, answered: 0 });
  queue.answered++;
  peers.timer ??= setInterval(serve, serveIntervalMilliseconds, peers).unref();
}

function isDelayed({ answered, waiting }: NetworkQueue): boolean {
  return answered >= responsesPerSecond || waiting.size > 0;
}

/**
 * Whether a connection may pipeline requests. Pipelined requests cost memory, so connections of a
 * delayed network may not.
 */
export function mayPipeline(peers: Peers | null, connection: object): boolean {
  if (!peers || peers.queues.size === 0 || peers.known.has(connection)) return true;
  const queue = peers.queues.get(peers.networks.get(connection) ?? '');
  return !queue || !isDelayed(queue);
}

/**
 * The queue for the requests of a connection whose network gets only rejections. Null if the requests do not
 * have to wait.
 */
export function delayQueueOf(peers: Peers, connection: object): NetworkQueue | null {
  const network = peers.queues.size > 0 ? peers.networks.get(connection) : undefined;
  const queue = network === undefined ? undefined : peers.queues.get(network);
  return queue && isDelayed(queue) && !peers.known.has(connection) ? queue : null;
}

/** Waits in the queue and returns a function that leaves it; null if the queue is full. */
export function waitIn({ waiting }: NetworkQueue, start: () => void): (() => void) | null {
  if (waiting.size >= maxWaiting) return null;
  waiting.add(start);
  return () => void waiting.delete(start);
}

/** Serves each network's queue at a rate that limits the cost of rejections. */
function serve(peers: Peers): void {
  const now = performance.now();
  for (const [network, { since, waiting }] of peers.queues) {
    let left = (responsesPerSecond * serveIntervalMilliseconds) / 1_000;
    for (const start of waiting) {
      if (left-- <= 0) break;
      waiting.delete(start);
      start();
    }
    if (waiting.size === 0 && now - since >= 1_000) peers.queues.delete(network);
  }
  if (peers.queues.size > 0 || !peers.timer) return;
  clearInterval(peers.timer);
  peers.timer = null;
}
