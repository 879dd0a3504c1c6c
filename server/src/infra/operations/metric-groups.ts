import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import type { Connection } from '../../db/engine/engine.ts';
import { codeOf } from '../../lib/errors.ts';
import type { Context } from '../context/context.ts';

export type Sample = { gauge: string; labels?: Record<string, string>; value: number };

/**
 * Gauges whose values are not in memory. They are read together, at intervals, and may fail or hang without affecting
 * other metrics.
 */
export type MetricGroup = {
  name: string;
  /** Minimum interval between two reads. */
  seconds: number;
  gauges: Readonly<Record<string, { help: string; labels?: readonly string[] }>>;
  read: (ctx: Context) => Promise<Sample[]>;
};

/** How long a response waits for these metrics. Prometheus gives up after 10 s. */
const timeoutMilliseconds = 500;
/** Metrics that could not be read for this many intervals are left out. */
const staleAfter = 4;

const diskMetrics: MetricGroup = {
  name: 'disk',
  seconds: 15,
  gauges: {
    lectern_disk_free_bytes: { help: 'Free space on the disk with DATA_DIR.' },
    lectern_disk_size_bytes: { help: 'Size of the disk with DATA_DIR.' },
  },
  read: async ({ config }) => {
    const { bavail, blocks, bsize } = await statfs(config.dataDir);
    return [
      { gauge: 'lectern_disk_free_bytes', value: bavail * bsize },
      { gauge: 'lectern_disk_size_bytes', value: blocks * bsize },
    ];
  },
};

/** SQLSTATE of the error if the server's role may not list the files. The metric is then left out. */
const insufficientPrivilege = '42501';

const logMetrics: MetricGroup = {
  name: 'wal',
  seconds: 15,
  gauges: { lectern_database_wal_bytes: { help: 'Size of the write-ahead log.' } },
  read: async (ctx) => {
    const text = 'select sum(size)::float8 as bytes from pg_ls_waldir()';
    try {
      const [row] = await readWithTimeout(ctx, async (connection) => {
        const { rows } = await connection.query<{ bytes: number }>({ text, values: [] });
        return rows;
      });
      return row ? [{ gauge: 'lectern_database_wal_bytes', value: row.bytes }] : [];
    } catch (error) {
      if (codeOf(error) === insufficientPrivilege) return [];
      throw error;
    }
  },
};

/**
 * Reads on one connection with a short time limit. The embedded database cannot interrupt a
 * statement, so no limit applies there.
 */
export function readWithTimeout<T>(ctx: Context, work: (connection: Connection) => Promise<T>): Promise<T> {
  if (ctx.engine.kind === 'pglite') return work(ctx.engine);
  return ctx.engine.transaction(async (connection) => {
    await connection.query({ text: 'set local statement_timeout = 1000', values: [] });
    return work(connection);
  });
}

/** Returns a function that updates as many gauges as possible within `timeoutMilliseconds`. */
export function openMetricGroups(
  ctx: Context,
  registry: Registry,
  more: readonly MetricGroup[],
): () => Promise<void> {
  const up = new Gauge({
    name: 'lectern_figures_up',
    help: '1 if the gauges of this group are recent, 0 if they could not be read and are left out.',
    labelNames: ['group'],
    registers: [registry],
  });
  const readers = [diskMetrics, logMetrics, ...more].map((group) => openReader(ctx, registry, group, up));
  return async () => {
    const reading = Promise.all(readers.map(({ refresh }) => refresh()));
    await Promise.race([reading, delay(timeoutMilliseconds, undefined, { ref: false })]);
    for (const reader of readers) reader.show();
  };
}

function openReader(ctx: Context, registry: Registry, group: MetricGroup, up: Gauge<'group'>) {
  const { name, seconds } = group;
  const gauges = new Map(
    Object.entries(group.gauges).map(([name, { help, labels = [] }]) => [
      name,
      new Gauge({ name, help, labelNames: labels, aggregator: 'max', registers: [registry] }),
    ]),
  );
  const last: { begun: Date | null; samples: Sample[]; readAt: Date | null } = {
    begun: null,
    samples: [],
    readAt: null,
  };
  let running: Promise<void> | null = null;
  const read = async () => {
    try {
      last.samples = await group.read(ctx);
      last.readAt = ctx.now();
    } catch (error) {
      ctx.log.warn({ err: error, group: name }, 'could not read a group of metrics');
    }
  };
  return {
    refresh: async () => {
      if (!running && isOver(last.begun, ctx.now(), seconds)) {
        last.begun = ctx.now();
        running = read().finally(() => {
          running = null;
        });
      }
      await running;
    },
    show: () => {
      const isRecent = !isOver(last.readAt, ctx.now(), seconds * staleAfter);
      up.set({ group: name }, isRecent ? 1 : 0);
      for (const [name, gauge] of gauges) {
        gauge.reset();
        // A gauge without labels starts at 0, which would look like a measured value.
        if (!group.gauges[name]?.labels) gauge.remove();
      }
      for (const { gauge, labels = {}, value } of isRecent ? last.samples : [])
        gauges.get(gauge)?.set(labels, value);
    },
  };
}

/** If the clock is set back, all metrics are treated as outdated. */
function isOver(since: Date | null, now: Date, seconds: number): boolean {
  if (since === null) return true;
  const passed = now.getTime() - since.getTime();
  return passed < 0 || passed >= seconds * 1000;
}
