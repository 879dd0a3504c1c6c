import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { useDayFormat } from '../../parts/day-zone.ts';
import { type Column, Rows } from '../../parts/list.tsx';
import { FailedAction } from '../../parts/states.tsx';
import type { Import } from './sentence.ts';
import { sendFile, type Upload } from './upload.ts';

const fields = [
  ...['LoginID', 'FirstName', 'LastName', 'GroupName', 'Groups', 'Email', 'ManagerLoginID', 'IsAdmin'],
  ...['Register', 'Enabled', 'TimeFactor', 'IfExists', 'IfMissing', 'CourseID', 'DurationID', 'DueAt'],
  ...['ExpiresAt', 'IfEnrolled', 'Reference'],
];

type Props = {
  one: Import;
  upload: Upload | null;
  onMade: (upload: Upload, importId: string) => void;
};

/** How the columns were recognised. While the file is at hand, other fields can be chosen. */
export function ImportColumns({ one: { Columns }, upload, onMade }: Props) {
  const t = useTranslations('imports');
  const day = useDayFormat();
  const api = useApi();
  const recognised = Columns.map(({ Field }) => Field);
  const [chosen, setChosen] = useState<readonly (string | null)[]>(recognised);
  const planning = useAction(async () => {
    if (!upload) return;
    const again = { ...upload, query: { ...upload.query, Columns: chosen.join(',') } };
    onMade(again, (await sendFile(api, again)).ImportID);
  });
  const choose = (at: number, field: string | null) =>
    setChosen(chosen.map((known, other) => (other === at ? field : known === field ? null : known)));
  const columns: Column<number>[] = [
    {
      key: 'name',
      header: t('column'),
      cell: (at) => <span className="break">{Columns[at]?.Name || '–'}</span>,
    },
    {
      key: 'field',
      header: t('field'),
      cell: (at) =>
        upload ? (
          <NativeSelect
            aria-label={t('fieldOf', { column: Columns[at]?.Name ?? '' })}
            value={chosen[at] ?? ''}
            onChange={({ currentTarget: { value } }) => choose(at, value || null)}
            data={[
              { value: '', label: t('notImported') },
              ...fields,
              ...['Attributes', 'Metadata'].map(
                (of) =>
                  `${of}.${(Columns[at]?.Name ?? '').replaceAll(',', '').replace(/^(Attributes|Metadata)\./, '')}`,
              ),
            ]}
            className="field-choice"
            data-left={chosen[at] === null || undefined}
          />
        ) : (
          (Columns[at]?.Field ?? t('notImported'))
        ),
    },
    {
      key: 'note',
      header: t('note'),
      cell: (at) => {
        const { Meaning, Example } = Columns[at] ?? {};
        const read =
          Example &&
          t('example', {
            cell: Example.Cell,
            end: day(Example.At, { dateStyle: 'long', timeStyle: 'short' }),
          });
        return <Text size="sm">{Meaning ? t(`meanings.${Meaning}`) : (read ?? '–')}</Text>;
      },
    },
  ];
  const isChanged = chosen.some((field, at) => field !== recognised[at]);
  return (
    <Stack gap="sm">
      <Title order={3} size="h5">
        {t('columns')}
      </Title>
      <Rows label={t('columns')} columns={columns} rows={Columns.map((_, at) => at)} rowKey={String} />
      <FailedAction error={planning.error} />
      {isChanged && (
        <Group>
          <Button loading={planning.isRunning} onClick={() => void planning.run()}>
            {t('planAgain')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
