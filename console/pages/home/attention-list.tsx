import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { useTranslations } from 'use-intl';

/** An issue that needs attention, and where to fix it. */
export type AttentionItem = {
  key: string;
  title: string;
  text: string;
  act: string;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
};

const shownAtFirst = 5;

type RowProps = { title: string; text: string; children: ReactNode };

/** An issue, with the link to where it can be fixed. */
export function AttentionRow({ title, text, children }: RowProps) {
  return (
    <li>
      <Group gap="sm" wrap="nowrap" align="flex-start" miw={0}>
        <IconAlertTriangle
          className="sign"
          size={18}
          stroke={1.6}
          color="var(--lectern-warning)"
          aria-hidden
        />
        <Stack gap={0} miw={0}>
          <Text fw={600} size="sm" className="break">
            {title}
          </Text>
          <Text size="sm" c="dimmed" className="break">
            {text}
          </Text>
        </Stack>
      </Group>
      {children}
    </li>
  );
}

export function AttentionList(props: { title: string; items: readonly AttentionItem[]; emptyText: string }) {
  const { title, items, emptyText } = props;
  const t = useTranslations('home');
  const id = useId();
  const [isLong, setLong] = useState(false);
  const shown = isLong ? items : items.slice(0, shownAtFirst);
  return (
    <Stack component="section" aria-labelledby={id} gap="sm">
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      {items.length === 0 ? (
        <Group gap="xs" wrap="nowrap" c="dimmed">
          <IconCircleCheck
            size={20}
            stroke={1.6}
            color="var(--lectern-well)"
            className="sign-well"
            aria-hidden
          />
          <Text size="sm">{emptyText}</Text>
        </Group>
      ) : (
        <Paper withBorder component="ul" className="rows">
          {shown.map((item) => (
            <AttentionRow key={item.key} title={item.title} text={item.text}>
              <Anchor
                size="sm"
                className="act"
                aria-label={`${item.act}: ${item.title}`}
                renderRoot={(props) => <Link {...item.link} {...props} />}
              >
                {item.act}
              </Anchor>
            </AttentionRow>
          ))}
        </Paper>
      )}
      {shown.length < items.length && (
        <Group>
          <Button variant="subtle" size="xs" onClick={() => setLong(true)}>
            {t('showAll', { count: items.length })}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
