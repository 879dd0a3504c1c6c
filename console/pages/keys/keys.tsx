import { Anchor, Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import { FilterBar, SearchFilter, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import type { Order, Sort } from '../../parts/sorting.tsx';
import { Message, NoneFound } from '../../parts/states.tsx';
import { Instant, Note } from '../../parts/values.tsx';
import { CreatedKeys } from './created-keys.tsx';
import { FindKey } from './find-key.tsx';
import { KeyDrawer } from './key-drawer.tsx';
import { type InitialKeys, NewKeysDialog } from './new-keys.tsx';
import {
  CourseName,
  type CreatedKey,
  type EnrolmentKey,
  Holder,
  isStatus,
  KeyStart,
  KeyStatusBadge,
  StatusText,
  statuses,
} from './values.tsx';

function OpenKey({ enrolmentKey }: { enrolmentKey: EnrolmentKey }) {
  const t = useTranslations('keys');
  return (
    <>
      <Anchor
        inherit
        aria-label={t('keyOf', { start: enrolmentKey.KeyStart })}
        renderRoot={(props) => (
          <Link
            to="."
            search={(before: object) => ({ ...before, key: enrolmentKey.KeyID }) as never}
            {...props}
          />
        )}
      >
        <KeyStart start={enrolmentKey.KeyStart} />
      </Anchor>
      {enrolmentKey.PurchaseOrder !== null && <Note>{enrolmentKey.PurchaseOrder}</Note>}
    </>
  );
}

function useColumns(): Column<EnrolmentKey>[] {
  const t = useTranslations('keys');
  return [
    {
      key: 'key',
      header: t('key'),
      share: 22,
      cell: (enrolmentKey) => <OpenKey enrolmentKey={enrolmentKey} />,
    },
    {
      key: 'courses',
      header: t('courses'),
      share: 30,
      cell: ({ CourseIDs }) => (
        <div className="joined">
          {CourseIDs.slice(0, 3).map((courseId) => (
            <div key={courseId}>
              <CourseName courseId={courseId} />
            </div>
          ))}
          {CourseIDs.length > 3 && (
            <Text size="xs" c="dimmed" component="div">
              {t('moreCourses', { count: CourseIDs.length - 3 })}
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'for',
      header: t('forHeader'),
      share: 16,
      cell: (enrolmentKey) => <Holder enrolmentKey={enrolmentKey} />,
    },
    {
      key: 'status',
      header: t('status'),
      share: 32,
      cell: (enrolmentKey) => (
        <>
          <KeyStatusBadge status={enrolmentKey.Status} />
          <StatusText enrolmentKey={enrolmentKey} />
        </>
      ),
    },
    { key: 'created', header: t('created'), cell: ({ CreatedAt }) => <Instant at={CreatedAt} isDay /> },
  ];
}

export default function Keys() {
  const t = useTranslations('keys');
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const columns = useColumns();
  const [filters, change] = useFilters(['status', 'po', 'order', 'key']);
  // The dialog's initial values; null if it is closed.
  const [like, setLike] = useState<InitialKeys | null>(null);
  const [made, setMade] = useState<CreatedKey[] | null>(null);
  const wanted = {
    ...(isStatus(filters.status) ? { Status: filters.status } : {}),
    ...(filters.po ? { PurchaseOrder: filters.po } : {}),
  };
  const order: Order = filters.order === 'oldest' ? 'oldest' : 'newest';
  const query = { ...wanted, Order: order };
  const list = $api.useInfiniteQuery('get', '/enrolment/key', { params: { query } }, paged);
  const counted = { params: { query: { ...wanted, Limit: 1, Count: true } } };
  const { data: all } = $api.useQuery('get', '/enrolment/key', counted, { enabled: list.hasNextPage });
  const sort: Sort = {
    column: 'created',
    order,
    onChange: (order) => change({ order }),
    texts: { newest: t('orders.newest'), oldest: t('orders.oldest') },
  };
  const isFiltered = Object.keys(wanted).length > 0;
  const clear = () => change({ status: undefined, po: undefined, order: undefined });
  const make = <Button onClick={() => setLike({})}>{t('make')}</Button>;
  return (
    <Page
      title={shell('pages.keys')}
      text={t('text')}
      actions={
        <>
          <FindKey onFound={(key) => change({ key })} />
          <DownloadButton
            path={withQuery('/enrolment/key', query)}
            accept="text/csv"
            name="enrolment-keys.csv"
            text={t('csv')}
          />
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setLike({})}>
            {t('make')}
          </Button>
        </>
      }
    >
      <FilterBar count={filters.po ? 1 : 0} onClear={isFiltered ? clear : undefined}>
        <SelectFilter
          label={t('status')}
          value={filters.status}
          onChange={(status) => change({ status })}
          options={statuses.map((value) => ({ value, label: t(`statuses.${value}`) }))}
        />
        <SearchFilter label={t('purchaseOrder')} value={filters.po} onChange={(po) => change({ po })} />
      </FilterBar>
      <List
        label={shell('pages.keys')}
        query={list}
        sorts={[sort]}
        count={all?.Count}
        columns={columns}
        rowKey={({ KeyID }) => KeyID}
        empty={
          isFiltered ? (
            <NoneFound title={t('noneFound')} text={t('noneFoundText')} onShowAll={clear} />
          ) : (
            <Message title={t('none')} text={t('noneText')}>
              {make}
            </Message>
          )
        }
      />
      <KeyDrawer keyId={filters.key} onClose={() => change({ key: undefined })} onMakeAnother={setLike} />
      <NewKeysDialog like={like} onClose={() => setLike(null)} onMade={setMade} />
      <CreatedKeys made={made} onClose={() => setMade(null)} />
    </Page>
  );
}
