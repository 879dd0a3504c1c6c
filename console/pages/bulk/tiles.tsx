import { Progress, Stack, Text } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { type Counts, type Kind, kinds } from './outcome.ts';
import type { Subject } from './subjects.ts';

const colors: Record<Kind, string> = { created: 'green', exists: 'gray', differs: 'yellow', refused: 'red' };

type Props = { counts: Counts; subject: Subject; isPlan: boolean };

/** The number of rows for each result. */
export function Tiles({ counts, subject, isPlan }: Props) {
  const t = useTranslations('bulk');
  const format = useFormatter();
  const shown = kinds.filter((kind) => subject === 'users' || kind !== 'differs');
  const all = Math.max(
    1,
    shown.reduce((sum, kind) => sum + counts[kind], 0),
  );
  const titleOf = (kind: Kind) => {
    if (kind === 'created') return t(isPlan ? 'tiles.toCreate' : 'tiles.created');
    return kind === 'exists' ? t(`tiles.exists.${subject}`) : t(`tiles.${kind}`);
  };
  const textOf = (kind: Kind) =>
    kind === 'created' || kind === 'exists' ? t(`tileTexts.${kind}.${subject}`) : t(`tileTexts.${kind}`);
  return (
    <Stack gap="sm">
      <Progress.Root size={6} aria-hidden>
        {shown.map((kind) => (
          <Progress.Section key={kind} value={(counts[kind] / all) * 100} color={colors[kind]} aria-hidden />
        ))}
      </Progress.Root>
      <ul className="tiles" aria-label={t('tilesLabel')}>
        {shown.map((kind) => (
          <li key={kind} data-kind={kind} data-none={counts[kind] === 0 || undefined}>
            <Text size="sm" fw={600}>
              <span className="tile-mark" aria-hidden />
              {titleOf(kind)}
            </Text>
            <Text className="tile-count">{format.number(counts[kind])}</Text>
            <Text size="xs" c="dimmed">
              {textOf(kind)}
            </Text>
          </li>
        ))}
      </ul>
    </Stack>
  );
}
