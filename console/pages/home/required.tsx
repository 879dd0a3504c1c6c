import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { useTranslations } from 'use-intl';
import { useSession } from '../../api/session.tsx';
import { Rows } from '../../parts/list.tsx';
import { useComplianceByRequirement } from '../requirements/record.ts';
import { type Compliance, useFigureColumns } from '../requirements/status.tsx';

/** What is overdue, by requirement, the worst first. Nothing for a tenant without requirements. */
export function Required() {
  const t = useTranslations('obligations');
  const id = useId();
  const { Scopes } = useSession();
  const mayRead = Scopes.includes('requirements:read');
  const { data } = useComplianceByRequirement(mayRead);
  const late = ({ Overdue, Expired }: Compliance) => Overdue + Expired;
  const lines = [...(data?.Items ?? [])].sort((a, b) => late(b) - late(a));
  const figures = useFigureColumns<Compliance>(
    ['Overdue', 'Expired', 'DueSoon', 'Expiring', 'ValidPercent', 'Obligations'],
    (line) => line,
    ({ RequirementID }) => (RequirementID === null ? {} : { requirement: RequirementID }),
  );
  if (lines.length === 0) return null;
  const count = lines.reduce((sum, line) => sum + late(line), 0);
  return (
    <Stack component="section" aria-labelledby={id} gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4" id={id}>
          {t('required')}
        </Title>
        {count > 0 ? (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link to="/console/requirements/people" search={{ status: 'late' } as never} {...props} />
            )}
          >
            {t('showLate', { count })}
          </Anchor>
        ) : (
          <Group gap="xs" wrap="nowrap" c="dimmed">
            <IconCircleCheck size={20} stroke={1.6} color="var(--lectern-well)" aria-hidden />
            <Text size="sm">{t('noneLate')}</Text>
          </Group>
        )}
      </Group>
      <Rows
        label={t('byRequirement')}
        rows={lines}
        rowKey={({ RequirementID }) => RequirementID ?? ''}
        columns={[
          {
            key: 'title',
            header: t('requirement'),
            cell: ({ RequirementID, Title: title }) => (
              <Anchor
                className="break"
                inherit
                renderRoot={(props) => (
                  <Link
                    to="/console/requirements/people"
                    search={{ requirement: RequirementID } as never}
                    {...props}
                  />
                )}
              >
                {title ?? RequirementID}
              </Anchor>
            ),
          },
          ...figures,
        ]}
      />
    </Stack>
  );
}
