import { useTranslations } from 'use-intl';
import type { Column } from '../../parts/list.tsx';
import { usePercent } from '../../parts/percent.ts';
import { Instant, None, OutcomeBadge } from '../../parts/values.tsx';
import { type Enrolment, ProgressOf } from './values.tsx';

/** The columns shared by all lists of enrolments, after the user or course. */
export function useEnrolmentColumns(): Column<Enrolment>[] {
  const t = useTranslations('enrolments');
  const percent = usePercent();
  return [
    {
      key: 'status',
      header: t('status'),
      onPhone: 'aside',
      cell: ({ Outcome }) => <OutcomeBadge outcome={Outcome} />,
    },
    { key: 'progress', header: t('progress'), cell: (row) => <ProgressOf value={row.Progress} /> },
    {
      key: 'score',
      header: t('score'),
      cell: ({ Score }) => (Score === null ? <None /> : <span className="score">{percent(Score)}</span>),
    },
    {
      key: 'due',
      header: t('dueAt'),
      cell: ({ DueAt }) => <Instant at={DueAt} isDay />,
    },
    {
      key: 'ends',
      header: t('ends'),
      // What is due first is more urgent, and there is space for one date.
      onPhone: ({ DueAt }) => (DueAt === null ? undefined : 'hidden'),
      cell: ({ ExpiresAt }) => <Instant at={ExpiresAt} none={t('never')} isDay />,
    },
  ];
}
