import { credentialsLine, inTurn, openTurns, overloaded, serviceLine, waitingIn } from '../load/turns.ts';
import type { Engine } from './engine.ts';

/** The embedded database does one thing at a time. For a server there are ten connections. */
const shares = { pglite: { most: 1, mostOfOne: 1 }, postgres: { most: 10, mostOfOne: 7 } };
/** Maximum number waiting in one queue. */
const limits = { longestWait: 5_000, mostWaiting: 5_000 };

/**
 * Each tenant has a queue of statements and transactions, and the queues are served in turn, so a tenant with a thousand
 * requests delays only its own. Look-ups of credentials and background work go first, at most
 * every other turn: they are few and short, and every tenant depends on them.
 */
export function shareAmongTenants(engine: Engine): Engine {
  const turns = openTurns({ ...shares[engine.kind], ...limits, first: [credentialsLine, serviceLine] });
  let waits = 0;
  const share = <T>(work: () => Promise<T>, line = serviceLine): Promise<T> =>
    inTurn(turns, line, work, () => waits++) ?? Promise.reject(overloaded());
  return {
    ...engine,
    query: (statement, line) => share(() => engine.query(statement), line),
    transaction: (work, line) => share(() => engine.transaction(work), line),
    load: () => {
      const own = engine.load();
      return { ...own, waiting: own.waiting + waitingIn(turns), waits: own.waits + waits };
    },
  };
}
