import { Anchor, Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import {
  CsvButton,
  choiceFilter,
  FilteredList,
  ListFilterBar,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import { SearchFilter, useFilters } from '../../parts/filters.tsx';
import type { Column } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import type { Order, Sort } from '../../parts/sorting.tsx';
import { Message } from '../../parts/states.tsx';
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
      onPhone: 'plain',
      header: t('status'),
      share: 32,
      cell: (enrolmentKey) => (
        <>
          <KeyStatusBadge status={enrolmentKey.Status} />
          <StatusText enrolmentKey={enrolmentKey} />
        </>
      ),
    },
    {
      key: 'created',
      header: t('created'),
      onPhone: 'hidden',
      cell: ({ CreatedAt }) => <Instant at={CreatedAt} isDay />,
    },
  ];
}

export default function Keys() {
  const t = useTranslations('keys');
  const shell = useTranslations('shell');
  // The dialog's initial values; null if it is closed.
  const [like, setLike] = useState<InitialKeys | null>(null);
  const [made, setMade] = useState<CreatedKey[] | null>(null);
  const [{ key }, change] = useFilters(['key']);
  const columns = useColumns();
  const at = useListFilters(
    [
      choiceFilter(
        'status',
        t('status'),
        statuses.map((value) => ({ value, label: t(`statuses.${value}`), query: { Status: value } })),
      ),
      {
        name: 'po',
        query: (PurchaseOrder) => ({ PurchaseOrder }),
        field: (props) => <SearchFilter label={t('purchaseOrder')} {...props} />,
      },
    ],
    ['order'],
  );
  const order: Order = at.values.order === 'oldest' ? 'oldest' : 'newest';
  const rowKey = ({ KeyID }: EnrolmentKey) => KeyID;
  const rows = useListRows<EnrolmentKey>({
    ...{ path: '/enrolment/key', at, rowKey },
    order: { Order: order },
  });
  const sort: Sort = {
    column: 'created',
    order,
    onChange: (order) => at.change({ order }),
    texts: { newest: t('orders.newest'), oldest: t('orders.oldest') },
  };
  const make = <Button onClick={() => setLike({})}>{t('make')}</Button>;
  return (
    <Page
      title={shell('pages.keys')}
      text={t('text')}
      actions={
        <>
          <FindKey onFound={(key) => change({ key })} />
          <CsvButton rows={rows} />
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setLike({})}>
            {t('make')}
          </Button>
        </>
      }
    >
      <ListFilterBar at={at} />
      <FilteredList
        label={shell('pages.keys')}
        rows={rows}
        columns={columns}
        sorts={[sort]}
        noneFound={{ title: t('noneFound'), text: t('noneFoundText') }}
        none={
          <Message title={t('none')} text={t('noneText')}>
            {make}
          </Message>
        }
      />
      <KeyDrawer keyId={key} onClose={() => change({ key: undefined })} onMakeAnother={setLike} />
      <NewKeysDialog like={like} onClose={() => setLike(null)} onMade={setMade} />
      <CreatedKeys made={made} onClose={() => setMade(null)} />
    </Page>
  );
}
