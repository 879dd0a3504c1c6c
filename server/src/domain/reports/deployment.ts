import Type from 'typebox';
import { run } from '../../db/transaction.ts';
import { ok, route } from '../../http/routes.ts';
import { Fields, Instant, Nullable, OneOf } from '../../http/validation/schema.ts';
import type { Context } from '../../infra/context/context.ts';
import { diskMetrics, type Sample, serviceMetrics } from '../../infra/operations/metrics.ts';
import { databaseMetrics } from './metric-groups.ts';
import { storeUsage } from './usage.ts';

/** What the operator should look at. The limits are those of deploy/alerts.yaml. */
const concerns = [
  'storage_unavailable',
  'files_damaged',
  'disk_low',
  'jobs_failing',
  'mail_delayed',
  'webhooks_delayed',
  'backup_missing',
  'backup_old',
  'certificate_ends',
] as const;
type Concern = (typeof concerns)[number];

const Amount = (description: string) => Type.Number({ minimum: 0, description });

const Deployment = Fields(
  {
    Concerns: Type.Array(OneOf(concerns, { title: 'Concern' }), {
      description: 'What needs attention, most urgent first; empty if everything is fine.',
    }),
    Mail: Fields({
      Configured: Type.Boolean({ description: 'false without SMTP_URL: no email is sent.' }),
      Due: Nullable(Amount('Emails that could be sent now, at most 10,000.')),
      OldestDueSeconds: Nullable(Amount('How long the oldest of them has been due.')),
    }),
    Webhooks: Fields({
      Pending: Nullable(Amount('Pending deliveries to enabled endpoints, at most 100,000.')),
      OldestPendingSeconds: Nullable(Amount('Age of the oldest of them.')),
      Failing: Nullable(Amount('Endpoints whose deliveries fail, or that were disabled because of that.')),
    }),
    Jobs: Type.Array(
      Fields({
        Name: Type.String(),
        SucceededAt: Nullable(Instant()),
        Seconds: Nullable(Amount('How long the last run took.')),
        Failures: Amount('Failed runs since the last success.'),
        OverdueSeconds: Amount('How long it has been due without a node running it.'),
      }),
      { description: 'Scheduled jobs, those with failures first.' },
    ),
    Disk: Fields(
      { FreeBytes: Nullable(Amount('Free space.')), SizeBytes: Nullable(Amount('Size.')) },
      { description: 'The disk with DATA_DIR of the node that responds.' },
    ),
    Storage: Fields({
      Kind: OneOf(['folder', 'store'], {
        description: 'Where course files are: in DATA_DIR, or in STORAGE_URL.',
      }),
      Problem: Nullable(Type.String({ description: 'Why files cannot be read; null if they can.' })),
      CacheBytes: Nullable(Amount('Size of the copies in DATA_DIR/cache; null without a store.')),
      DamagedReleases: Nullable(Amount('Releases with missing or damaged files at the last daily check.')),
    }),
    LastBackupAt: Nullable(Instant('The last backup by lectern backup; null if there was none.')),
    CertificateDaysLeft: Nullable(
      Type.Number({ description: 'Days until TLS_CERT expires; null without TLS_CERT.' }),
    ),
    Tenants: Type.Array(
      Fields({
        TenantID: Type.String(),
        Name: Type.String(),
        People: Amount('Users on the last day on which the tenant was used.'),
        Calls: Amount('API calls.'),
        Commits: Amount('Commits from players.'),
        Bytes: Amount('Bytes of course files that were sent.'),
      }),
      {
        description:
          'The ten tenants with the most people that were used in the last 30 days, with their usage.',
      },
    ),
  },
  { title: 'Deployment', description: 'The state of the whole deployment.' },
);
type Deployment = Type.Static<typeof Deployment>;

const biggest = `/* across tenants: the operator sees which tenants are biggest */
select client.tenant_id, client.name, (array_agg(own.people order by own.day desc))[1] as people,
  sum(own.calls)::float8 as calls, sum(own.commits)::float8 as commits, sum(own.bytes)::float8 as bytes
from tenant_usage own join tenant client on client.tenant_id = own.tenant_id and client.status <> 'deleting'
where own.day > $1::date - 30 group by client.tenant_id, client.name order by people desc, calls desc limit 10`;

type TenantRow = {
  tenant_id: string;
  name: string;
  people: number;
  calls: number;
  commits: number;
  bytes: number;
};

/** A group that cannot be read is left out, so that the others still show. */
async function readSamples(ctx: Context): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const group of [diskMetrics, ...serviceMetrics, ...databaseMetrics])
    samples.push(
      ...(await group.read(ctx).catch((err: unknown) => {
        ctx.log.warn({ err, group: group.name }, 'could not read a group of metrics');
        return [];
      })),
    );
  return samples;
}

