import type { Config } from '../config.ts';
import { type FairQueue, openFairQueue } from './fair-queue.ts';

/**
 * The queues in which requests that take a long time wait for their tenant's turn. Each kind has its own, so
 * that none waits for another.
 */
export type TurnQueue = 'lists' | 'erasures' | 'replays' | 'plays';

/** Per tenant and kind. A waiting replay or play occupies a slot of the pool `api`, which can take minutes. */
const maxWaitingWrites = 20;

/**
 * The embedded database runs one statement at a time. On a server, lists leave some connections to
 * other requests.
 */
export const concurrentLists = ({ databaseUrl, databaseConnections }: Config) =>
  databaseUrl === null
    ? { max: 2, maxPerCaller: 1 }
    : { max: Math.ceil(databaseConnections * 0.6), maxPerCaller: Math.ceil(databaseConnections * 0.3) };

export function openTurnQueues(config: Config): Record<TurnQueue, FairQueue> {
  const lists = concurrentLists(config);
  const maxWaiting = Math.ceil(config.maxInFlight / config.workers / 4);
  const few = {
    max: lists.maxPerCaller,
    maxPerCaller: Math.ceil(lists.maxPerCaller / 2),
    maxWaiting: maxWaitingWrites,
  };
  return {
    lists: openFairQueue({ ...lists, maxWaiting }),
    erasures: openFairQueue({ ...lists, maxWaiting }),
    replays: openFairQueue(few),
    plays: openFairQueue(few),
  };
}
