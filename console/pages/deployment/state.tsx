import { Paper, SimpleGrid, Text } from '@mantine/core';
import { useFormatter, useNow, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { NumberTable } from '../../parts/number-table.tsx';
import { Section } from '../../parts/section.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { useBytes } from '../../parts/use-bytes.ts';
import { type AttentionItem, AttentionList } from '../home/attention-list.tsx';

type Deployment = components['schemas']['Deployment'];
type Concern = components['schemas']['Concern'];

/** Where the guide says what to do. */
const pages: Record<Concern, string> = {
  storage_unavailable: 'object-storage',
  files_damaged: 'monitoring#jobs-email-backups-and-storage',
  disk_low: 'monitoring#database-and-disk',
  jobs_failing: 'monitoring#jobs-email-backups-and-storage',
  mail_delayed: 'monitoring#jobs-email-backups-and-storage',
  webhooks_delayed: 'webhooks#when-deliveries-fail',
  backup_missing: 'backup',
  backup_old: 'backup',
  certificate_ends: 'deployment',
};

/** Health, queues, jobs, disk, backup and the biggest tenants, from one call. */
export function DeploymentState() {
  const t = useTranslations('deployment');
  const { $api } = useApi();
  const { data, error, refetch } = $api.useQuery('get', '/deployment', {}, { refetchInterval: 60_000 });
  if (error) return <Failed error={error} onRetry={refetch} />;
  if (!data) return <WaitingRows />;
  return (
    <>
      <Section isShort title={t('state')}>
        <Concerns state={data} />
        <Figures state={data} />
        <Jobs jobs={data.Jobs} />
      </Section>
      {data.Tenants.length > 0 && (
        <Section isShort isLandmark={false} title={t('biggest')} text={t('biggestText')}>
          <Tenants tenants={data.Tenants} />
        </Section>
      )}
    </>
  );
}

function Concerns({ state }: { state: Deployment }) {
  const t = useTranslations('deployment');
  const items = state.Concerns.map(
    (concern): AttentionItem => ({
      key: concern,
      title: t(`concerns.${concern}.title`),
      text: (concern === 'storage_unavailable' && state.Storage.Problem) || t(`concerns.${concern}.text`),
      act: t('guide'),
      link: { href: `/docs/guide/${pages[concern]}` },
    }),
  );
  return <AttentionList items={items} emptyText={t('allWell')} />;
}

/** How long ago, such as “3 minutes ago”. */
function useAgo() {
  const format = useFormatter();
  const now = useNow({ updateInterval: 60_000 });
  return (at: string) => format.relativeTime(new Date(at), now);
}

function Figures({ state }: { state: Deployment }) {
  const t = useTranslations('deployment');
  const bytes = useBytes();
  const ago = useAgo();
  const { Mail, Webhooks, Jobs, Disk, Storage, LastBackupAt, CertificateDaysLeft } = state;
  const minutes = (seconds: number | null) => Math.floor((seconds ?? 0) / 60);
  const failing = Jobs.filter(({ Failures }) => Failures > 0).length;
  const figures: [label: string, value: string, note: string][] = [
    [
      t('mail'),
      Mail.Due === null ? t('unknown') : t('waiting', { count: Mail.Due }),
      Mail.Configured ? t('oldest', { count: minutes(Mail.OldestDueSeconds) }) : t('noMailServer'),
    ],
    [
      t('webhooks'),
      Webhooks.Pending === null ? t('unknown') : t('waiting', { count: Webhooks.Pending }),
      t('endpointsFailing', { count: Webhooks.Failing ?? 0 }),
    ],
    [t('jobs'), t('jobsRun', { count: Jobs.length }), t('jobsFailing', { count: failing })],
    [
      t('disk'),
      Disk.FreeBytes === null ? t('unknown') : t('free', { bytes: bytes(Disk.FreeBytes) }),
      Disk.SizeBytes === null ? '' : t('of', { bytes: bytes(Disk.SizeBytes) }),
    ],
    [
      t('files'),
      t(Storage.Kind === 'store' ? 'inStore' : 'inFolder'),
      Storage.CacheBytes === null
        ? t('damaged', { count: Storage.DamagedReleases ?? 0 })
        : t('cached', { bytes: bytes(Storage.CacheBytes) }),
    ],
    [t('backup'), LastBackupAt === null ? t('never') : ago(LastBackupAt), t('backupText')],
  ];
  if (CertificateDaysLeft !== null)
    figures.push([t('certificate'), t('daysLeft', { count: CertificateDaysLeft }), '']);
  return (
    <SimpleGrid component="dl" cols={{ base: 2, md: 3 }} spacing="sm" m={0}>
      {figures.map(([label, value, note]) => (
        <Paper key={label} withBorder p="sm" className="state-figure">
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" fw={600} m={0}>
            {value}
          </Text>
          <Text component="dd" size="sm" c="dimmed" m={0}>
            {note}
          </Text>
        </Paper>
      ))}
    </SimpleGrid>
  );
}

function Jobs({ jobs }: { jobs: Deployment['Jobs'] }) {
  const t = useTranslations('deployment');
  const format = useFormatter();
  const ago = useAgo();
  const rows = jobs.map(({ Name, SucceededAt, Seconds, Failures }) => ({
    key: Name,
    header: Name,
    values: [
      SucceededAt === null ? '–' : ago(SucceededAt),
      Failures,
      Seconds === null ? '–' : format.number(Seconds, { maximumFractionDigits: 2 }),
    ],
  }));
  return (
    <details className="jobs">
      <summary>{t('showJobs')}</summary>
      <NumberTable
        label={t('jobs')}
        headers={[t('job'), t('lastSuccess'), t('failures'), t('seconds')]}
        rows={rows}
      />
    </details>
  );
}

function Tenants({ tenants }: { tenants: Deployment['Tenants'] }) {
  const t = useTranslations('deployment');
  const headers = [t('tenant'), t('people'), t('calls'), t('commits'), t('megabytes')];
  const rows = tenants.map(({ TenantID, Name, People, Calls, Commits, Bytes }) => ({
    key: TenantID,
    header: Name,
    values: [People, Calls, Commits, Math.round(Bytes / 1e6)],
  }));
  return <NumberTable label={t('biggest')} headers={headers} rows={rows} />;
}
