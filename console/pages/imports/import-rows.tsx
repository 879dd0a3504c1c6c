import { Badge, Button, Center, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { type Api, useApi } from '../../api/api.tsx';
import { type Column, Rows } from '../../parts/list.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { useReason } from '../bulk/rejected-rows.tsx';
import { dataOf } from '../bulk/send-rows.ts';
import { UserLink } from '../users/person.tsx';
import type { Import } from './sentence.ts';

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

/** A page of the rows, and what comes of each. */
export function ImportRows({ one }: { one: Import }) {
  const t = useTranslations('imports');
  const { $api } = useApi();
  const { Counts } = one;
  const counts = {
    created: Counts.Created,
    updated: Counts.Updated,
    unchanged: Counts.Unchanged,
    partial: Counts.Partial,
    refused: Counts.Refused,
  };
  const [outcome, setOutcome] = useState<Outcome | ''>('');
  const [limit, setLimit] = useState(50);
  const [cursors, setCursors] = useState<string[]>([]);
  const cursor = cursors.at(-1);
  const query = { Limit: limit, ...(outcome && { Outcome: outcome }), ...(cursor && { Cursor: cursor }) };
  const path = { ImportID: one.ImportID };
  const { data, error, isPending, refetch } = $api.useQuery('get', '/import/{ImportID}', {
    params: { path, query },
  });
  const isPlan = one.Status === 'planned';
  const nameOf = (name: Outcome) =>
    isPlan && (name === 'created' || name === 'updated') ? t(`planned.${name}`) : t(`outcomes.${name}`);
  const exists = (user: ImportRow['User'], enrolment: ImportRow['Enrolment']) =>
    one.Status !== 'undone' && !(isPlan && user === 'created') && (user ?? enrolment) !== null;
  const columns: Column<ImportRow>[] = [
    {
      key: 'line',
      header: t('line'),
      cell: ({ Line }) => <span className="refused-line">{t('lineNumber', { line: String(Line) })}</span>,
    },
    {
      key: 'user',
      header: t('user'),
      cell: ({ LoginID, CourseID, User, Enrolment }) => (
        <div>
          {LoginID !== null && exists(User, Enrolment) ? (
            <UserLink loginId={LoginID}>{LoginID}</UserLink>
          ) : (
            <span className="break">{LoginID ?? '–'}</span>
          )}
          {CourseID !== null && (
            <Text size="xs" c="dimmed" className="break">
              {CourseID}
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
            <Badge color={Undone === 'kept' ? 'orange' : 'gray'} miw="max-content">
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
        onChange={({ currentTarget: { value } }) => {
          setOutcome(value as Outcome | '');
          setCursors([]);
        }}
        data={[
          { value: '', label: t('all', { count: Counts.Rows }) },
          ...outcomes
            .filter((name) => counts[name] > 0)
            .map((value) => ({ value, label: `${nameOf(value)} (${counts[value]})` })),
        ]}
      />
      {isPending && <WaitingRows />}
      {error && <Failed error={error} onRetry={refetch} />}
      {data && (
        <Rows label={t('rows')} columns={columns} rows={data.Rows} rowKey={({ Line }) => String(Line)} />
      )}
      {data?.NextCursor && (
        <Center>
          <Button
            variant="default"
            onClick={() => {
              if (limit < 200) setLimit(200);
              else setCursors([...cursors, data.NextCursor ?? '']);
            }}
          >
            {t('more')}
          </Button>
        </Center>
      )}
    </Stack>
  );
}

function Reason({ row: { code, detail, Notes, Changed, UndoReason } }: { row: ImportRow }) {
  const t = useTranslations('imports');
  const reason = useReason();
  if (UndoReason !== null) return <>{UndoReason === 'updated' ? t('kept') : reason(UndoReason)}</>;
  const texts = [
    ...(detail === null ? [] : [detail]),
    ...Notes,
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
