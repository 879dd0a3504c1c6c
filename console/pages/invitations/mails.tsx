import { Badge } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import {
  choiceFilter,
  FilteredList,
  ListFilterBar,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import type { Column } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Message } from '../../parts/states.tsx';
import { Instant, Note } from '../../parts/values.tsx';
import { ListedUser } from '../users/person.tsx';

type Mail = components['schemas']['Mail'];

const statuses = ['queued', 'sent', 'bounced', 'failed', 'cancelled'] as const;
const colors = {
  queued: 'blue',
  sent: 'green',
  bounced: 'orange',
  failed: 'red',
  cancelled: 'gray',
} as const;

/** The mail server's response or the reason for the bounce, to explain why an address does not work. */
function Outcome({ mail }: { mail: Mail }) {
  const t = useTranslations('mails');
  const { Status, Answer, NextAttemptAt, Attempts, BounceKind, BounceReason } = mail;
  const reason = Status === 'bounced' ? BounceReason : Status === 'sent' ? null : Answer;
  return (
    <>
      <Badge color={colors[Status]}>{t(`statuses.${Status}`)}</Badge>
      {NextAttemptAt !== null && Attempts > 0 && (
        <Note>{t.rich('retry', { at: () => <Instant at={NextAttemptAt} /> })}</Note>
      )}
      {BounceKind !== null && <Note>{t(`bounces.${BounceKind}`)}</Note>}
      {reason !== null && <Note>{reason}</Note>}
    </>
  );
}

function useColumns(): Column<Mail>[] {
  const t = useTranslations('mails');
  return [
    { key: 'user', header: t('user'), share: 24, cell: ({ LoginID }) => <ListedUser loginId={LoginID} /> },
    {
      key: 'mail',
      header: t('mail'),
      share: 38,
      cell: ({ Kind, Address }) => (
        <>
          {t(`kinds.${Kind}`)}
          <Note>{Address}</Note>
        </>
      ),
    },
    {
      key: 'status',
      onPhone: 'aside',
      header: t('status'),
      share: 28,
      cell: (mail) => <Outcome mail={mail} />,
    },
    {
      key: 'at',
      onPhone: 'plain',
      header: t('at'),
      cell: ({ AttemptedAt, CreatedAt }) => <Instant at={AttemptedAt ?? CreatedAt} />,
    },
  ];
}

export default function Mails() {
  const t = useTranslations('mails');
  const at = useListFilters([
    choiceFilter(
      'status',
      t('status'),
      statuses.map((value) => ({ value, label: t(`statuses.${value}`), query: { Status: value } })),
      t('all'),
    ),
  ]);
  const rowKey = ({ MailID }: Mail) => MailID;
  const rows = useListRows<Mail>({ path: '/mail', at, rowKey });
  const columns = useColumns();
  return (
    <Page title={t('title')} text={t('text')}>
      <ListFilterBar at={at} />
      <FilteredList
        label={t('title')}
        rows={rows}
        columns={columns}
        noneFound={{ title: t('noneFound'), text: t('noneFoundText') }}
        none={<Message title={t('none')} text={t('noneText')} />}
      />
    </Page>
  );
}
