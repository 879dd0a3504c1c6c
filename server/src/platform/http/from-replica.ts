import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { kyselyForEngine, originOf } from '../db/dialect.ts';
import { isReplicaFault, type Replica } from '../db/replica/replica.ts';
import { allowedStaleness } from './prefer.ts';
import type { Route, RouteResponse } from './routes.ts';

/**
 * The state of a request that reads from the replica. `ctx` is null once the replica has failed.
 */
export type FromReplica = { ctx: Context | null; readonly replica: Replica; readonly applied: string };

/**
 * Whether the caller might have written something a moment ago, on any node. If a token's key can write,
 * another token of that key might have done so.
 */
function mayHaveWritten({ caller }: FastifyRequest): boolean {
  const isWrite = (scope: string) => scope.endsWith(':write') || scope === 'users:admin';
  return !caller || caller.isSession === true || (caller.keyScopes ?? caller.scopes).some(isWrite);
}

/**
 * Directs all reads of `acting` to the replica. Returns null if the caller does not allow stale data or the
 * replica is too far behind.
 */
export async function fromReplica(
  acting: Context,
  route: Route,
  request: FastifyRequest,
): Promise<FromReplica | null> {
  const { replica, counters } = acting;
  const allowed = route.mayBeStale && replica ? allowedStaleness(request.headers.prefer) : null;
  if (allowed === null || !replica) return null;
  const result = await replica.isWithin(mayHaveWritten(request) ? 0 : allowed);
  counters.replicaReads.inc({ result });
  if (result !== 'used') return null;
  const { engine, state } = replica;
  const db = kyselyForEngine(engine, originOf(acting.db)?.queue);
  return { ctx: { ...acting, engine, state, db }, replica, applied: `stale=${allowed}` };
}

/**
 * Reads from the replica. If that fails, this and all later reads of the request use the primary.
 */
export async function readWith(
  source: FromReplica | null,
  acting: Context,
  read: (ctx: Context) => Promise<RouteResponse>,
): Promise<RouteResponse> {
  if (!source?.ctx) return read(acting);
  try {
    return await read(source.ctx);
  } catch (error) {
    if (!isReplicaFault(error)) throw error;
    source.replica.failed(error);
    acting.counters.replicaReads.inc({ result: 'failed' });
    source.ctx = null;
    return read(acting);
  }
}
