import { Alert, Button, Code, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import { FilterBar, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Message, NoneFound } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { LearnerPicker } from '../enrolments/pickers.tsx';
import { type AuditEntry, actionGroups, isAction } from './actions.ts';
import { EntryDialog } from './entry.tsx';
import { Actor, Change, Target } from './values.tsx';

const names = ['action', 'person', 'target', 'from', 'until'] as const;
const none = { action: undefined, person: undefined, target: undefined, from: undefined, until: undefined };

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
    { key: 'when', header: t('when'), cell: ({ At }) => <Instant at={At} /> },
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
  const { $api, tenant } = useApi();
  const { Role } = useSession();
  const [filters, change] = useFilters(names);
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const hasTenant = tenant !== null || Role !== 'operator';
  const after = midnight(filters.from);
  const before = midnight(filters.until, 1);
  const query = {
    Order: 'newest',
    ...(isAction(filters.action) ? { Action: filters.action } : {}),
    ...(filters.person && hasTenant ? { LoginID: filters.person } : {}),
    ...(filters.target ? { TargetID: filters.target } : {}),
    ...(after ? { After: after } : {}),
    ...(before ? { Before: before } : {}),
  } as const;
  const list = $api.useInfiniteQuery('get', '/audit', { params: { query: { ...query, Limit: 50 } } }, paged);
  const shown = list.data?.pages.flatMap((page) => page?.Items ?? []) ?? [];
  const columns = useColumns(!hasTenant, (id) =>
    setOpened(shown.find(({ AuditID }) => AuditID === id) ?? null),
  );
  const clear = Object.keys(filters).length > 0 ? () => change(none) : undefined;
  return (
    <Page
      title={shell('pages.audit')}
      text={t(hasTenant ? 'text' : 'textOfAll')}
      actions={
        <DownloadButton
          path={withQuery('/audit', query)}
          accept="text/csv"
          name="audit.csv"
          text={t('csv')}
        />
      }
    >
      <FilterBar count={[filters.person, filters.from, filters.until].filter(Boolean).length} onClear={clear}>
        <SelectFilter
          label={t('what')}
          value={filters.action}
          onChange={(action) => change({ action })}
          options={actionGroups.map(({ group, actions }) => ({
            group: t(`groups.${group}`),
            items: actions.map((action) => ({ value: action, label: t(`actions.${action}`) })),
          }))}
        />
        {hasTenant && (
          <LearnerPicker
            label={t('person')}
            value={filters.person}
            onChange={(person) => change({ person })}
            className="filter"
          />
        )}
        {(['from', 'until'] as const).map((end) => (
          <TextInput
            key={end}
            type="date"
            label={t(end)}
            value={filters[end] ?? ''}
            onChange={(event) => change({ [end]: event.currentTarget.value || undefined })}
            className="filter"
          />
        ))}
      </FilterBar>
      {filters.target && (
        <Alert color="gray" variant="light">
          {t('ofTarget')} <Code className="break">{filters.target}</Code>
        </Alert>
      )}
      <List
        label={shell('pages.audit')}
        query={list}
        columns={columns}
        rowKey={({ AuditID }) => AuditID}
        empty={
          clear ? (
            <NoneFound title={t('noneFoundTitle')} text={t('noneFoundText')} onShowAll={clear} />
          ) : (
            <Message title={t('noneTitle')} text={t('noneText')} />
          )
        }
      />
      <EntryDialog entry={opened} onClose={() => setOpened(null)} />
    </Page>
  );
}
