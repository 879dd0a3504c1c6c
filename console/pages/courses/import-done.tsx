import { Alert, Badge, Checkbox, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { FailedAction } from '../../parts/states.tsx';
import { PreviewButton } from './preview-button.tsx';
import { errorsIn, Warnings } from './release-content.tsx';
import { UnitTree } from './unit-tree.tsx';
import { type DoneImport as Done, isPublishable, isPublished } from './use-imports.ts';
import { StandardName } from './values.tsx';

type DoneProps = { one: Done; onChoose: (isChosen: boolean) => void };
/** `onChoose` is null on the course's own page, which has buttons to preview and publish it. */
type DoneImportProps = Omit<DoneProps, 'onChoose'> & { onChoose: DoneProps['onChoose'] | null };

/** `new`: a new course; `release`: it is current; `preview`: learners do not see it yet. */
const kindOf = ({ isNew, release }: Done['stage']) =>
  isNew ? 'new' : release.Current ? 'release' : 'preview';

/** An imported package: the checks and warnings, and whether the new course is to be published. */
export function DoneImport({ one, onChoose }: DoneImportProps) {
  const t = useTranslations('courses.import');
  const { release, isNew, optionError } = one.stage;
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
          {!isPublished(one) && (
            <Text size="sm">{t(`done.${kindOf(one.stage)}${hasErrors ? 'Errors' : 'Text'}`)}</Text>
          )}
          <Badge color="gray">
            <StandardName standard={release.Standard} />
          </Badge>
        </Group>
      </Alert>
      {optionError !== null && (
        <Stack gap={6}>
          <FailedAction error={optionError} />
          <Text size="sm">{t('noOption')}</Text>
        </Stack>
      )}
      {onChoose && <Publishing one={one} onChoose={onChoose} />}
      <Warnings warnings={release.Warnings} />
      <UnitTree release={release} order={3} />
    </Stack>
  );
}

/** Whether the course is published, and the choice to publish it. A release can be previewed. */
function Publishing({ one, onChoose }: DoneProps) {
  const t = useTranslations('courses.import.publish');
  const advice = useTranslations('courses.advice');
  const { courseId, isChosen, stage } = one;
  const { publishing, release } = stage;
  const ended = publishing.is === 'ended' ? publishing.publication : null;
  return (
    <Stack gap="xs">
      <Group gap="md">
        <PreviewButton courseId={courseId} release={release.Release} button={{ size: 'compact-sm' }} />
        {isPublishable(one) && (
          <Checkbox
            label={t('choose', { title: release.Title })}
            checked={isChosen}
            onChange={(event) => onChoose(event.currentTarget.checked)}
          />
        )}
        {isPublished(one) && <Badge color="green">{t('published')}</Badge>}
      </Group>
      {ended !== null && ended !== 'published' && ended !== 'publishable' && (
        <Text size="sm">{advice(ended)}</Text>
      )}
      <FailedAction error={publishing.is === 'failed' ? publishing.error : null} />
    </Stack>
  );
}
