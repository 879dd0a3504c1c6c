import { Badge } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { FilterBar, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Message, NoneFound } from '../../parts/states.tsx';
import { Instant, Note } from '../../parts/values.tsx';
import { Invited } from './invited.tsx';

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
    { key: 'user', header: t('user'), share: 24, cell: ({ LoginID }) => <Invited loginId={LoginID} /> },
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
    { key: 'status', header: t('status'), share: 28, cell: (mail) => <Outcome mail={mail} /> },
    {
      key: 'at',
      header: t('at'),
      cell: ({ AttemptedAt, CreatedAt }) => <Instant at={AttemptedAt ?? CreatedAt} />,
    },
  ];
}

export default function Mails() {
  const t = useTranslations('mails');
  const { $api } = useApi();
  const [filters, change] = useFilters(['status']);
  const Status = statuses.find((one) => one === filters.status);
  const query = { ...(Status ? { Status } : {}) };
  const list = $api.useInfiniteQuery('get', '/mail', { params: { query } }, paged);
  const counted = { params: { query: { ...query, Limit: 1, Count: true } } };
  const { data: all } = $api.useQuery('get', '/mail', counted, { enabled: list.hasNextPage });
  const columns = useColumns();
  return (
    <Page title={t('title')} text={t('text')}>
      <FilterBar count={0}>
        <SelectFilter
          label={t('status')}
          value={Status ?? 'all'}
          onChange={(status) => change({ status: status === 'all' ? undefined : status })}
          options={[
            { value: 'all', label: t('all') },
            ...statuses.map((value) => ({ value, label: t(`statuses.${value}`) })),
          ]}
          isRequired
        />
      </FilterBar>
      <List
        label={t('title')}
        query={list}
        count={all?.Count}
        columns={columns}
        rowKey={({ MailID }) => MailID}
        empty={
          Status ? (
            <NoneFound
              title={t('noneFound')}
              text={t('noneFoundText')}
              onShowAll={() => change({ status: undefined })}
            />
          ) : (
            <Message title={t('none')} text={t('noneText')} />
          )
        }
      />
    </Page>
  );
}
