import { Alert, Box, Code, List, Stack, Text, Title } from '@mantine/core';
import { IconAlertOctagon } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { Release } from './upload.ts';

type Warning = Release['Warnings'][number];

export const errorsIn = ({ Warnings }: Pick<Release, 'Warnings'>): number =>
  Warnings.filter(({ Severity }) => Severity === 'error').length;

/** A package's problems and their locations. Errors that stop learners come first, and notes for the author last. */
export function Warnings({ warnings }: { warnings: Release['Warnings'] }) {
  const t = useTranslations('courses.releases');
  const of = (severity: Warning['Severity']) => warnings.filter(({ Severity }) => Severity === severity);
  const [errors, noticeable, notes] = [of('error'), of('warning'), of('note')];
  if (warnings.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('noWarnings')}
      </Text>
    );
  return (
    <Stack gap="md">
      {errors.length > 0 && (
        <Alert
          color="red"
          title={t('errors', { count: errors.length })}
          icon={<IconAlertOctagon size={18} aria-hidden />}
        >
          <Stack gap={6}>
            <Text size="sm">{t('errorsText')}</Text>
            <Entries of={errors} />
          </Stack>
        </Alert>
      )}
      {noticeable.length > 0 && (
        <Stack gap={6}>
          <Title order={3} size="h5">
            {t('warnings', { count: noticeable.length })}
          </Title>
          <Text size="sm" c="dimmed">
            {t('warningsText')}
          </Text>
          <Entries of={noticeable} />
        </Stack>
      )}
      {notes.length > 0 && (
        <details>
          <Text component="summary" size="sm" c="dimmed">
            {t('notes', { count: notes.length })}
          </Text>
          <Entries of={notes} />
        </details>
      )}
    </Stack>
  );
}

function Entries({ of }: { of: Warning[] }) {
  return (
    <List size="sm" spacing={6}>
      {of.map(({ Message, File, Line }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes and may contain duplicates
        <List.Item key={index}>
          <Box className="break">{Message}</Box>
          {File !== null && (
            <Code className="break">
              {File}
              {Line !== null && `:${Line}`}
            </Code>
          )}
        </List.Item>
      ))}
    </List>
  );
}
