import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

type SectionProps = {
  title: string;
  text?: ReactNode;
  /** Buttons or a link at the end of the heading. */
  actions?: ReactNode;
  /** Smaller headings, for pages that consist of many short sections. */
  isShort?: boolean;
  /** False if it holds a landmark of the same name. */
  isLandmark?: boolean;
  children: ReactNode;
};

/** A part of a page with a heading, a sentence and buttons. */
export function Section({
  title,
  text,
  actions,
  isShort = false,
  isLandmark = isShort,
  children,
}: SectionProps) {
  const id = useId();
  return (
    <Stack gap={isShort ? 'sm' : 'md'} {...(isLandmark && { component: 'section', 'aria-labelledby': id })}>
      <Group justify="space-between" align="flex-end">
        <Stack gap={4} {...(!isShort && { maw: 640 })}>
          <Title order={2} size={isShort ? 'h4' : 'h3'} id={id}>
            {title}
          </Title>
          {text !== undefined && (
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          )}
        </Stack>
        {actions}
      </Group>
      {children}
    </Stack>
  );
}
