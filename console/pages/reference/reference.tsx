import '../../parts/sample.css';
import './reference.css';
import { Anchor, Grid, NativeSelect, NavLink, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { SearchFilter, useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, Message, WaitingRows } from '../../parts/states.tsx';
import { type Document, type Entry, entriesOf, groupsOf } from './document.ts';
import { Method } from './method.tsx';
import { OperationView } from './operation.tsx';

async function readDocument(): Promise<Document> {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw await response.json().catch(() => null);
  return response.json();
}

/** Shown if the URL does not identify an operation. */
const firstOperation = 'enrol';

/** The whole API, from the OpenAPI document. The page shows one operation at a time, named by the URL's fragment. */
export default function Reference() {
  const t = useTranslations('reference');
  const [filters, change] = useFilters(['filter']);
  const { hash } = useLocation();
  const document = useQuery({ queryKey: ['openapi.json'], queryFn: readDocument, staleTime: Infinity });
  const entries = useMemo(() => (document.data ? entriesOf(document.data) : []), [document.data]);
  const groups = useMemo(() => groupsOf(entries, filters.filter ?? ''), [entries, filters.filter]);
  const isFound = ({ operationId }: Entry) =>
    groups.some(([, items]) => items.some((item) => item.operationId === operationId));
  const shown =
    entries.find(({ operationId }) => operationId === hash) ??
    entries.find((entry) => entry.operationId === firstOperation && isFound(entry)) ??
    groups[0]?.[1][0];
  return (
    <Page
      title={t('title')}
      text={
        <>
          {t('text')}{' '}
          <Anchor href="/openapi.json" underline="always">
            openapi.json
          </Anchor>{' '}
          ·{' '}
          <Anchor href="/openapi-console.json" underline="always">
            openapi-console.json
          </Anchor>{' '}
          ·{' '}
          <Anchor href="/docs/errors" underline="always">
            {t('errorCodes')}
          </Anchor>{' '}
          ·{' '}
          <Anchor href="/docs/guide" underline="always">
            {t('guide')}
          </Anchor>
        </>
      }
    >
      {document.isPending && <WaitingRows />}
      {document.isError && <Failed error={document.error} onRetry={() => document.refetch()} />}
      {document.data && (
        <Grid gap="xl">
          <Grid.Col span={{ base: 12, md: 4, lg: 3 }}>
            <Stack gap="md" className="operations">
              <SearchFilter
                label={t('filter')}
                value={filters.filter}
                onChange={(filter) => change({ filter })}
              />
              <Choice groups={groups} shown={shown} />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 8, lg: 9 }}>
            {shown ? (
              <OperationView
                key={shown.operationId}
                entry={shown}
                baseUrl={document.data.servers[0]?.url ?? ''}
              />
            ) : (
              <Message title={t('noneTitle')} text={t('noneText')} />
            )}
          </Grid.Col>
        </Grid>
      )}
    </Page>
  );
}

type ChoiceProps = { groups: [string, Entry[]][]; shown: Entry | undefined };

/** A tree on wide screens and a select on phones. */
function Choice({ groups, shown }: ChoiceProps) {
  const t = useTranslations('reference');
  const navigate = useNavigate();
  const open = (hash: string) =>
    void navigate({ to: '.', hash, search: (before: object) => before as never });
  useEffect(() => {
    const list = window.document.querySelector<HTMLElement>('.operations nav');
    const chosen = list?.querySelector<HTMLElement>('[aria-current]');
    // Scrolls only within the list, so that the page stays at the top.
    if (list && chosen) list.scrollTop = chosen.offsetTop - list.offsetTop - list.clientHeight / 2;
  }, []);
  return (
    <>
      <NativeSelect
        hiddenFrom="md"
        label={t('operation')}
        value={shown?.operationId ?? ''}
        onChange={(event) => open(event.currentTarget.value)}
        data={groups.map(([group, items]) => ({
          group,
          items: items.map(({ operationId, summary }) => ({
            value: operationId,
            label: summary ?? operationId,
          })),
        }))}
      />
      <Stack visibleFrom="md" gap="md" component="nav" aria-label={t('operations')}>
        {groups.map(([group, items]) => (
          <Stack gap={2} key={group}>
            <Title order={2} size="xs" c="dimmed" px="xs">
              {group}
            </Title>
            {items.map((entry) => (
              <NavLink
                key={entry.operationId}
                className="place"
                href={`#${entry.operationId}`}
                active={entry === shown}
                aria-current={entry === shown ? 'true' : undefined}
                onClick={(event) => {
                  event.preventDefault();
                  open(entry.operationId);
                }}
                label={
                  <Text span size="sm">
                    {entry.summary ?? entry.operationId}
                    <VisuallyHidden> {entry.path}</VisuallyHidden>
                  </Text>
                }
                rightSection={entry.method === 'EVENT' ? null : <Method method={entry.method} isSmall />}
              />
            ))}
          </Stack>
        ))}
      </Stack>
    </>
  );
}
