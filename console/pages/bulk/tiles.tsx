import { Progress, Stack, Text } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { type Counts, type Kind, kinds } from './outcome.ts';

const colors: Record<Kind, string> = {
  created: 'green',
  updated: 'blue',
  exists: 'gray',
  refused: 'red',
};

type Props = {
  counts: Counts;
  isPlan: boolean;
  /** Whether the rows are existing records, so none is created. */
  isChange: boolean;
};

/** The number of rows for each result. */
export function Tiles({ counts, isPlan, isChange }: Props) {
  const t = useTranslations('bulk');
  const shown = kinds.filter((kind) => kind !== (isChange ? 'created' : 'updated'));
  const titleOf = (kind: Kind) => {
    if (kind === 'created') return t(isPlan ? 'tiles.toCreate' : 'tiles.created');
    if (kind === 'updated') return t(isPlan ? 'existing.toUpdate' : 'existing.updated');
    return kind === 'exists' ? t('tiles.exists.enrolments') : t(`tiles.${kind}`);
  };
  const textOf = (kind: Kind) => {
    if (kind === 'updated') return t('existing.tileText');
    return kind === 'created' || kind === 'exists'
      ? t(`tileTexts.${kind}.enrolments`)
      : t(`tileTexts.${kind}`);
  };
  const tiles = shown.map((kind) => ({
    ...{ kind, color: colors[kind], count: counts[kind], title: titleOf(kind), text: textOf(kind) },
  }));
  return <TileList label={t('tilesLabel')} tiles={tiles} />;
}

type Tile = { kind: string; color: string; count: number; title: string; text: string };

/** Counts that add up to a total, below a bar that shows their shares. */
export function TileList({ label, tiles }: { label: string; tiles: readonly Tile[] }) {
  const format = useFormatter();
  const all = Math.max(
    1,
    tiles.reduce((sum, { count }) => sum + count, 0),
  );
  return (
    <Stack gap="sm">
      <Progress.Root size={6} aria-hidden>
        {tiles.map(({ kind, count, color }) => (
          <Progress.Section key={kind} value={(count / all) * 100} color={color} aria-hidden />
        ))}
      </Progress.Root>
      <ul className="tiles" aria-label={label}>
        {tiles.map(({ kind, count, title, text }) => (
          <li key={kind} data-kind={kind} data-none={count === 0 || undefined}>
            <Text size="sm" fw={600}>
              <span className="tile-mark" aria-hidden />
              {title}
            </Text>
            <Text className="tile-count">{format.number(count)}</Text>
            <Text size="xs" c="dimmed">
              {text}
            </Text>
          </li>
        ))}
      </ul>
    </Stack>
  );
}
