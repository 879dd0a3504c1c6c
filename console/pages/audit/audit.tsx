import { Alert, Button, Code, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import {
  dayFilter,
  FilteredList,
  ListFilterBar,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import { SelectFilter } from '../../parts/filters.tsx';
import type { Column } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Message } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { LearnerPicker } from '../enrolments/pickers.tsx';
import { type AuditEntry, actionGroups, isAction } from './actions.ts';
import { EntryDialog } from './entry.tsx';
import { Actor, Change, Target } from './values.tsx';

function useColumns(showsTenant: boolean, open: (auditId: string) => void): Column<AuditEntry>[] {
  const t = useTranslations('audit');
  const tenant: Column<AuditEntry> = {
    key: 'tenant',
    header: t('tenant'),
    share: 12,
    cell: ({ TenantID }) => (TenantID === null ? t('deployment') : <span className="break">{TenantID}</span>),
  };
  return [
    {
      key: 'what',
      header: t('what'),
      share: 40,
      cell: ({ Action, Data }) => (
        <>
          <Text size="sm" fw={600} span>
            {t(`actions.${Action}`)}
          </Text>
          <Change data={Data} />
        </>
      ),
    },
    { key: 'target', header: t('target'), share: 20, cell: (entry) => <Target entry={entry} /> },
    { key: 'who', header: t('who'), share: 26, cell: (entry) => <Actor entry={entry} /> },
    ...(showsTenant ? [tenant] : []),
    { key: 'when', header: t('when'), onPhone: 'plain', cell: ({ At }) => <Instant at={At} /> },
    {
      key: 'actions',
      header: t('more'),
      isActions: true,
      align: 'end',
      cell: ({ AuditID }) => (
        <Button size="compact-sm" variant="default" onClick={() => open(AuditID)}>
          {t('show')}
        </Button>
      ),
    },
  ];
}

/** Midnight in the viewer's time zone. Undefined if the date is invalid, so that it is not sent. */
function midnight(day: string | undefined, offset = 0): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? [];
  if (!date) return undefined;
  const instant = new Date(Number(year), Number(month) - 1, Number(date) + offset);
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString();
}

/** Who changed what, newest first: for one tenant or, for the operator, across all tenants. */
export default function Audit() {
  const t = useTranslations('audit');
  const shell = useTranslations('shell');
  const { tenant } = useApi();
  const { Role } = useSession();
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const hasTenant = tenant !== null || Role !== 'operator';
  const at = useListFilters([
    {
      name: 'action',
      query: (Action) => (isAction(Action) ? { Action } : {}),
      field: (props) => (
        <SelectFilter
          label={t('what')}
          options={actionGroups.map(({ group, actions }) => ({
            group: t(`groups.${group}`),
            items: actions.map((action) => ({ value: action, label: t(`actions.${action}`) })),
          }))}
          {...props}
        />
      ),
    },
    {
      name: 'person',
      query: (LoginID) => ({ LoginID }),
      field: (props) => <LearnerPicker label={t('person')} {...props} />,
      isHidden: () => !hasTenant,
    },
    dayFilter('from', t('from'), (day) => ({ After: midnight(day) })),
    dayFilter('until', t('until'), (day) => ({ Before: midnight(day, 1) })),
    // Links to this page set it.
    { name: 'target', query: (TargetID) => ({ TargetID }), field: () => null },
  ]);
  const rows = useListRows<AuditEntry>({
    ...{ path: '/audit', at, counts: false },
    order: { Order: 'newest', Limit: 50 },
    rowKey: ({ AuditID }) => AuditID,
  });
  const shown = rows.list.data?.pages.flatMap(({ Items }) => Items) ?? [];
  const columns = useColumns(!hasTenant, (id) =>
    setOpened(shown.find(({ AuditID }) => AuditID === id) ?? null),
  );
  return (
    <Page
      title={shell('pages.audit')}
      text={t(hasTenant ? 'text' : 'textOfAll')}
      actions={
        <DownloadButton
          path={withQuery('/audit', { ...at.wanted, Order: 'newest' })}
          accept="text/csv"
          name="audit.csv"
          text={t('csv')}
        />
      }
    >
      <ListFilterBar at={at} />
      {at.values.target && (
        <Alert color="gray" variant="light">
          {t('ofTarget')} <Code className="break">{at.values.target}</Code>
        </Alert>
      )}
      <FilteredList
        label={shell('pages.audit')}
        rows={rows}
        columns={columns}
        noneFound={{ title: t('noneFoundTitle'), text: t('noneFoundText') }}
        none={<Message title={t('noneTitle')} text={t('noneText')} />}
      />
      <EntryDialog entry={opened} onClose={() => setOpened(null)} />
    </Page>
  );
}
