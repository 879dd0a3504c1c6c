import { inTurn, openTurns, operatorLine, overloaded, waitingIn } from '../turns.ts';
import type { Engine } from './engine.ts';

/** The embedded database does one thing at a time. Of a server we have ten connections. */
const shares = { pglite: { most: 1, mostOfOne: 1 }, postgres: { most: 10, mostOfOne: 7 } };
/** For milliseconds, and in one line. */
const patience = { longestWait: 5_000, mostWaiting: 5_000 };

/**
 * Statements and transactions wait in lines, one for each tenant, which are served in turn: whoever sends a thousand
 * requests waits for themselves, and nobody else does. What the service does for itself goes first: it is little, and
 * all tenants need it, such as the look-up of a key.
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
