import {
  catalogueQueue,
  credentialsQueue,
  type FairQueue,
  inTurn,
  isTenant,
  nodeOfQueue,
  openFairQueue,
  overloaded,
  serviceQueue,
  waitingIn,
} from '../load/fair-queue.ts';
import { findNode, findWhetherDistributed, knownNode, openWorkerNodes } from './citus/worker-nodes.ts';
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

/** The queues for statements that need only the coordinator, and for those that may need every node. */
const coordinator = 'coordinator';
const everyNode = 'every node';

/**
 * Each tenant has a queue of statements and transactions. The queues are served in turn, so a
 * tenant with a thousand requests delays only itself. Credential look-ups and background work go
 * first in every other turn, because they are few and short, and every tenant depends on them.
 *
 * On Citus, each worker node has as many connections as a single server, and the tenants on it share them. A node that
 * hangs therefore holds up its own tenants only.
 */
export function shareAmongTenants(engine: Engine, connections = 10): Engine {
  const first = [credentialsQueue, serviceQueue];
  const queues = new Map<string, FairQueue>();
  const nodes = openWorkerNodes();
  if (engine.kind === 'pglite') nodes.isDistributed = false;
  let waits = 0;

  const queueAt = (place: string): FairQueue => {
    const known = queues.get(place);
    if (known) return known;
    const queue = openFairQueue({ ...sharesOf(engine.kind, connections), ...limits, first });
    queues.set(place, queue);
    return queue;
  };
  const wait = <T>(place: string, caller: string, work: () => Promise<T>): Promise<T> =>
    inTurn(queueAt(place), caller, work, () => waits++) ?? Promise.reject(overloaded());
  const lookUp = <T>(work: () => Promise<T>) => wait(coordinator, credentialsQueue, work);

  /** Without Citus, and for nodes that are known, without a promise, so that statements keep their order. */
  const placeOf = (caller: string): string | Promise<string> => {
    if (nodes.isDistributed === false) return coordinator;
    if (nodes.isDistributed === null)
      return lookUp(() => findWhetherDistributed(nodes, engine)).then(() =>
        nodes.isDistributed === null ? coordinator : placeOf(caller),
      );
    if (isTenant(caller))
      return (
        knownNode(nodes, caller) ??
        lookUp(() => findNode(nodes, engine, caller)).then((node) => node ?? coordinator)
      );
    if (caller === credentialsQueue || caller === catalogueQueue) return coordinator;
    return nodeOfQueue(caller) ?? everyNode;
  };
  const share = <T>(work: () => Promise<T>, caller = serviceQueue): Promise<T> => {
    const place = placeOf(caller);
    return typeof place === 'string'
      ? wait(place, caller, work)
      : place.then((place) => wait(place, caller, work));
  };
  return {
    ...engine,
    isDistributed: () => nodes.isDistributed !== false,
    query: (statement, caller) => share(() => engine.query(statement), caller),
    transaction: (work, caller) => share(() => engine.transaction(work), caller),
    load: () => {
      const own = engine.load();
      const waiting = [...queues.values()].reduce((sum, queue) => sum + waitingIn(queue), own.waiting);
      return { ...own, waiting, waits: own.waits + waits };
    },
  };
}
