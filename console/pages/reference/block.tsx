import { Code, Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { CopyTextButton } from '../../parts/values.tsx';

/** A text to copy, such as a sample. */
export function Block({ label, text }: { label: string; text: string }) {
  const t = useTranslations('act');
  return (
    <Stack gap="xs" align="flex-start">
      <Code block w="100%" className="sample unwrapped" tabIndex={0} role="region" aria-label={label}>
        {text}
      </Code>
      <CopyTextButton value={text} text={t('copy')} />
    </Stack>
  );
}
