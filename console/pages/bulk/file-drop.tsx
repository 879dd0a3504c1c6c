import '@mantine/dropzone/styles.layer.css';
import { Alert, Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { IconDownload, IconFileSpreadsheet, IconTableImport } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { csvFile, csvRow } from '../../parts/csv.ts';
import { saveFile } from '../../parts/save-file.ts';
import { useBytes } from '../courses/values.tsx';
import { openSource, type Source, type Unusable, UnusableFile } from './source.ts';
import { type Subject, subjectInfo } from './subjects.ts';

type Reading =
  | { is: 'waiting' }
  | { is: 'reading'; name: string }
  | { is: 'refused'; name: string; why: Unusable };

/** Reads the chosen file. If the user chooses another file, the first one is no longer read. */
function useReading(subject: Subject, onSource: (source: Source) => void) {
  const [reading, setReading] = useState<Reading>({ is: 'waiting' });
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const read = async (file: File | undefined) => {
    if (!file) return;
    stop.current?.abort();
    const own = new AbortController();
    stop.current = own;
    setReading({ is: 'reading', name: file.name });
    try {
      const source = await openSource(file, subject, own.signal);
      if (!own.signal.aborted) onSource(source);
    } catch (thrown) {
      if (own.signal.aborted) return;
      const why = thrown instanceof UnusableFile ? thrown.why : 'gone';
      setReading({ is: 'refused', name: file.name, why });
    }
  };
  return { reading, read };
}

export function FileDrop({ subject, onSource }: { subject: Subject; onSource: (source: Source) => void }) {
  const t = useTranslations('bulk');
  const open = useRef<() => void>(null);
  const { reading, read } = useReading(subject, onSource);
  const template = () =>
    saveFile(
      `${subject}.csv`,
      csvFile(subjectInfo[subject].template.map((row) => csvRow(row, { isRaw: true }))),
    );
  return (
    <Stack gap="sm">
      <Dropzone
        multiple={false}
        onDrop={(files: File[]) => void read(files[0])}
        openRef={open}
        activateOnClick={false}
        activateOnKeyboard={false}
        enablePointerEvents
        loading={reading.is === 'reading'}
        aria-label={t('drop')}
        py={40}
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
            <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={template}>
              {t('template')}
            </Button>
          </Group>
        </Stack>
      </Dropzone>
      {reading.is === 'refused' && (
        <Alert color="red" role="alert" title={t('unusable', { name: reading.name })}>
          {t(`why.${reading.why}`)}
        </Alert>
      )}
      <Text size="sm" c="dimmed" role="status" hidden={reading.is !== 'reading'}>
        {reading.is === 'reading' && t('reading', { name: reading.name })}
      </Text>
    </Stack>
  );
}

type ChosenProps = { source: Source; subject: Subject; onOther?: () => void };

/** The file being imported. */
export function ChosenFile({ source, subject, onOther }: ChosenProps) {
  const t = useTranslations('bulk');
  const bytes = useBytes();
  const { file, rows, csv, encoding } = source;
  return (
    <Paper withBorder p="md" component="section" aria-label={file.name} className="bulk-part">
      <Group justify="space-between" gap="sm">
        <Group gap="md" wrap="nowrap" miw={0}>
          <IconFileSpreadsheet size={32} stroke={1.3} aria-hidden />
          <Stack gap={2} miw={0}>
            <Group gap="xs">
              <Text fw={600} className="break">
                {file.name}
              </Text>
              <Badge color="blue">{t(`subjects.${subject}`)}</Badge>
            </Group>
            <Text size="sm" c="dimmed">
              {t('rows', { count: rows })} · {bytes(file.size)} · {t(csv ? 'formats.csv' : 'formats.json')}
              {encoding !== 'utf-8' && ` · ${t('notUtf8')}`}
            </Text>
          </Stack>
        </Group>
        {onOther && (
          <Button variant="default" onClick={onOther}>
            {t('other')}
          </Button>
        )}
      </Group>
    </Paper>
  );
}
