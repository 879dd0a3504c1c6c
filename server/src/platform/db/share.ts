import { inTurn, openTurns, operatorLine, overloaded, waitingIn } from '../turns.ts';
import type { Engine } from './engine.ts';

/** The embedded database does one thing at a time. For a server there are ten connections. */
const shares = { pglite: { most: 1, mostOfOne: 1 }, postgres: { most: 10, mostOfOne: 7 } };
/** In one queue. */
const patience = { longestWait: 5_000, mostWaiting: 5_000 };

/**
 * Each tenant has a queue of statements and transactions, and the queues are served in turn, so a tenant with
 * a thousand requests delays only its own. The service's own statements, such as key look-ups, go first: they
 * are few, and every tenant depends on them.
 */
export function shareAmongTenants(engine: Engine): Engine {
  const turns = openTurns({ ...shares[engine.kind], ...patience, first: operatorLine });
  let waits = 0;
  const share = <T>(work: () => Promise<T>, tenantId = operatorLine): Promise<T> =>
    inTurn(turns, tenantId, work, () => waits++) ?? Promise.reject(overloaded());
  return {
    ...engine,
    query: (statement, tenantId) => share(() => engine.query(statement), tenantId),
    transaction: (work, tenantId) => share(() => engine.transaction(work), tenantId),
    load: () => {
      const own = engine.load();
      return { ...own, waiting: own.waiting + waitingIn(turns), waits: own.waits + waits };
    },
  };
}
