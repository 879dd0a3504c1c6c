import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useSession } from '../../api/session.tsx';
import { Rows } from '../../parts/list.tsx';
import { Section } from '../../parts/section.tsx';
import { useComplianceByRequirement } from '../requirements/record.ts';
import { type Compliance, counted, useFigureColumns } from '../requirements/status.tsx';
import { AllWell } from './attention-list.tsx';

/** What is overdue, by requirement, the worst first. Nothing for a tenant without requirements. */
export function Required() {
  const t = useTranslations('obligations');
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
    <Section
      isShort
      title={t('required')}
      actions={
        count > 0 ? (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                to="/console/requirements/people"
                search={{ ...counted, status: 'late' } as never}
                {...props}
              />
            )}
          >
            {t('showLate', { count })}
          </Anchor>
        ) : (
          <AllWell text={t('noneLate')} />
        )
      }
    >
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
                    search={{ ...counted, requirement: RequirementID } as never}
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
    </Section>
  );
}
