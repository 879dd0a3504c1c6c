import '@mantine/dropzone/styles.layer.css';
import { Alert, Button, Checkbox, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { IconDownload, IconFileSpreadsheet, IconTableImport } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { csvFile, csvRow } from '../../parts/csv.ts';
import { saveFile } from '../../parts/save-file.ts';
import { FailedAction } from '../../parts/states.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';
import { sendFile, type Upload, unreadable } from './upload.ts';

const template = [
  ['LoginID', 'FirstName', 'LastName', 'GroupName', 'Email', 'CourseID', 'DurationID'],
  ['anna.berg', 'Anna', 'Berg', 'Sales', 'anna.berg@example.com', 'fire-safety', '1-year'],
  ['ben.cole', 'Ben', 'Cole', 'Stock', 'ben.cole@example.com', '', ''],
];

type Props = { onMade: (upload: Upload, importId: string) => void };

/** The file, and what holds for all of its rows. */
export function NewImport({ onMade }: Props) {
  const t = useTranslations('imports');
  const [file, setFile] = useState<File | null>(null);
  const open = useRef<() => void>(null);
  if (file) return <Options file={file} onMade={onMade} onOther={() => setFile(null)} />;
  return (
    <Dropzone
      multiple={false}
      onDrop={(files: File[]) => setFile(files[0] ?? null)}
      openRef={open}
      activateOnClick={false}
      activateOnKeyboard={false}
      enablePointerEvents
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

function Options({ file, onMade, onOther }: Props & { file: File; onOther: () => void }) {
  const t = useTranslations('imports');
  const api = useApi();
  const [courseId, setCourseId] = useState<string>();
  const [durationId, setDurationId] = useState('');
  const [end, setEnd] = useState('');
  const [updates, setUpdates] = useState(false);
  const planning = useAction(async () => {
    const upload: Upload = {
      file,
      query: {
        ...(courseId === undefined ? {} : { CourseID: courseId }),
        ...(durationId.trim() === '' ? {} : { DurationID: durationId.trim() }),
        ...(end === '' ? {} : { ExpiresAt: end }),
        ...(updates ? { IfExists: 'update' as const } : {}),
      },
    };
    const { ImportID } = await sendFile(api, upload);
    onMade(upload, ImportID);
  });
  return (
    <Paper
      withBorder
      p="md"
      maw={640}
      className="bulk-part"
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        void planning.run();
      }}
    >
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <Group gap="sm" wrap="nowrap">
            <IconFileSpreadsheet size={28} stroke={1.3} aria-hidden />
            <Text fw={600} className="break">
              {file.name}
            </Text>
          </Group>
          <Button variant="default" onClick={onOther}>
            {t('other')}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {t('optionsText')}
        </Text>
        <CoursePicker value={courseId} onChange={setCourseId} />
        {courseId !== undefined && (
          <TextInput
            label={t('option')}
            description={t('optionText')}
            value={durationId}
            onChange={(event) => setDurationId(event.currentTarget.value)}
          />
        )}
        <TextInput
          type="date"
          label={t('end')}
          description={t('endText')}
          value={end}
          onChange={(event) => setEnd(event.currentTarget.value)}
        />
        <Checkbox
          label={t('update')}
          description={t('updateText')}
          checked={updates}
          onChange={(event) => setUpdates(event.currentTarget.checked)}
        />
        {planning.error === unreadable ? (
          <Alert color="red" role="alert">
            {t('unreadable')}
          </Alert>
        ) : (
          <FailedAction error={planning.error} />
        )}
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed">
            {t('planText')}
          </Text>
          <Button type="submit" loading={planning.isRunning}>
            {t('plan')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
