import { overloaded } from '../lib/errors.ts';
import { type Engine, isTenant, nodeOfOwner, sharedTables } from './engine/engine.ts';
import { findNode, findWhetherDistributed, knownNode, openWorkerNodes } from './worker-nodes.ts';

type Waiting = { owner: string; start: () => void };

/** Connections to a place: to the only server or, on Citus, for the rows of one worker node. */
type Place = { inUse: number; readonly ofTenants: Map<string, number>; readonly waiting: Waiting[] };

const longestWait = 5_000;
const maxWaiting = 10_000;

/** The places for statements that need only the coordinator, and for those that may need every node. */
const coordinator = 'coordinator';
const everyNode = 'every node';

/**
 * Statements and transactions wait for a connection in the order of their arrival. One tenant cannot have all
 * connections, because all of its statements may be waiting for one of its rows.
 *
 * On Citus, each worker node has as many connections as a single server. A node that hangs therefore holds up its own
 * tenants only.
 */
export function limitConnections(engine: Engine, connections = 10): Engine {
  /** The embedded database runs one statement at a time. */
  const max = engine.kind === 'pglite' ? 1 : connections;
  const maxOfTenant = Math.ceil(max * 0.7);
  const places = new Map<string, Place>();
  const nodes = openWorkerNodes();
  if (engine.kind === 'pglite') nodes.isDistributed = false;
  let waits = 0;

  const placeNamed = (name: string): Place => {
    const known = places.get(name);
    if (known) return known;
    const place: Place = { inUse: 0, ofTenants: new Map(), waiting: [] };
    places.set(name, place);
    return place;
  };
  const mayStart = ({ inUse, ofTenants }: Place, owner: string) =>
    inUse < max && (ofTenants.get(owner) ?? 0) < maxOfTenant;

  const occupy = (place: Place, owner: string, by: 1 | -1) => {
    place.inUse += by;
    if (!isTenant(owner)) return;
    const left = (place.ofTenants.get(owner) ?? 0) + by;
    if (left > 0) place.ofTenants.set(owner, left);
    else place.ofTenants.delete(owner);
  };
  const startNext = (place: Place) => {
    const at = place.waiting.findIndex(({ owner }) => mayStart(place, owner));
    const [next] = at < 0 ? [] : place.waiting.splice(at, 1);
    if (!next) return;
    occupy(place, next.owner, 1);
    next.start();
  };
  const waitIn = (place: Place, owner: string) =>
    new Promise<void>((resolve, reject) => {
      if (place.waiting.length >= maxWaiting) return reject(overloaded());
      waits++;
      const timer = setTimeout(() => {
        place.waiting.splice(place.waiting.indexOf(one), 1);
        reject(overloaded());
      }, longestWait);
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const one = { owner, start };
      place.waiting.push(one);
    });
  const runIn = async <T>(name: string, owner: string, work: () => Promise<T>): Promise<T> => {
    const place = placeNamed(name);
    if (mayStart(place, owner)) occupy(place, owner, 1);
    else await waitIn(place, owner);
    try {
      return await work();
    } finally {
      occupy(place, owner, -1);
      startNext(place);
    }
  };
  const lookUp = <T>(work: () => Promise<T>) => runIn(coordinator, sharedTables, work);

  /** Without Citus, and for nodes that are known, without a promise, so that statements keep their order. */
  const placeOf = (owner: string): string | Promise<string> => {
    if (nodes.isDistributed === false) return coordinator;
    if (nodes.isDistributed === null)
      return lookUp(() => findWhetherDistributed(nodes, engine)).then(() =>
        nodes.isDistributed === null ? coordinator : placeOf(owner),
      );
    if (isTenant(owner))
      return (
        knownNode(nodes, owner) ??
        lookUp(() => findNode(nodes, engine, owner)).then((node) => node ?? coordinator)
      );
    return owner === sharedTables ? coordinator : (nodeOfOwner(owner) ?? everyNode);
  };
  const limit = <T>(work: () => Promise<T>, owner = ''): Promise<T> => {
    const place = placeOf(owner);
    return typeof place === 'string'
      ? runIn(place, owner, work)
      : place.then((place) => runIn(place, owner, work));
  };
  return {
    ...engine,
    isDistributed: () => nodes.isDistributed !== false,
    query: (statement, owner) => limit(() => engine.query(statement), owner),
    transaction: (work, owner) => limit(() => engine.transaction(work), owner),
    load: () => {
      const own = engine.load();
      const waiting = [...places.values()].reduce((sum, place) => sum + place.waiting.length, own.waiting);
      return { ...own, waiting, waits: own.waits + waits };
    },
  };
}
