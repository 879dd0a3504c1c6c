import { daysLeft } from './certificate.ts';
import { type MetricGroup, readWithTimeout, type Sample } from './metric-groups.ts';

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
