import { Button, Center, Group, Stack, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { useAction } from '../../parts/action.tsx';
import { csvFile } from '../../parts/csv.ts';
import { FilterBar, SearchFilter, SelectFilter } from '../../parts/filters.tsx';
import { type Column, Rows } from '../../parts/list.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { FailedAction } from '../../parts/states.tsx';
import { UserLink } from '../users/person.tsx';
import type { RejectedRow } from './outcome.ts';
import { rejectedRows } from './rejected-file.ts';
import type { Source } from './source.ts';

/** A short page, because each row is a card on a phone. */
export const pageSize = 10;

/** The reason in the viewer's language if there is a translation. */
export function useReason(): (code: string) => string {
  const t = useTranslations('bulk');
  return (code) => {
    const known = `reasons.${code}` as Parameters<typeof t.has>[0];
    return t.has(known) ? (t as (key: string) => string)(known) : code;
  };
}

/** Errors for which the console has its own advice. For other errors, the service's text is clear enough here. */
const ownAdvice = [
  ...['user_not_found', 'user_disabled', 'course_not_found'],
  ...['multiple_enrolment_options', 'option_not_found'],
] as const;

function useAdvice(): (row: RejectedRow) => string {
  const t = useTranslations('bulk.existing');
  const format = useFormatter();
  return ({ code, detail, options }) => {
    const own = ownAdvice.find((one) => one === code);
    if (!own || (own === 'option_not_found' && options.length === 0)) return detail;
    return t(`advice.${own}`, { options: format.list(options, { type: 'disjunction' }) });
  };
}

function useColumns({ isGroup }: Pick<Props, 'isGroup'>): Column<RejectedRow>[] {
  const t = useTranslations('bulk');
  const reason = useReason();
  const advice = useAdvice();
  return [
    {
      key: 'row',
      header: t('subjectOf.enrolments'),
      cell: ({ loginId, courseId }) => (
        <Text size="sm" component="div" className="refused-row">
          {loginId !== null ? (
            <UserLink loginId={loginId}>{loginId}</UserLink>
          ) : (
            <span className="break">{courseId ?? '–'}</span>
          )}
          {courseId !== null && !isGroup && loginId !== null && (
            <Text size="xs" c="dimmed" className="break">
              {courseId}
            </Text>
          )}
        </Text>
      ),
    },
    {
      key: 'reason',
      header: t('reason'),
      cell: (row) => (
        <div>
          <Text size="sm" fw={600}>
            {reason(row.code)}
          </Text>
          <Text size="xs" c="dimmed" className="break">
            {advice(row)}
          </Text>
        </div>
      ),
    },
  ];
}

type Props = {
  refused: readonly RejectedRow[];
  source: Source;
  /** Whether all rows are for the same course. */
  isGroup: boolean;
};

/** The skipped rows and their reasons. */
export function RejectedRows(props: Props) {
  const { refused, source } = props;
  const t = useTranslations('bulk');
  const reason = useReason();
  const advice = useAdvice();
  const columns = useColumns(props);
  const [code, setCode] = useState<string>();
  const [sought, setSought] = useState<string>();
  const [shown, setShown] = useState(pageSize);
  const counts = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { code } of refused) counts.set(code, (counts.get(code) ?? 0) + 1);
    return [...counts].sort(([, one], [, other]) => other - one);
  }, [refused]);
  const text = sought?.toLowerCase();
  const found = useMemo(
    () =>
      refused.filter(
        (one) =>
          (code === undefined || one.code === code) &&
          (text === undefined || [one.loginId, one.courseId].join(' ').toLowerCase().includes(text)),
      ),
    [refused, code, text],
  );
  const download = useAction(async () => {
    saveFile('enrolments-refused.csv', csvFile(rejectedRows(source, found, reason, advice)));
  });
  const clear = () => {
    setCode(undefined);
    setSought(undefined);
  };
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Stack gap={2}>
          <Title order={3} size="h4">
            {t('skippedTitle', { count: refused.length })}
          </Title>
          <Text size="sm" c="dimmed" maw={560}>
            {t('skippedText')}
          </Text>
        </Stack>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={download.isRunning}
          onClick={() => download.run()}
        >
          {t('skippedDownload', { count: found.length })}
        </Button>
      </Group>
      <FailedAction error={download.error} />
      <FilterBar
        count={code === undefined ? 0 : 1}
        onClear={code !== undefined || sought !== undefined ? clear : undefined}
      >
        <SearchFilter label={t('find')} value={sought} onChange={setSought} />
        <SelectFilter
          label={t('reason')}
          value={code}
          onChange={setCode}
          options={counts.map(([code, count]) => ({
            value: code,
            label: t('reasonCount', { reason: reason(code), count }),
          }))}
        />
      </FilterBar>
      {found.length === 0 ? (
        <Text c="dimmed">{t('noneFound')}</Text>
      ) : (
        <Rows
          label={t('skippedTitle', { count: refused.length })}
          columns={columns}
          rows={found.slice(0, shown)}
          rowKey={({ row }) => String(row)}
        />
      )}
      {found.length > shown && (
        <Center>
          <Button variant="default" onClick={() => setShown(shown + 5 * pageSize)}>
            {t('more', { shown, of: found.length })}
          </Button>
        </Center>
      )}
    </Stack>
  );
}
