import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useTranslations } from 'use-intl';

/** An issue that needs attention, and where to fix it. */
export type Matter = {
  key: string;
  title: string;
  text: string;
  act: string;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
};

const shownAtFirst = 5;

export function AttentionList(props: { title: string; matters: readonly Matter[]; well: string }) {
  const { title, matters, well } = props;
  const t = useTranslations('home');
  const id = useId();
  const [isLong, setLong] = useState(false);
  const shown = isLong ? matters : matters.slice(0, shownAtFirst);
  return (
    <Stack component="section" aria-labelledby={id} gap="sm">
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      {matters.length === 0 ? (
        <Group gap="xs" wrap="nowrap" c="dimmed">
          <IconCircleCheck size={20} stroke={1.6} color="var(--lectern-well)" aria-hidden />
          <Text size="sm">{well}</Text>
        </Group>
      ) : (
        <Paper withBorder component="ul" className="rows">
          {shown.map((matter) => (
            <li key={matter.key}>
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
                    {matter.title}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {matter.text}
                  </Text>
                </Stack>
              </Group>
              <Anchor
                size="sm"
                className="act"
                aria-label={`${matter.act}: ${matter.title}`}
                renderRoot={(props) => <Link {...matter.link} {...props} />}
              >
                {matter.act}
              </Anchor>
            </li>
          ))}
        </Paper>
      )}
      {shown.length < matters.length && (
        <Group>
          <Button variant="subtle" size="xs" onClick={() => setLong(true)}>
            {t('showAll', { count: matters.length })}
          </Button>
        </Group>
      )}
    </Stack>
  );
}
