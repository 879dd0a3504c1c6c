import { Button } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { nameOf } from '../../api/session.tsx';
import type { Column } from '../../parts/list.tsx';
import { Instant } from '../../parts/values.tsx';
import { type Obligation, StatusBadge } from './status.tsx';

/** A person's own list does not repeat who it is about. */
type About = 'FirstName' | 'LastName' | 'Email' | 'GroupName' | 'ManagerLoginID';
type Shown = Omit<Obligation, About> & Partial<Pick<Obligation, About>>;

/** The columns of every list of obligations, after the person. `name`: of whom all rows are. */
export function useObligationColumns<Row extends Shown>(
  onExplain: (row: Row) => void,
  name?: string,
): Column<Row>[] {
  const t = useTranslations('requirements');
  return [
    {
      key: 'requirement',
      header: t('requirement'),
      share: 24,
      cell: ({ Title }) => <span className="break">{Title}</span>,
    },
    {
      key: 'status',
      header: t('status'),
      onPhone: 'aside',
      cell: ({ Status }) => <StatusBadge status={Status} />,
    },
    { key: 'due', header: t('dueAt'), cell: ({ DueAt }) => <Instant at={DueAt} isDay /> },
    { key: 'met', header: t('metAt'), cell: ({ MetAt }) => <Instant at={MetAt} isDay /> },
    {
      key: 'valid',
      header: t('validUntil'),
      cell: ({ MetAt, ValidUntil }) => (
        <Instant at={ValidUntil} isDay {...(MetAt !== null && { none: t('permanently') })} />
      ),
    },
    {
      key: 'why',
      header: t('why'),
      isActions: true,
      align: 'end',
      cell: (row) =>
        row.LoginID !== null && (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={t('whyOf', {
              name: name ?? nameOf({ FirstName: null, LastName: null, ...row, LoginID: row.LoginID }),
              title: row.Title,
            })}
            onClick={() => onExplain(row)}
          >
            {t('why')}
          </Button>
        ),
    },
  ];
}
