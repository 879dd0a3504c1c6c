import { Button, Code, Group, Paper, Progress, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';
import { IdField } from '../../parts/id-field.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { useBytes } from '../../parts/use-bytes.ts';
import { DoneImport } from './import-done.tsx';
import { isInUse } from './import-package.ts';
import { type Import, type Imports, isInProgress } from './use-imports.ts';
import { CourseLink } from './values.tsx';

type RowProps = { one: Import; imports: Imports };

/** The course that a file is imported into: a new one, or a new release of an existing one. */
function Target({ one, imports }: RowProps) {
  const t = useTranslations('courses.import');
  const { $api } = useApi();
  const [courseId] = useDebouncedValue(one.courseId, 300);
  const { data: known } = $api.useQuery(
    'get',
    '/course/{CourseID}',
    { params: { path: { CourseID: courseId } } },
    { enabled: courseId !== '', retry: false },
  );
  return (
    <Group align="flex-start" grow preventGrowOverflow={false}>
      <IdField
        label={t('courseId')}
        description={
          known ? t(isInUse(known) ? 'isPreview' : 'isRelease', { title: known.Title }) : t('isNew')
        }
        value={one.courseId}
        onChange={(courseId) => imports.change(one.key, { courseId })}
      />
      <TextInput
        label={t('title')}
        description={known ? t('titleStays') : t('titleText')}
        disabled={Boolean(known)}
        maxLength={500}
        placeholder={t('titleFromPackage')}
        value={one.title}
        onChange={(event) => imports.change(one.key, { title: event.currentTarget.value })}
      />
    </Group>
  );
}

function Sending({ one, share }: { one: Import; share: number }) {
  const t = useTranslations('courses.import');
  const format = useFormatter();
  const bytes = useBytes();
  const isSent = share >= 1;
  const text = isSent
    ? t('reading')
    : t('sent', {
        share: format.number(share, { style: 'percent' }),
        size: bytes(one.file.size),
      });
  return (
    <Stack gap={6}>
      <Progress.Root size="lg">
        <Progress.Section
          value={share * 100}
          animated={isSent}
          aria-label={t('progress', { file: one.file.name })}
          aria-valuetext={text}
        />
      </Progress.Root>
      <Text size="sm" c="dimmed" role="status">
        {text}
      </Text>
    </Stack>
  );
}

function Outcome({ one, imports, isFixed }: RowProps & { isFixed: boolean }) {
  const t = useTranslations('courses.import');
  const { stage } = one;
  const left = (isCourseLeft: boolean) =>
    isCourseLeft && (
      <Text size="sm">
        {t.rich('left', {
          id: one.courseId,
          course: (text) => <CourseLink courseId={one.courseId}>{text}</CourseLink>,
        })}
      </Text>
    );
  switch (stage.is) {
    case 'ready':
      return <Target one={one} imports={imports} />;
    case 'waiting':
      return <Text c="dimmed">{t('waiting')}</Text>;
    case 'sending':
      return <Sending one={one} share={stage.share} />;
    case 'done':
      return (
        <DoneImport
          one={{ ...one, stage }}
          onChoose={isFixed ? null : (isChosen) => imports.change(one.key, { isChosen })}
        />
      );
    case 'cancelled':
      return (
        <Text role="status">
          {t('cancelled')} {left(stage.isCourseLeft)}
        </Text>
      );
    case 'failed':
      return (
        <Stack gap={6}>
          <FailedAction error={stage.error ?? {}} />
          <Text size="sm" c="dimmed">
            {t('failed')} <Code>{toFailure(stage.error).code}</Code>
          </Text>
          {left(stage.isCourseLeft)}
        </Stack>
      );
  }
}

type ImportRowProps = RowProps & {
  /** Whether the page determines the course. */
  isFixed: boolean;
  onAgain: () => void;
};

/** One file being imported. */
export function ImportRow({ one, imports, isFixed, onAgain }: ImportRowProps) {
  const t = useTranslations('courses.import');
  const bytes = useBytes();
  const { name } = one.file;
  // Files from several folders can have the same name.
  const isUnique = imports.imports.filter(({ file }) => file.name === name).length === 1;
  const label = isUnique ? name : `${name} (${one.courseId})`;
  return (
    <Paper withBorder p="md" component="section" aria-label={label}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="sm" className="break">
            {one.file.name}{' '}
            <Text span size="sm" c="dimmed" fw={400}>
              {bytes(one.file.size)}
            </Text>
          </Title>
          <Group gap="xs">
            {one.stage.is === 'done' && !isFixed && (
              <CourseLink courseId={one.courseId}>{t('open')}</CourseLink>
            )}
            {one.stage.is === 'failed' && (
              <Button variant="default" size="compact-sm" onClick={onAgain}>
                {t('again')}
              </Button>
            )}
            {isInProgress(one) ? (
              <Button variant="default" size="compact-sm" onClick={() => imports.cancel(one.key)}>
                {t('cancel')}
              </Button>
            ) : (
              <Button variant="subtle" color="gray" size="compact-sm" onClick={() => imports.remove(one.key)}>
                {t('remove')}
              </Button>
            )}
          </Group>
        </Group>
        <Outcome one={one} imports={imports} isFixed={isFixed} />
      </Stack>
    </Paper>
  );
}
