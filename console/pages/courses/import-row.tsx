import {
  Alert,
  Badge,
  Button,
  Code,
  Group,
  Paper,
  Progress,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';
import { FailedAction } from '../../parts/states.tsx';
import { errorsIn, Warnings } from './release-content.tsx';
import { UnitTree } from './unit-tree.tsx';
import { type Import, type Imports, isInProgress } from './use-imports.ts';
import { CourseLink, StandardName, useBytes } from './values.tsx';

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
      <TextInput
        label={t('courseId')}
        description={known ? t('isRelease', { title: known.Title }) : t('isNew')}
        required
        maxLength={255}
        value={one.courseId}
        onChange={(event) => imports.change(one.key, { courseId: event.currentTarget.value })}
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

function Done({ stage }: { stage: Extract<Import['stage'], { is: 'done' }> }) {
  const t = useTranslations('courses.import');
  const { release, isNew } = stage;
  const hasErrors = errorsIn(release) > 0;
  const title = isNew
    ? t('doneNew', { title: release.Title })
    : t('doneRelease', { number: release.Release });
  return (
    <Stack gap="sm">
      <Alert
        color={hasErrors ? 'orange' : 'green'}
        role="status"
        icon={
          hasErrors ? <IconAlertTriangle size={18} aria-hidden /> : <IconCircleCheck size={18} aria-hidden />
        }
        title={hasErrors ? t('doneErrors', { title: release.Title }) : title}
      >
        <Group gap="sm">
          <Text size="sm">{t(`${isNew ? 'doneNew' : 'doneRelease'}${hasErrors ? 'Errors' : 'Text'}`)}</Text>
          <Badge color="gray">
            <StandardName standard={release.Standard} />
          </Badge>
        </Group>
      </Alert>
      <Warnings warnings={release.Warnings} />
      <UnitTree release={release} order={3} />
    </Stack>
  );
}

function Outcome({ one, imports }: RowProps) {
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
      return <Done stage={stage} />;
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

/** One file being imported. `isFixed` means that the page determines the course. */
export function ImportRow({ one, imports, isFixed = false }: RowProps & { isFixed?: boolean }) {
  const t = useTranslations('courses.import');
  const bytes = useBytes();
  return (
    <Paper withBorder p="md" component="section" aria-label={one.file.name}>
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
              <Button variant="default" size="compact-sm" onClick={() => imports.start([one])}>
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
        <Outcome one={one} imports={imports} />
      </Stack>
    </Paper>
  );
}
