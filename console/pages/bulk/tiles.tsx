import { Progress, Stack, Text, Title } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { type Counts, type Kind, kinds } from './outcome.ts';
import type { Subject } from './subjects.ts';

const colors: Record<Kind, string> = {
  created: 'green',
  updated: 'blue',
  exists: 'gray',
  differs: 'yellow',
  refused: 'red',
};

type Props = {
  counts: Counts;
  subject: Subject;
  isPlan: boolean;
  /** Whether the import updates users who already exist. */
  isUpdate: boolean;
  /** Whether the rows are existing records, so none is created. */
  isChange: boolean;
  /** Set if the rows are users who can also be enrolled. */
  enrolments?: Counts;
};

/** Whether the result can occur. A column of the file may override `isUpdate` for a row. */
function isShown(kind: Kind, { counts, subject, isUpdate, isChange }: Props): boolean {
  if (kind === 'created') return !isChange;
  if (kind === 'updated') return isUpdate || counts.updated > 0;
  return kind !== 'differs' || (subject === 'users' && (!isUpdate || counts.differs > 0));
}

/** The number of rows for each result. */
export function Tiles(props: Props) {
  const { counts, subject, isPlan } = props;
  const t = useTranslations('bulk');
  const shown = kinds.filter((kind) => isShown(kind, props));
  const titleOf = (kind: Kind) => {
    if (kind === 'created') return t(isPlan ? 'tiles.toCreate' : 'tiles.created');
    if (kind === 'updated') return t(isPlan ? 'existing.toUpdate' : 'existing.updated');
    return kind === 'exists' ? t(`tiles.exists.${subject}`) : t(`tiles.${kind}`);
  };
  const textOf = (kind: Kind) => {
    if (kind === 'updated') return t('existing.tileText');
    return kind === 'created' || kind === 'exists'
      ? t(`tileTexts.${kind}.${subject}`)
      : t(`tileTexts.${kind}`);
  };
  const tiles = shown.map((kind) => ({
    ...{ kind, color: colors[kind], count: counts[kind], title: titleOf(kind), text: textOf(kind) },
  }));
  if (!props.enrolments) return <TileList label={t('tilesLabel')} tiles={tiles} />;
  return (
    <>
      <Stack gap="xs">
        <Title order={3} size="h5">
          {t('subjects.users')}
        </Title>
        <TileList label={t('people.users')} tiles={tiles} />
      </Stack>
      <Stack gap="xs">
        <Title order={3} size="h5">
          {t('subjects.enrolments')}
        </Title>
        <EnrolmentTiles counts={props.enrolments} isPlan={isPlan} />
      </Stack>
    </>
  );
}

/** The enrolments of users in the same file. */
function EnrolmentTiles({ counts, isPlan }: { counts: Counts; isPlan: boolean }) {
  const t = useTranslations('bulk');
  const tile = (kind: 'created' | 'exists' | 'refused', title: string, text: string) => ({
    ...{ kind, title, text },
    ...{ color: colors[kind], count: counts[kind] },
  });
  const tiles = [
    tile('created', t(isPlan ? 'tiles.toCreate' : 'tiles.created'), t('tileTexts.created.enrolments')),
    tile('exists', t('tiles.exists.enrolments'), t('tileTexts.exists.enrolments')),
    tile('refused', t('tiles.refused'), t('people.refused')),
  ];
  return <TileList label={t('people.enrolments')} tiles={tiles} />;
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
