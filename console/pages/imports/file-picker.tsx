import '@mantine/dropzone/styles.layer.css';
import { Button, Group, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { IconDownload, IconFileSpreadsheet, IconTableImport } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';
import { csvFile, csvRow } from '../../parts/csv.ts';
import { saveFile } from '../../parts/save-file.ts';

const template = [
  ['LoginID', 'FirstName', 'LastName', 'GroupName', 'Email', 'CourseID', 'DurationID'],
  ['anna.berg', 'Anna', 'Berg', 'Sales', 'anna.berg@example.com', 'fire-safety', '1-year'],
  ['ben.cole', 'Ben', 'Cole', 'Stock', 'ben.cole@example.com', '', ''],
];

type Props = { file: File | null; onChange: (file: File | null) => void };

/** A file of people or enrolments, dropped or chosen. */
export function FilePicker({ file, onChange }: Props) {
  const t = useTranslations('imports');
  const open = useRef<() => void>(null);
  if (file)
    return (
      <Group justify="space-between" gap="sm">
        <Group gap="sm" wrap="nowrap">
          <IconFileSpreadsheet size={28} stroke={1.3} aria-hidden />
          <Text fw={600} className="break">
            {file.name}
          </Text>
        </Group>
        <Button variant="default" onClick={() => onChange(null)}>
          {t('other')}
        </Button>
      </Group>
    );
  return (
    <Dropzone
      multiple={false}
      onDrop={(files: File[]) => onChange(files[0] ?? null)}
      openRef={open}
      activateOnClick={false}
      activateOnKeyboard={false}
      enablePointerEvents
      aria-label={t('drop')}
      py="lg"
    >
      <Stack align="center" gap="md" ta="center">
        <IconTableImport size={40} stroke={1.3} aria-hidden />
        <Stack gap={4} align="center">
          <Text fw={600} size="lg">
            {t('drop')}
          </Text>
          <Text size="sm" c="dimmed" maw={460}>
            {t('dropText')}
          </Text>
        </Stack>
        <Group gap="sm" justify="center">
          <Button onClick={() => open.current?.()}>{t('choose')}</Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() =>
              saveFile('users.csv', csvFile(template.map((row) => csvRow(row, { isRaw: true }))))
            }
          >
            {t('template')}
          </Button>
        </Group>
      </Stack>
    </Dropzone>
  );
}
