import { Button, Group, NativeSelect, Paper, Stack, Switch, TextInput, Title } from '@mantine/core';
import { IconPlus, IconRoute, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { IdField } from '../../parts/id-field.tsx';
import { idOf } from '../../parts/id-of.ts';
import { notify } from '../../parts/toast.tsx';
import { CoursesPicker } from '../enrolments/pickers.tsx';
import { findOffered, useFoundCourses } from './find-offered.ts';
import { findCourse } from './import-package.ts';
import { statuses as courseStatuses, isStatus } from './values.tsx';

export type Path = components['schemas']['Path'];
type Step = Path['Steps'][number];
type Draft = Pick<Path, 'CourseID' | 'Title' | 'Status' | 'Steps' | 'Ordered'>;

const newStep: Step = { CourseIDs: [], Need: 1, Optional: false, DurationID: null };

/** Operators make paths of the deployment; administrators make paths that only their tenant sees. */
const useIsAuthor = () => useSession().Role === 'operator';

type StepProps = {
  step: Step;
  number: number;
  onChange: (step: Step) => void;
  onRemove: (() => void) | null;
};

function StepField({ step, number, onChange, onRemove }: StepProps) {
  const t = useTranslations('courses.path');
  const isAuthor = useIsAuthor();
  const { CourseIDs, Need, Optional, DurationID } = step;
  const count = CourseIDs.length;
  const options = useFoundCourses(CourseIDs, isAuthor).map(({ AvailableEnrolOptions }) =>
    AvailableEnrolOptions.filter(({ Status }) => Status === 'published'),
  );
  const names = new Map(options.flat().map(({ DurationID, Name }) => [DurationID, Name]));
  const needsOption = DurationID !== null || options.some(({ length }) => length > 1);
  // All courses stay needed when one is added or removed.
  const choose = (ids: string[]) =>
    onChange({
      ...step,
      CourseIDs: ids,
      Need: Need >= count ? Math.max(1, ids.length) : Math.min(Need, ids.length),
    });
  const needs = Array.from({ length: count }, (_, n) => n + 1).map((need) => ({
    value: String(need),
    label: need === count ? t('all') : t('anyOf', { need, count }),
  }));
  return (
    <Paper withBorder p="md" component="section" aria-label={t('step', { number })}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={3} size="h5">
            {t('step', { number })}
          </Title>
          {onRemove && (
            <Button
              variant="subtle"
              color="red"
              size="compact-sm"
              leftSection={<IconTrash size={14} aria-hidden />}
              onClick={onRemove}
            >
              {t('remove', { number })}
            </Button>
          )}
        </Group>
        <CoursesPicker isAuthor={isAuthor} values={CourseIDs} onChange={choose} max={50} />
        {count > 1 && (
          <NativeSelect
            label={t('need')}
            data={needs}
            value={String(Need)}
            onChange={(event) => onChange({ ...step, Need: Number(event.currentTarget.value) })}
            maw={320}
          />
        )}
        {needsOption && (
          <NativeSelect
            label={t('option')}
            data={['', ...new Set([...names.keys(), ...(DurationID === null ? [] : [DurationID])])].map(
              (value) => ({ value, label: names.get(value) ?? value }),
            )}
            value={DurationID ?? ''}
            onChange={(event) => onChange({ ...step, DurationID: event.currentTarget.value || null })}
            maw={320}
          />
        )}
        <Switch
          label={t('optional')}
          description={t('optionalText')}
          checked={Optional}
          onChange={(event) => onChange({ ...step, Optional: event.currentTarget.checked })}
        />
      </Stack>
    </Paper>
  );
}

function StepsField({ value, set }: { value: Draft; set: (change: Partial<Draft>) => void }) {
  const t = useTranslations('courses.path');
  const { Steps, Ordered } = value;
  return (
    <>
      <Switch
        label={t('ordered')}
        description={t('orderedText')}
        checked={Ordered}
        onChange={(event) => set({ Ordered: event.currentTarget.checked })}
      />
      {Steps.map((step, n) => (
        <StepField
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no identity but its place
          key={n}
          step={step}
          number={n + 1}
          onChange={(changed) => set({ Steps: Steps.with(n, changed) })}
          onRemove={Steps.length > 1 ? () => set({ Steps: Steps.toSpliced(n, 1) }) : null}
        />
      ))}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => set({ Steps: [...Steps, newStep] })}
        style={{ alignSelf: 'flex-start' }}
      >
        {t('add')}
      </Button>
    </>
  );
}

type DialogProps = { path: Path | null; isOpen: boolean; onClose: () => void };

/** Creates a path, or changes it. */
export function PathDialog({ path, isOpen, onClose }: DialogProps) {
  const t = useTranslations('courses.path');
  const statuses = useTranslations('courses.statuses');
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isAuthor = useIsAuthor();
  const empty = { CourseID: '', Title: '', Steps: [newStep], Ordered: true };
  const initial = (): Draft => path ?? { ...empty, Status: isAuthor ? 'draft' : 'published' };
  const [typed, setTyped] = useFormState(isOpen, initial);
  const set = (change: Partial<Draft>) => setTyped((before) => ({ ...before, ...change }));
  const CourseID = typed.CourseID || idOf(typed.Title);
  const save = async () => {
    // PUT would overwrite an existing path.
    if (!path && (await (isAuthor ? findCourse : findOffered)(api, CourseID)))
      throw { code: 'course_exists', title: t('takenTitle'), detail: t('taken') };
    const { Title, Status, Steps, Ordered } = typed;
    const { error } = await api.client.PUT('/course/{CourseID}/path', {
      params: { path: { CourseID } },
      body: { Title, Status, Steps, Ordered },
    });
    if (error) throw error;
    await queries.invalidateQueries();
    if (path) return notify(t('saved'));
    await navigate({
      to: '/console/courses/$courseId',
      params: { courseId: CourseID },
      search: { part: 'content' },
    });
  };
  const missing = typed.Steps.flatMap(({ CourseIDs }, n) =>
    CourseIDs.length === 0 ? t('coursesOf', { number: n + 1 }) : [],
  );
  return (
    <FormDialog
      isOpen={isOpen}
      title={t(path ? 'editHeading' : 'heading')}
      onClose={onClose}
      submit={t(path ? 'save' : isAuthor ? 'create' : 'createOwn')}
      onSubmit={save}
      isDirty={JSON.stringify(typed) !== JSON.stringify(initial())}
      missing={missing}
      size="lg"
    >
      <TextInput
        label={t('title')}
        required
        maxLength={500}
        value={typed.Title}
        onChange={(event) => set({ Title: event.currentTarget.value })}
      />
      {!path && (
        <IdField
          label={t('courseId')}
          description={t('courseIdText')}
          value={CourseID}
          onChange={(CourseID) => set({ CourseID })}
        />
      )}
      {!isAuthor && (
        <NativeSelect
          label={t('status')}
          data={(path ? courseStatuses : courseStatuses.slice(0, 2)).map((value) => ({
            value,
            label: statuses(value),
          }))}
          value={typed.Status}
          onChange={({ currentTarget: { value } }) => isStatus(value) && set({ Status: value })}
          maw={320}
        />
      )}
      <StepsField value={typed} set={set} />
    </FormDialog>
  );
}

export function NewPathButton() {
  const t = useTranslations('courses.path');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconRoute size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('new')}
      </Button>
      <PathDialog path={null} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
