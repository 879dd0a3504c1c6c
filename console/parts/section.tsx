import { Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type SectionProps = { title: string; text: string; actions?: ReactNode; children: ReactNode };

/** A part of a page with a heading, a sentence and buttons. */
export function Section({ title, text, actions, children }: SectionProps) {
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Stack gap={4} maw={640}>
          <Title order={2} size="h3">
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        </Stack>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
