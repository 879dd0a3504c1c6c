import { Alert, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { Rows } from '../../parts/list.tsx';
import { Instant } from '../../parts/values.tsx';
import { ListedUser } from '../users/person.tsx';
import { useBecause } from './because.ts';
import { StatusBadge } from './status.tsx';

export type RequirementPlan = components['schemas']['RequirementPlan'];

export const shown = 50;
/** The changes that may be overdue from the beginning. */
const begins = ['open', 'move', 'reopen'];
const changes = ['open', 'move', 'meet', 'reopen', 'close'] as const;

/** What saving would change, in one sentence and for each person. */
export function Plan({ plan: { Opens, Changes, More } }: { plan: RequirementPlan }) {
  const t = useTranslations('requirements');
  const because = useBecause();
  const counts = changes.flatMap((change) => {
    const count = change === 'open' ? Opens : Changes.filter(({ Change }) => Change === change).length;
    return count > 0 ? [t(`changes.${change}`, { count })] : [];
  });
  const late = Changes.filter(({ Change, Status }) => begins.includes(Change) && Status === 'overdue').length;
  return (
    <Stack gap="sm">
      <Alert color="blue" role="status" title={t('planTitle')}>
        {counts.length === 0 ? t('planNothing') : counts.join(' ')} {More && t('planMore')}
      </Alert>
      {late > 0 && <Alert color="orange" title={t('planLate', { count: late })} />}
      {Changes.length > 0 && (
        <Rows
          label={t('planTitle')}
          rows={Changes.slice(0, shown)}
          rowKey={({ LoginID, Change, DueAt }) => JSON.stringify([LoginID, Change, DueAt])}
          columns={[
            {
              key: 'person',
              header: t('person'),
              cell: ({ LoginID }) => <ListedUser loginId={LoginID} />,
            },
            { key: 'change', header: t('change'), cell: ({ Change }) => t(`changed.${Change}`) },
            { key: 'due', header: t('dueAt'), cell: ({ DueAt }) => <Instant at={DueAt} isDay /> },
            { key: 'status', header: t('status'), cell: ({ Status }) => <StatusBadge status={Status} /> },
            { key: 'before', header: t('before'), cell: (row) => <Instant at={row.DueAtBefore} isDay /> },
            { key: 'why', header: t('why'), cell: (row) => because(row) },
          ]}
        />
      )}
      {Changes.length > shown && (
        <Text size="sm" c="dimmed">
          {t('planShown', { shown, count: Changes.length })}
        </Text>
      )}
    </Stack>
  );
}
