import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseLog, Engine } from './engine.ts';

/** PGlite has no background processes, so nothing else vacuums the tables or truncates the write-ahead log. */
export type MaintenanceSchedule = {
  /** How often the write-ahead log is measured, in milliseconds. */
  measureEvery: number;
  /** A checkpoint runs when the log has grown by this many bytes. */
  checkpointBytes: number;
  /** A checkpoint also runs after this many milliseconds if anything was written. */
  checkpointEvery: number;
  vacuumEvery: number;
  /** How often the storage for large values is vacuumed if it has many dead parts. */
  vacuumLargeEvery: number;
  /** Pause between two tables. Statements that waited for the first vacuum run before the second one starts. */
  vacuumPause: number;
};

const defaultSchedule: MaintenanceSchedule = {
  measureEvery: 5_000,
  checkpointBytes: 32 * 1024 * 1024,
  checkpointEvery: 300_000,
  vacuumEvery: 60_000,
  vacuumLargeEvery: 2_000,
  vacuumPause: 2_000,
};

export function startMaintenance(
  engine: Engine,
  log: DatabaseLog,
  changes: Partial<MaintenanceSchedule> = {},
): () => void {
  const schedule = { ...defaultSchedule, ...changes };
  let checkpointAt = Date.now();
  let position: string | undefined;

  const checkpoint = async (): Promise<void> => {
    const { rows } = await engine.query<{ position: string; grown: number }>({
      text: 'select pg_current_wal_insert_lsn()::text as position, (pg_current_wal_insert_lsn() - $1::pg_lsn)::bigint as grown',
      values: [position ?? '0/0'],
    });
    const [measured] = rows;
    if (!measured) return;
    const waited = Date.now() - checkpointAt >= schedule.checkpointEvery;
    if (position !== undefined && measured.grown < (waited ? 1_000 : schedule.checkpointBytes)) return;
    await engine.script('checkpoint');
    checkpointAt = Date.now();
    position = measured.position;
  };

  const vacuumAll = async (chosen: string, options: string): Promise<void> => {
    const { rows } = await engine.query<{ name: string }>({ text: chosen, values: [] });
    for (const [at, { name }] of rows.entries()) {
      if (at > 0) await delay(schedule.vacuumPause, undefined, { ref: false });
      await engine.script(`vacuum (${options}) ${name}`);
    }
  };

  const timers = [
    every(schedule.measureEvery, checkpoint),
    every(schedule.vacuumEvery, () => vacuumAll(tablesToVacuum, 'analyze, process_toast false')),
    every(schedule.vacuumLargeEvery, () => vacuumAll(largeToVacuum, 'truncate false')),
  ];
  return () => {
    for (const stop of timers) stop();
  };

  function every(pause: number, work: () => Promise<void>): () => void {
    let timer: NodeJS.Timeout;
    let stopped = false;
    const again = (): void => {
      timer = setTimeout(async () => {
        await work().catch((error: unknown) => {
          if (!stopped) log.warn({ error }, 'database maintenance failed; it will be retried');
        });
        if (!stopped) again();
      }, pause).unref();
    };
    again();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }
}

/**
 * Tables that exceed the thresholds of PostgreSQL's autovacuum. A vacuum freezes old rows only if the table
 * has reached `vacuum_freeze_table_age`.
 */
const tablesToVacuum = `
  select format('%I.%I', s.schemaname, s.relname) as name
  from pg_stat_all_tables s join pg_class c on c.oid = s.relid
  where s.schemaname <> 'pg_toast' and c.relkind in ('r', 'm') and (
    s.n_dead_tup > 50 + 0.2 * greatest(c.reltuples, 0)
    or s.n_mod_since_analyze > 50 + 0.1 * greatest(c.reltuples, 0)
    or s.n_ins_since_vacuum > 1000 + 0.2 * greatest(c.reltuples, 0)
    or age(c.relfrozenxid) > current_setting('vacuum_freeze_table_age')::integer
  )
  order by 1`;

/**
 * PostgreSQL stores large values in parts of 2 kB. All other statements wait during a vacuum, so dead parts
 * are removed early, long before they take up gigabytes. Their space is reused, but the file does not shrink.
 */
const largeToVacuum = `
  select format('%I.%I', s.schemaname, s.relname) as name
  from pg_stat_all_tables s join pg_class c on c.oid = s.relid
  where s.schemaname = 'pg_toast' and (s.n_dead_tup > 4000 or age(c.relfrozenxid) > current_setting('vacuum_freeze_table_age')::integer)
  order by 1`;
