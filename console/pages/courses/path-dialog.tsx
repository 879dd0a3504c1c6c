import { Button, Group, NativeSelect, Paper, Stack, Switch, TextInput, Title } from '@mantine/core';
import { IconPlus, IconRoute, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { IdField } from '../../parts/id-field.tsx';
import { idOf } from '../../parts/id-of.ts';
import { SearchMultiSelect } from '../../parts/search-select.tsx';
import { notify } from '../../parts/toast.tsx';
import { findCourse } from './import-package.ts';

export type Path = components['schemas']['Path'];
type Step = Path['Steps'][number];
type Draft = Pick<Path, 'Steps' | 'Ordered'>;

const newStep: Step = { CourseIDs: [], Need: 1, Optional: false, DurationID: null };

function CoursesField({
  values,
  onChange,
}: {
  values: readonly string[];
  onChange: (ids: string[]) => void;
}) {
  const t = useTranslations('courses.path');
  const { $api } = useApi();
  const [sought, onSearch] = useState('');
  const query = { Limit: 20, ...(sought ? { Search: sought } : {}) };
  const { data, isFetching } = $api.useQuery('get', '/course', { params: { query } });
  const choices = (data?.Items ?? []).map(({ CourseID, Title }) => ({
    value: CourseID,
    label: Title,
    ...(CourseID !== Title && { text: CourseID }),
  }));
  const found = { choices, onSearch, isFetching, label: t('courses'), placeholder: t('findCourse') };
  return <SearchMultiSelect {...found} values={values} onChange={onChange} max={50} />;
}

type StepProps = {
  step: Step;
  number: number;
  onChange: (step: Step) => void;
  onRemove: (() => void) | null;
};

function StepField({ step, number, onChange, onRemove }: StepProps) {
  const t = useTranslations('courses.path');
  const { CourseIDs, Need, Optional, DurationID } = step;
  const count = CourseIDs.length;
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
        <CoursesField values={CourseIDs} onChange={choose} />
        {count > 1 && (
          <NativeSelect
            label={t('need')}
            data={needs}
            value={String(Need)}
            onChange={(event) => onChange({ ...step, Need: Number(event.currentTarget.value) })}
            maw={320}
          />
        )}
        <TextInput
          label={t('option')}
          description={t('optionText')}
          maxLength={255}
          value={DurationID ?? ''}
          onChange={(event) => onChange({ ...step, DurationID: event.currentTarget.value || null })}
          maw={320}
        />
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

function StepsField({ value, onChange }: { value: Draft; onChange: (draft: Draft) => void }) {
  const t = useTranslations('courses.path');
  const { Steps, Ordered } = value;
  const setSteps = (steps: Step[]) => onChange({ ...value, Steps: steps });
  return (
    <>
      <Switch
        label={t('ordered')}
        description={t('orderedText')}
        checked={Ordered}
        onChange={(event) => onChange({ ...value, Ordered: event.currentTarget.checked })}
      />
      {Steps.map((step, n) => (
        <StepField
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no identity but its place
          key={n}
          step={step}
          number={n + 1}
          onChange={(changed) => setSteps(Steps.with(n, changed))}
          onRemove={Steps.length > 1 ? () => setSteps(Steps.toSpliced(n, 1)) : null}
        />
      ))}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => setSteps([...Steps, newStep])}
        style={{ alignSelf: 'flex-start' }}
      >
        {t('add')}
      </Button>
    </>
  );
}

/** Changes the steps of a path. */
export function PathDialog({ path, onClose }: { path: Path; onClose: () => void }) {
  const t = useTranslations('courses.path');
  const { client } = useApi();
  const queries = useQueryClient();
  const [draft, setDraft] = useState<Draft>(path);
  const save = async () => {
    const { error } = await client.PUT('/course/{CourseID}/path', {
      params: { path: { CourseID: path.CourseID } },
      body: { Steps: draft.Steps, Ordered: draft.Ordered },
    });
    if (error) throw error;
    await queries.invalidateQueries();
    notify(t('saved'));
  };
  return (
    <FormDialog
      isOpen
      title={t('editHeading')}
      onClose={onClose}
      submit={t('save')}
      onSubmit={save}
      isDirty={draft !== path}
      size="lg"
    >
      <StepsField value={draft} onChange={setDraft} />
    </FormDialog>
  );
}

const empty = { title: '', courseId: '', draft: { Steps: [newStep], Ordered: true } };

/** Creates a path as a draft. */
export function NewPathButton() {
  const t = useTranslations('courses.path');
  const api = useApi();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState(empty);
  const set = (change: Partial<typeof empty>) => setTyped((before) => ({ ...before, ...change }));
  const courseId = typed.courseId || idOf(typed.title);
  const create = async () => {
    // PUT would overwrite an existing course.
    if (await findCourse(api, courseId))
      throw { code: 'course_exists', title: t('takenTitle'), detail: t('taken') };
    const { error } = await api.client.PUT('/course/{CourseID}/path', {
      params: { path: { CourseID: courseId } },
      body: { Title: typed.title, Status: 'draft', ...typed.draft },
    });
    if (error) throw error;
    await navigate({
      to: '/console/courses/$courseId',
      params: { courseId },
      search: { part: 'content' },
    });
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconRoute size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('new')}
      </Button>
      <FormDialog
        title={t('heading')}
        isOpen={isOpen}
        onClose={() => {
          setOpen(false);
          setTyped(empty);
        }}
        submit={t('create')}
        onSubmit={create}
        isDirty={typed !== empty}
        size="lg"
      >
        <TextInput
          label={t('title')}
          required
          maxLength={500}
          value={typed.title}
          onChange={(event) => set({ title: event.currentTarget.value })}
        />
        <IdField
          label={t('courseId')}
          description={t('courseIdText')}
          value={courseId}
          onChange={(courseId) => set({ courseId })}
        />
        <StepsField value={typed.draft} onChange={(draft) => set({ draft })} />
      </FormDialog>
    </>
  );
}
