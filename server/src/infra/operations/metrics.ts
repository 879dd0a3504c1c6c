import { statfs } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Connection } from '../../db/engine/engine.ts';
import { codeOf } from '../../lib/errors.ts';
import { createCache } from '../context/cache.ts';
import type { Context } from '../context/context.ts';
import type { Load } from '../context/load.ts';
import { daysLeft } from './certificate.ts';

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

export const diskMetrics: MetricGroup = {
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
function openMetricGroups(
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
    const late = delay(timeoutMilliseconds, null, { ref: false });
    await Promise.all(readers.map((read) => read(late)));
  };
}

function openReader(ctx: Context, registry: Registry, group: MetricGroup, up: Gauge<'group'>) {
  const { name, seconds, read } = group;
  const gauges = new Map(
    Object.entries(group.gauges).map(([name, { help, labels = [] }]) => [
      name,
      new Gauge({ name, help, labelNames: labels, aggregator: 'max', registers: [registry] }),
    ]),
  );
  const known = createCache<Sample[]>({
    name: `metrics_${name}`,
    milliseconds: seconds * 1_000,
    max: 1,
    load: read,
  });
  return async (late: Promise<null>) => {
    const reading = known.get(ctx, '').catch((error: unknown) => {
      ctx.log.warn({ err: error, group: name }, 'could not read a group of metrics');
      return null;
    });
    const samples = await Promise.race([reading, late]);
    up.set({ group: name }, samples ? 1 : 0);
    for (const [name, gauge] of gauges) {
      gauge.reset();
      // A gauge without labels starts at 0, which would look like a measured value.
      if (!group.gauges[name]?.labels) gauge.remove();
    }
    for (const { gauge, labels = {}, value } of samples ?? []) gauges.get(gauge)?.set(labels, value);
  };
}

/** The current work of this node, read from memory when Prometheus asks. */
function nodeGauges(ctx: Context, registry: Registry): void {
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
  new Gauge({
    name: 'lectern_http_requests_in_flight',
    help: 'Requests being received or responded to, by origin, without probes.',
    labelNames: ['origin'],
    registers,
    collect() {
      for (const origin of ['api', 'content']) this.set({ origin }, load.open.get(`requests ${origin}`) ?? 0);
    },
  });
  gauge('lectern_imports_running', 'Packages being read.', () => imports.running);
  gauge('lectern_imports_waiting', 'Packages being received or waiting to be read.', () => imports.waiting);
  gauge('lectern_bulk_calls_running', 'Bulk calls in progress.', () => bulkCalls(load));
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

type JobRow = {
  name: string;
  overdue: number;
  succeeded: number | null;
  took: number | null;
  failures: number;
};

const readJobs = `select name, greatest(0, extract(epoch from now() - due))::float8 as overdue,
  extract(epoch from succeeded_at)::float8 as succeeded, took_seconds as took, failures
  from scheduled_job`;

const ofJob = ['job'] as const;

const jobMetrics: MetricGroup = {
  name: 'jobs',
  seconds: 15,
  gauges: {
    lectern_job_overdue_seconds: {
      help: 'How long the job has been due without a node running it.',
      labels: ofJob,
    },
    lectern_job_last_success_timestamp_seconds: {
      help: 'When the job last succeeded, in Unix time.',
      labels: ofJob,
    },
    lectern_job_duration_seconds: { help: 'How long the last run of the job took.', labels: ofJob },
    lectern_job_failures: { help: 'Failed runs of the job since its last success.', labels: ofJob },
  },
  read: (ctx) =>
    readWithTimeout(ctx, async (connection) => {
      const { rows } = await connection.query<JobRow>({ text: readJobs, values: [] });
      return rows.flatMap(({ name: job, overdue, succeeded, took, failures }): Sample[] => {
        const sample = (gauge: string, value: number | null) =>
          value === null ? [] : [{ gauge, labels: { job }, value }];
        return [
          ...sample('lectern_job_overdue_seconds', overdue),
          ...sample('lectern_job_last_success_timestamp_seconds', succeeded),
          ...sample('lectern_job_duration_seconds', took),
          ...sample('lectern_job_failures', failures),
        ];
      });
    }),
};

const lastBackup = `select extract(epoch from $1::timestamptz - at)::float8 as age from audit_entry
  where tenant_id = '' and action = 'backup.created' order by audit_id desc limit 1`;

const backupMetrics: MetricGroup = {
  name: 'backup',
  seconds: 60,
  gauges: {
    lectern_backup_age_seconds: {
      help: 'Age of the last backup by lectern backup; absent if there was none.',
    },
  },
  read: (ctx) =>
    readWithTimeout(ctx, async (connection) => {
      const { rows } = await connection.query<{ age: number }>({ text: lastBackup, values: [ctx.now()] });
      return rows.map(({ age }) => ({ gauge: 'lectern_backup_age_seconds', value: Math.max(0, age) }));
    }),
};

const certificateMetrics: MetricGroup = {
  name: 'certificate',
  seconds: 60,
  gauges: {
    lectern_certificate_days_left: { help: 'Days until TLS_CERT expires; absent without TLS_CERT.' },
  },
  read: async ({ config, now }) =>
    config.tls
      ? [{ gauge: 'lectern_certificate_days_left', value: daysLeft(config.tls.certFile, now()) }]
      : [],
};

/** The job that checks the files of releases writes it once a day. */
const readDamaged = `select value::float8 as value from setting where name = 'damaged_releases'`;

const storageMetrics: MetricGroup = {
  name: 'storage',
  seconds: 15,
  gauges: {
    lectern_releases_damaged: {
      help: 'Releases whose files were missing or damaged at the last daily check.',
    },
    lectern_storage_cache_bytes: { help: 'Size of the copies of course files in DATA_DIR/cache.' },
  },
  read: (ctx) =>
    readWithTimeout(ctx, async (connection) => {
      const { rows } = await connection.query<{ value: number }>({ text: readDamaged, values: [] });
      return [
        { gauge: 'lectern_releases_damaged', value: rows[0]?.value ?? 0 },
        { gauge: 'lectern_storage_cache_bytes', value: ctx.files.figures()?.cacheBytes ?? 0 },
      ];
    }),
};

export const serviceMetrics: readonly MetricGroup[] = [
  jobMetrics,
  backupMetrics,
  certificateMetrics,
  storageMetrics,
];

export type Metrics = {
  contentType: string;
  observe: (app: FastifyInstance, origin: string) => void;
  /** The text that Prometheus reads. */
  read: () => Promise<string>;
};

export function openMetrics(
  ctx: Context,
  options: { processMetrics: boolean; groups: readonly MetricGroup[] },
): Metrics {
  const registry = new Registry();
  if (options.processMetrics) collectDefaultMetrics({ register: registry });
  for (const counter of Object.values(ctx.counters)) registry.registerMetric(counter);
  nodeGauges(ctx, registry);
  const refresh = openMetricGroups(ctx, registry, options.groups);
  return {
    contentType: registry.contentType,
    observe: observer(registry),
    read: async () => {
      await refresh();
      return registry.metrics();
    },
  };
}

function observer(registry: Registry): Metrics['observe'] {
  const duration = new Histogram({
    name: 'lectern_http_request_seconds',
    help: 'Time from the first byte of a request to the last byte of its response, by route.',
    labelNames: ['origin', 'method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  return (app, origin) => {
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none';
      const labels = { origin, method: request.method, route, status: String(reply.statusCode) };
      duration.observe(labels, reply.elapsedTime / 1000);
      done();
    });
  };
}
