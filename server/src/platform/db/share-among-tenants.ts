import {
  credentialsQueue,
  inTurn,
  openFairQueue,
  overloaded,
  serviceQueue,
  waitingIn,
} from '../load/fair-queue.ts';
import type { Engine } from './engine.ts';

/** The embedded database runs one statement at a time. */
const sharesOf = (kind: Engine['kind'], connections: number) =>
  kind === 'pglite'
    ? { max: 1, maxPerCaller: 1 }
    : {
        max: connections,
        maxPerCaller: Math.ceil(connections * 0.7),
        maxAnonymous: Math.ceil(connections * 0.7),
        reserved: Math.floor(connections * 0.2),
        slowAfter: 1_000,
      };
/** Maximum number of statements and transactions waiting in one queue. */
const limits = { longestWait: 5_000, maxWaiting: 5_000 };

/**
 * Each tenant has a queue of statements and transactions. The queues are served in turn, so a
 * tenant with a thousand requests delays only itself. Credential look-ups and background work go
 * first in every other turn, because they are few and short, and every tenant depends on them.
 */
export function shareAmongTenants(engine: Engine, connections = 10): Engine {
  const first = [credentialsQueue, serviceQueue];
  const queue = openFairQueue({ ...sharesOf(engine.kind, connections), ...limits, first });
  let waits = 0;
  const share = <T>(work: () => Promise<T>, caller = serviceQueue): Promise<T> =>
    inTurn(queue, caller, work, () => waits++) ?? Promise.reject(overloaded());
  return {
    ...engine,
    query: (statement, caller) => share(() => engine.query(statement), caller),
    transaction: (work, caller) => share(() => engine.transaction(work), caller),
    load: () => {
      const own = engine.load();
      return { ...own, waiting: own.waiting + waitingIn(queue), waits: own.waits + waits };
    },
  };
}
