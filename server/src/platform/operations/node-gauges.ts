import { Counter, Gauge, type Registry } from 'prom-client';
import type { Context } from '../context.ts';
import { type FairQueue, waitingIn } from '../load/fair-queue.ts';
import type { Pool } from '../load/pools.ts';

/** The current work of this node, read from memory when Prometheus asks. */
export function nodeGauges(ctx: Context, registry: Registry): void {
  const { admission, imports, engine } = ctx;
  const registers = [registry];
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  const { passwords, hashes, lists, erasures, replays, plays, openings } = admission;
  const pools = Object.entries({
    ...admission.pools,
    ...{ passwords, hashes, lists, erasures, replays, plays, openings },
  });
  const ofPools = (name: string, help: string, value: (pool: Pool | FairQueue) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [pool, state] of pools) this.set({ pool }, value(state));
      },
    });
  ofPools('lectern_pool_in_use', 'Slots in use, by pool.', ({ inUse }) => inUse);
  ofPools('lectern_pool_slots', 'Slots in total, by pool.', ({ max }) => max);
  ofPools('lectern_pool_waiting', 'Requests waiting for a slot, by pool.', (pool) =>
    'callers' in pool ? waitingIn(pool) : pool.waiting.length,
  );
  gauge('lectern_requests_delayed', 'Requests delayed because their address gets only rejections.', () =>
    sum([...(admission.peers?.queues.values() ?? [])].map(({ waiting }) => waiting.size)),
  );
  gauge('lectern_workers', 'Processes that serve the ports of this node.', () => 1);
  gauge('lectern_imports_running', 'Packages being read.', () => imports.running);
  gauge('lectern_imports_waiting', 'Packages being received or waiting to be read.', () => imports.waiting);
  gauge('lectern_bulk_calls_running', 'Bulk calls in progress.', () => sum(admission.bulkCalls.values()));
  gauge('lectern_spool_bytes', 'Input of bulk calls held on disk.', () => admission.spoolBytes);
  gauge('lectern_database_in_use', 'Database connections in use.', () => engine.load().inUse);
  gauge(
    'lectern_database_waiting',
    'Statements and transactions waiting for a connection, or for the embedded database.',
    () => engine.load().waiting,
  );
  new Counter({
    name: 'lectern_database_waits_total',
    help: 'Statements and transactions that had to wait for a connection, or for the embedded database.',
    registers,
    collect() {
      this.reset();
      this.inc(engine.load().waits);
    },
  });
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}
