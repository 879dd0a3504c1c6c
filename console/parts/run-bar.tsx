import { Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = {
  rows: number;
  of: number;
  label: string;
  text: string;
  isRunning: boolean;
  /** Buttons to stop and to continue. */
  children: ReactNode;
};

/** The progress of work on many rows. */
export function RunBar({ rows, of, label, text, isRunning, children }: Props) {
  return (
    <Stack gap="sm">
      <Progress.Root size="lg">
        <Progress.Section
          value={(rows / Math.max(of, 1)) * 100}
          animated={isRunning}
          aria-label={label}
          aria-valuetext={text}
        />
      </Progress.Root>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        {children}
      </Group>
    </Stack>
  );
}
