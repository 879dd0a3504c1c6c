import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

type SectionProps = {
  title: string;
  text?: ReactNode;
  /** Buttons or a link at the end of the heading. */
  actions?: ReactNode;
  /** Smaller headings, for pages that consist of many short sections. */
  isShort?: boolean;
  children: ReactNode;
};

/** A part of a page with a heading, a sentence and buttons. Only short sections are landmarks: others hold a list that is one. */
export function Section({ title, text, actions, isShort = false, children }: SectionProps) {
  const id = useId();
  return (
    <Stack {...(isShort ? { component: 'section', 'aria-labelledby': id, gap: 'sm' } : {})}>
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
