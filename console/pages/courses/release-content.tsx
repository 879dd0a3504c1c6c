import { Box, Code, List, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Release } from './upload.ts';

/** Warnings about a package that do not stop it from playing, with their locations. */
export function Warnings({ warnings }: { warnings: Release['Warnings'] }) {
  const t = useTranslations('courses.releases');
  if (warnings.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('noWarnings')}
      </Text>
    );
  return (
    <Stack gap={6}>
      <Title order={3} size="h5">
        {t('warnings', { count: warnings.length })}
      </Title>
      <Text size="sm" c="dimmed">
        {t('warningsText')}
      </Text>
      <List size="sm" spacing={6}>
        {warnings.map(({ Message, File, Line }, index) => (
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
    </Stack>
  );
}
