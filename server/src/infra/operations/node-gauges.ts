import { Counter, Gauge, type Registry } from 'prom-client';
import type { Context } from '../context/context.ts';
import type { Load } from '../context/load.ts';

/** The current work of this node, read from memory when Prometheus asks. */
export function nodeGauges(ctx: Context, registry: Registry): void {
  const { load, imports, engine } = ctx;
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
  gauge(
    'lectern_password_hashes_waiting',
    'Passwords being hashed or waiting to be hashed.',
    () => load.hashes.waiting,
  );
  gauge('lectern_imports_running', 'Packages being read.', () => imports.running);
  gauge('lectern_imports_waiting', 'Packages being received or waiting to be read.', () => imports.waiting);
  gauge('lectern_bulk_calls_running', 'Bulk calls in progress.', () => bulkCalls(load));
  gauge('lectern_spool_bytes', 'Input of bulk calls held on disk.', () => load.spoolBytes);
  gauge('lectern_database_in_use', 'Database connections in use.', () => engine.load().inUse);
  gauge(
    'lectern_database_waiting',
    'Statements and transactions waiting for a connection, or for the embedded database.',
    () => engine.load().waiting,
  );
  new Counter({
    name: 'lectern_storage_errors_total',
    help: 'Failed requests to the object store.',
    registers,
    collect() {
      this.reset();
      this.inc(ctx.files.figures()?.errors ?? 0);
    },
  });
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

function bulkCalls({ open }: Load): number {
  const calls = [...open].filter(([name]) => name.startsWith('bulk_calls '));
  return calls.reduce((total, [, number]) => total + number, 0);
}
