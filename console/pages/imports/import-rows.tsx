import { Anchor, Badge, Button, Center, NativeSelect, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { fullName } from '../../../standards/full-name.ts';
import { type Api, useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { type Column, Rows } from '../../parts/list.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { LoginID, UserLink } from '../users/person.tsx';
import { useReason } from './reasons.ts';
import { type Import, isFile } from './sentence.ts';

type ImportRow = components['schemas']['ImportRow'];
const outcomes = ['refused', 'partial', 'created', 'updated', 'unchanged'] as const;
type Outcome = (typeof outcomes)[number];

const colours = {
  created: 'green',
  updated: 'blue',
  unchanged: 'gray',
  partial: 'orange',
  refused: 'red',
} as const satisfies Record<Outcome, string>;

async function readPage(
  { client }: Pick<Api, 'client'>,
  ImportID: string,
  query: { Outcome?: Outcome; Cursor?: string; Limit: number },
) {
  return dataOf(client.GET('/import/{ImportID}', { params: { path: { ImportID }, query } }));
}

/** All rows with an outcome, page by page. */
export async function everyRow(api: Api, importId: string, outcome?: Outcome): Promise<ImportRow[]> {
  const rows: ImportRow[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await readPage(api, importId, {
      Limit: 200,
      ...(outcome && { Outcome: outcome }),
      ...(cursor && { Cursor: cursor }),
    });
    rows.push(...page.Rows);
    cursor = page.NextCursor;
  }
  return rows;
}

const pageSize = 50;

/** The rows, and what comes of each. */
export function ImportRows({ one }: { one: Import }) {
  const t = useTranslations('imports');
  const { Counts } = one;
  const counts = {
    created: Counts.Created,
    updated: Counts.Updated,
    unchanged: Counts.Unchanged,
    partial: Counts.Partial,
    refused: Counts.Refused,
  };
  const [outcome, setOutcome] = useState<Outcome | ''>('');
  const api = useApi();
  const rows = useInfiniteQuery({
    queryKey: ['rows of an import', one.ImportID, one.Status, outcome],
    queryFn: ({ pageParam }) =>
      readPage(api, one.ImportID, {
        Limit: pageSize,
        ...(outcome && { Outcome: outcome }),
        ...(pageParam && { Cursor: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: ({ NextCursor }) => NextCursor,
  });
  const isPlan = one.Status === 'planned';
  const nameOf = (name: Outcome) =>
    isPlan && (name === 'created' || name === 'updated') ? t(`planned.${name}`) : t(`outcomes.${name}`);
  const exists = (user: ImportRow['User'], enrolment: ImportRow['Enrolment']) =>
    one.Status !== 'undone' && !(isPlan && user === 'created') && (user ?? enrolment) !== null;
  const line: Column<ImportRow> = {
    key: 'line',
    header: t('line'),
    cell: ({ Line }) => <span className="refused-line">{t('lineNumber', { line: String(Line) })}</span>,
  };
  const columns: Column<ImportRow>[] = [
    ...(isFile(one) ? [line] : []),
    {
      key: 'user',
      header: t('user'),
      cell: ({ LoginID, FirstName, LastName, CourseID, EnrollID, User, Enrolment }) => (
        <div>
          <Person {...{ LoginID, FirstName, LastName }} isLink={exists(User, Enrolment)} />
          {CourseID !== null && (
            <Text size="xs" c="dimmed" className="break">
              {LoginID !== null && EnrollID !== null && !isPlan ? (
                <Anchor
                  inherit
                  renderRoot={(props) => (
                    <Link
                      to="/console/enrolments/$loginId/$enrollId"
                      params={{ loginId: LoginID, enrollId: EnrollID }}
                      {...props}
                    />
                  )}
                >
                  {CourseID}
                </Anchor>
              ) : (
                CourseID
              )}
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'outcome',
      header: t('outcome'),
      cell: ({ Outcome, Undone }) => {
        if (Undone !== null)
          return (
            <Badge color={Undone === 'removed' ? 'gray' : 'orange'} miw="max-content">
              {t(`undoneAs.${Undone}`)}
            </Badge>
          );
        return (
          Outcome && (
            <Badge color={colours[Outcome]} miw="max-content">
              {nameOf(Outcome)}
            </Badge>
          )
        );
      },
    },
    { key: 'reason', header: t('reason'), cell: (row) => <Reason row={row} /> },
  ];
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t('show')}
        maw={320}
        value={outcome}
        onChange={({ currentTarget: { value } }) => setOutcome(value as Outcome | '')}
        data={[
          { value: '', label: t('all', { count: Counts.Rows }) },
          ...outcomes
            .filter((name) => counts[name] > 0)
            .map((value) => ({ value, label: `${nameOf(value)} (${counts[value]})` })),
        ]}
      />
      {rows.isPending && <WaitingRows />}
      {rows.error && <Failed error={rows.error} onRetry={rows.refetch} />}
      {rows.data && (
        <Rows
          label={t('rows')}
          columns={columns}
          rows={rows.data.pages.flatMap(({ Rows }) => Rows)}
          rowKey={({ Line }) => String(Line)}
        />
      )}
      {rows.hasNextPage && (
        <Center>
          <Button
            variant="default"
            loading={rows.isFetchingNextPage}
            onClick={() => void rows.fetchNextPage()}
          >
            {t('more')}
          </Button>
        </Center>
      )}
    </Stack>
  );
}

type PersonProps = Pick<ImportRow, 'LoginID' | 'FirstName' | 'LastName'> & { isLink: boolean };

function Person({ isLink, ...row }: PersonProps) {
  if (row.LoginID === null) return <>–</>;
  const name = fullName(row.FirstName, row.LastName) || row.LoginID;
  return (
    <>
      {isLink ? <UserLink loginId={row.LoginID}>{name}</UserLink> : <span className="break">{name}</span>}
      <LoginID name={name} loginId={row.LoginID} />
    </>
  );
}

function Reason({ row: { code, detail, Notes, Changed, UndoReason } }: { row: ImportRow }) {
  const t = useTranslations('imports');
  const reason = useReason();
  if (UndoReason !== null) return <>{UndoReason === 'updated' ? t('kept') : reason(UndoReason)}</>;
  const texts = [
    ...(detail === null ? [] : [detail]),
    ...Notes.map(({ Kind, Value, Nearest }) =>
      t(`notes.${Kind}`, {
        ...{ value: Value, nearest: Nearest ?? '', near: String(Nearest !== null) },
      }),
    ),
    ...(Changed.length > 0 ? [t('changed', { fields: Changed.join(', ') })] : []),
  ];
  return (
    <Text size="sm" className="break" component="div">
      {code !== null && (
        <Text size="sm" fw={600}>
          {reason(code)}
        </Text>
      )}
      {texts.length === 0 && code === null ? '–' : texts.map((text) => <div key={text}>{text}</div>)}
    </Text>
  );
}