const instant = (seconds: number) => new Date(seconds * 1000).toISOString();

function jobsOf(samples: readonly Sample[]): Deployment['Jobs'] {
  const byJob = Map.groupBy(
    samples.filter(({ labels }) => labels?.job),
    ({ labels }) => labels?.job ?? '',
  );
  const jobs = [...byJob].map(([Name, own]) => {
    const figure = (gauge: string) => own.find((one) => one.gauge === gauge)?.value ?? null;
    const succeeded = figure('lectern_job_last_success_timestamp_seconds');
    return {
      Name,
      SucceededAt: succeeded === null ? null : instant(succeeded),
      Seconds: figure('lectern_job_duration_seconds'),
      Failures: figure('lectern_job_failures') ?? 0,
      OverdueSeconds: figure('lectern_job_overdue_seconds') ?? 0,
    };
  });
  return jobs.sort((one, other) => other.Failures - one.Failures || (one.Name < other.Name ? -1 : 1));
}

function concernsOf(ctx: Context, found: Omit<Deployment, 'Concerns'>): Concern[] {
  const { Storage, Disk, Jobs, Mail, Webhooks, LastBackupAt, CertificateDaysLeft } = found;
  const backupAge = LastBackupAt === null ? null : ctx.now().getTime() - Date.parse(LastBackupAt);
  const applies: Record<Concern, boolean> = {
    storage_unavailable: Storage.Problem !== null,
    files_damaged: (Storage.DamagedReleases ?? 0) > 0,
    disk_low: Disk.FreeBytes !== null && Disk.FreeBytes < 2 * 1024 ** 3,
    jobs_failing: Jobs.some(({ Failures, OverdueSeconds }) => Failures >= 3 || OverdueSeconds > 300),
    mail_delayed: (Mail.OldestDueSeconds ?? 0) > 900,
    webhooks_delayed: (Webhooks.OldestPendingSeconds ?? 0) > 3600,
    backup_missing: backupAge === null,
    backup_old: backupAge !== null && backupAge > 26 * 3_600_000,
    certificate_ends: CertificateDaysLeft !== null && CertificateDaysLeft < 14,
  };
  return concerns.filter((concern) => applies[concern]);
}

export async function readDeployment(ctx: Context): Promise<Deployment> {
  await storeUsage(ctx);
  const samples = await readSamples(ctx);
  const figure = (gauge: string, state?: string) =>
    samples.find((one) => one.gauge === gauge && (state === undefined || one.labels?.state === state))
      ?.value ?? null;
  const failing = figure('lectern_webhook_endpoints', 'failing');
  const disabled = figure('lectern_webhook_endpoints', 'disabled_failing');
  const backupAge = figure('lectern_backup_age_seconds');
  const tenants = await run<TenantRow>(ctx, biggest, [ctx.now()]);
  const found = {
    Mail: {
      Configured: ctx.config.mail !== null,
      Due: figure('lectern_mail_due'),
      OldestDueSeconds: figure('lectern_mail_oldest_due_seconds'),
    },
    Webhooks: {
      Pending: figure('lectern_webhook_deliveries_pending'),
      OldestPendingSeconds: figure('lectern_webhook_oldest_pending_seconds'),
      Failing: failing === null || disabled === null ? null : failing + disabled,
    },
    Jobs: jobsOf(samples),
    Disk: { FreeBytes: figure('lectern_disk_free_bytes'), SizeBytes: figure('lectern_disk_size_bytes') },
    Storage: {
      Kind: ctx.config.storage === null ? ('folder' as const) : ('store' as const),
      Problem: await ctx.files.problem(),
      CacheBytes: ctx.files.figures()?.cacheBytes ?? null,
      DamagedReleases: figure('lectern_releases_damaged'),
    },
    LastBackupAt: backupAge === null ? null : instant(ctx.now().getTime() / 1000 - backupAge),
    CertificateDaysLeft: figure('lectern_certificate_days_left'),
    Tenants: tenants.map(({ tenant_id, name, people, calls, commits, bytes }) => ({
      ...{ TenantID: tenant_id, Name: name, People: people },
      ...{ Calls: calls, Commits: commits, Bytes: bytes },
    })),
  };
  return { Concerns: concernsOf(ctx, found), ...found };
}

export const deploymentRoute = route('GET /deployment', 'readDeployment', {
  summary: 'Read the state of the deployment',
  description:
    'What the start page of the operator shows: email, webhooks, jobs, disk, course files, backup and the biggest tenants. For alerts, use `/metrics`.',
  tag: 'Tenants',
  access: 'operator',
  scope: 'tenants:write',
  responses: {
    200: { description: 'The state. A part that could not be read is null.', schema: Deployment },
  },
  handle: async (ctx) => ok(await readDeployment(ctx)),
});
