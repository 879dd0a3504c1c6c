import { setTimeout as delay } from 'node:timers/promises';
import { Problem } from '../../errors.ts';
import { type NodeState, openState } from '../../node-state.ts';
import { type DatabaseLog, type Engine, silentLog } from '../engine.ts';
import { addSample, type Positions, type Sample, timeOf } from './positions.ts';

/** A copy of the database that may be out of date, for callers that allow stale reads. */
export type Replica = {
  readonly engine: Engine;
  /** Separate caches and queues, because stale values must not reach callers that do not allow them. */
  readonly state: NodeState;
  /** Whether the replica has every write that was acknowledged up to `seconds` ago. Never throws. */
  isWithin: (seconds: number) => Promise<'used' | 'behind' | 'unavailable'>;
  /** Reports a failed read. The replica is then not used for a while. */
  failed: (error: unknown) => void;
  /** Samples the primary's position, so that the replica's age is known. Returns a function that stops sampling. */
  follow: () => () => void;
};

const primaryPosition = `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as position`;
/** A server that was promoted, or that has lost its primary, is no longer a copy of our database. */
const replicaPosition = `select pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as position
  where pg_is_in_recovery() and exists (select from pg_stat_wal_receiver)`;

const sampleMilliseconds = 1_000;
/** How long a replica that is only just behind may take to catch up. */
const catchUpMilliseconds = 100;
const pollMilliseconds = 10;
const timeoutMilliseconds = 1_000;
const pauseMilliseconds = 5_000;

/** Concurrent calls share one run, but never one that began before the call. */
export function shareNextRun<T>(work: () => Promise<T>): () => Promise<T> {
  const state: { running: Promise<unknown>; next: Promise<T> | null } = {
    running: Promise.resolve(),
    next: null,
  };
  return () => {
    state.next ??= state.running.then(() => {
      state.next = null;
      const result = work();
      state.running = result.catch(() => {});
      return result;
    });
    return state.next;
  };
}

export function openReplica(primary: Engine, engine: Engine, log: DatabaseLog = silentLog): Replica {
  const positions: Positions = { samples: [] };
  const health = { pausedUntil: 0 };
  const readPosition = async (of: Engine, text: string): Promise<number> => {
    const { rows } = await of.query<{ position: number | null }>({ text, values: [] });
    const position = rows[0]?.position ?? null;
    if (position === null) throw new Error('DATABASE_READ_URL does not point to a streaming replica.');
    return position;
  };
  const sample = shareNextRun(async (): Promise<Sample> => {
    const at = performance.now();
    const taken = { at, position: await readPosition(primary, primaryPosition) };
    addSample(positions, taken);
    return taken;
  });
  const reached = shareNextRun(() => withTimeout(readPosition(engine, replicaPosition)));
  const failed = (error: unknown) => {
    const now = performance.now();
    if (now >= health.pausedUntil)
      log.warn({ err: error }, 'the replica cannot be read; the primary is used');
    health.pausedUntil = now + pauseMilliseconds;
  };
  const isWithin = async (seconds: number) => {
    const asked = performance.now();
    if (asked < health.pausedUntil) return 'unavailable' as const;
    const latest = await sample().catch(() => null);
    if (!latest) return 'unavailable' as const;
    // Any write that the caller knows about was acknowledged before the sample was taken.
    const needed = Math.min(latest.at, asked - seconds * 1_000);
    try {
      do {
        const position = await reached();
        const at = position >= latest.position ? latest.at : timeOf(positions, position);
        if (at !== null && at >= needed) return 'used' as const;
        await delay(pollMilliseconds);
      } while (performance.now() - asked < catchUpMilliseconds);
      return 'behind' as const;
    } catch (error) {
      failed(error);
      return 'unavailable' as const;
    }
  };
  return {
    engine,
    state: openState(),
    isWithin,
    failed,
    follow: () => {
      const timer = setInterval(() => sample().catch(() => {}), sampleMilliseconds);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

/**
 * Whether the primary might succeed where the replica failed: the replica is unreachable, read-only, or lacks
 * a migration.
 */
export function isReplicaFault(error: unknown): boolean {
  return !(error instanceof Problem) || error.code === 'unavailable';
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {});
  const late = delay(timeoutMilliseconds, null, { ref: false }).then(() => {
    throw new Error('The replica does not respond.');
  });
  late.catch(() => {});
  return Promise.race([work, late]);
}
