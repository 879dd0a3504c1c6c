import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

/** An issue that needs attention, and where to fix it: a page of the console, or a page of the guide. */
export type AttentionItem = {
  key: string;
  title: string;
  text: string;
  act: string;
  link: Pick<LinkProps, 'to' | 'params' | 'search'> | { href: string };
};

const shownAtFirst = 5;

/** Says that nothing needs attention. */
export function AllWell({ text }: { text: string }) {
  return (
    <Group gap="xs" wrap="nowrap" c="dimmed">
      <IconCircleCheck size={20} stroke={1.6} color="var(--lectern-well)" className="sign-well" aria-hidden />
      <Text size="sm">{text}</Text>
    </Group>
  );
}

function ItemLink({ item: { title, act, link } }: { item: AttentionItem }) {
  const label = { className: 'act', 'aria-label': `${act}: ${title}` };
  if ('href' in link)
    return (
      <Anchor size="sm" {...label} href={link.href}>
        {act}
      </Anchor>
    );
  return (
    <Anchor size="sm" {...label} renderRoot={(props) => <Link {...link} {...props} />}>
      {act}
    </Anchor>
  );
}

/** Issues, most urgent first. */
export function AttentionList(props: { items: readonly AttentionItem[]; emptyText: string }) {
  const { items, emptyText } = props;
  const t = useTranslations('home');
  const [isLong, setLong] = useState(false);
  const shown = isLong ? items : items.slice(0, shownAtFirst);
  if (items.length === 0) return <AllWell text={emptyText} />;
  return (
    <>
      <Paper withBorder component="ul" className="rows">
        {shown.map((item) => (
          <li key={item.key}>
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
                  {item.title}
                </Text>
                <Text size="sm" c="dimmed" className="break">
                  {item.text}
                </Text>
              </Stack>
            </Group>
            <ItemLink item={item} />
          </li>
        ))}
      </Paper>
      {shown.length < items.length && (
        <Group>
          <Button variant="subtle" size="xs" onClick={() => setLong(true)}>
            {t('showAll', { count: items.length })}
          </Button>
        </Group>
      )}
    </>
  );
}
