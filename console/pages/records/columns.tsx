import { Anchor, Badge, Menu } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import type { Column } from '../../parts/list.tsx';
import { MoreMenu } from '../../parts/more-menu.tsx';
import { usePercent } from '../../parts/percent.ts';
import { Instant, None, Note, OutcomeBadge } from '../../parts/values.tsx';
import { EnrolmentLink } from '../enrolments/enrolment-link.tsx';
import { useRequirements } from '../requirements/record.ts';
import { DeleteCompletionDialog } from './delete-dialog.tsx';

export type TrainingRecord = components['schemas']['TrainingRecord'];

export const keyOf = (row: TrainingRecord) => row.CompletionID ?? row.EnrollID ?? '';

/** The columns of every list of what people have done, after the person. */
export function useRecordColumns(): Column<TrainingRecord>[] {
  const t = useTranslations('records');
  const percent = usePercent();
  const titles = new Map(useRequirements().map(({ RequirementID, Title }) => [RequirementID, Title]));
  return [
    { key: 'title', header: t('title'), share: 26, cell: (row) => <What row={row} titles={titles} /> },
    {
      key: 'outcome',
      header: t('outcome'),
      onPhone: 'aside',
      cell: ({ Outcome }) => <OutcomeBadge outcome={Outcome} />,
    },
    {
      key: 'score',
      header: t('score'),
      align: 'end',
      cell: ({ Score }) => (Score === null ? <None /> : percent(Score)),
    },
    {
      key: 'completed',
      header: t('completed'),
      cell: ({ CompletedAt }) => <Instant at={CompletedAt} isDay />,
    },
    { key: 'until', header: t('validUntil'), cell: ({ ValidUntil }) => <Instant at={ValidUntil} isDay /> },
    { key: 'source', header: t('source'), share: 24, cell: (row) => <Source row={row} /> },
    { key: 'actions', header: t('actions'), isActions: true, cell: (row) => <Actions row={row} /> },
  ];
}

type WhatProps = { row: TrainingRecord; titles: ReadonlyMap<string, string> };

function What({ row, titles }: WhatProps) {
  const { LoginID, EnrollID, Title, CourseID, Release, RequirementIDs } = row;
  const t = useTranslations('records');
  const title = Title ?? CourseID ?? '';
  return (
    <>
      {EnrollID === null ? (
        <span className="break">{title}</span>
      ) : (
        <EnrolmentLink of={{ LoginID, EnrollID }} text={title} />
      )}
      {Release !== null && <Note>{t('release', { number: Release })}</Note>}
      {RequirementIDs.length > 0 && (
        <Note>
          {t('satisfies', { requirements: RequirementIDs.map((id) => titles.get(id) ?? id).join(', ') })}
        </Note>
      )}
    </>
  );
}

/** Where it was completed, and what proves it. */
function Source({ row: { External, Source: source, EvidenceText, EvidenceURL } }: { row: TrainingRecord }) {
  const t = useTranslations('records');
  if (!External) return t('here');
  return (
    <>
      <Badge color="gray" miw="max-content">
        {t('external')}
      </Badge>{' '}
      <span className="break">{source}</span>
      {(EvidenceText || EvidenceURL) && (
        <Note>
          {EvidenceText}{' '}
          {EvidenceURL && (
            <Anchor size="xs" href={EvidenceURL} target="_blank" rel="noreferrer">
              {t('evidence')}
            </Anchor>
          )}
        </Note>
      )}
    </>
  );
}

/** A completion from elsewhere is evidence, so it is deleted with a reason and recorded again. */
function Actions({ row }: { row: TrainingRecord }) {
  const t = useTranslations('records');
  const [isOpen, setOpen] = useState(false);
  if (row.CompletionID === null) return null;
  return (
    <>
      <MoreMenu label={t('actions')} isCompact>
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          {t('delete')}
        </Menu.Item>
      </MoreMenu>
      {isOpen && (
        <DeleteCompletionDialog
          completionId={row.CompletionID}
          title={row.Title ?? ''}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
