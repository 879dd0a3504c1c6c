import { Anchor, Badge, Code, Group, Stack, Text } from '@mantine/core';
import { IconBolt, IconBook, IconDeviceFloppy, IconPlayerPlay } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Instant } from '../../parts/values.tsx';
import type { Entry } from './entry.ts';
import { useSentence } from './use-sentence.ts';

const icons = { launch: IconPlayerPlay, unit: IconBook, commit: IconDeviceFloppy, event: IconBolt } as const;

export function TimelineItem({ entry, loginId }: { entry: Entry; loginId: string }) {
  const t = useTranslations('enrolments');
  const audit = useTranslations('audit');
  const { sentence, more } = useSentence(entry);
  const Icon = icons[entry.Kind];
  const renewed = entry.Type === 'enrolment.renewed' ? entry.Data.NewEnrollID : undefined;
  return (
    <li
      className="entry"
      data-kind={entry.Kind}
      data-warned={entry.Warnings.length > 0 || entry.Refused !== null || undefined}
    >
      <span className="entry-mark">
        <Icon size={14} aria-hidden />
      </span>
      <Stack gap={2} miw={0} flex={1}>
        <Group justify="space-between" gap="xs" align="baseline">
          <Text size="sm" fw={500} className="break">
            {sentence}
          </Text>
          <Text size="xs" c="dimmed">
            <Instant at={entry.At} />
          </Text>
        </Group>
        {more !== '' && (
          <Text size="sm" c="dimmed" className="break">
            {more}
          </Text>
        )}
        {entry.Actor !== null && (
          <Text size="sm" c="dimmed" className="break">
            {t('timeline.by', { actor: entry.ActorName ?? audit(`actors.${entry.Actor}`) })}
          </Text>
        )}
        {typeof renewed === 'string' && (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                to="/console/enrolments/$loginId/$enrollId"
                params={{ loginId, enrollId: renewed }}
                {...props}
              />
            )}
          >
            {t('newer.open')}
          </Anchor>
        )}
        {entry.Warnings.map((warning) => (
          <Group key={warning} gap="xs" wrap="nowrap" align="flex-start">
            <Badge color="yellow" flex="none">
              {t('timeline.warning')}
            </Badge>
            <Text size="sm" className="break" lang="en">
              {warning}
            </Text>
          </Group>
        ))}
        <details>
          <summary>{t('timeline.details')}</summary>
          <Code block className="data">
            {JSON.stringify(recordOf(entry), null, 2)}
          </Code>
        </details>
      </Stack>
    </li>
  );
}

/** The entry as the API returns it, without fields that do not apply to its kind. */
function recordOf(entry: Entry): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
}
