import { Group, NativeSelect, NumberInput, Radio, Stack, TagsInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { choiceOf } from '../../parts/choices.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { IdField } from '../../parts/id-field.tsx';
import { idOf } from '../../parts/id-of.ts';
import { PeriodField } from '../../parts/period-field.tsx';
import { notify } from '../../parts/toast.tsx';
import { AttemptsField } from './attempts-field.tsx';
import { DurationField } from './duration-field.tsx';
import { durationIdOf } from './new-course.ts';
import { PriceField } from './price-field.tsx';
import { type Option, starts, statuses } from './values.tsx';

type OptionChange = components['schemas']['EnrolOptionChange'];

const fresh: Omit<Option, 'DurationID' | 'SeatsLeft'> = {
  Name: '',
  Duration: 'P30D',
  StartsOn: 'enrolment',
  DueAfter: null,
  Seats: null,
  Groups: null,
  Price: null,
  Attempts: null,
  Status: 'published',
};

type OptionDialogProps = {
  courseId: string;
  /** Null when creating a new option. */
  option: Option | null;
  taken: readonly string[];
  onClose: () => void;
};

/** Creates or changes an enrolment option. */
export function OptionDialog({ courseId, option, taken, onClose }: OptionDialogProps) {
  const t = useTranslations('courses.options');
  const statusText = useTranslations('courses.statuses');
  const { client } = useApi();
  const queries = useQueryClient();
  const [typedId, setDurationId] = useState(option?.DurationID ?? '');
  const [change, setChange] = useState<OptionChange>({});
  const set = (changed: OptionChange) => setChange((before) => ({ ...before, ...changed }));
  const now = { ...fresh, ...option, ...change } as typeof fresh;
  const durationId = typedId || (now.Name ? idOf(now.Name) : durationIdOf(now.Duration));
  const isTaken = option === null && taken.includes(durationId.normalize('NFC'));
  const save = async () => {
    // PUT would overwrite an existing option.
    if (isTaken) throw { code: 'option_exists', title: t('takenTitle'), detail: t('taken') };
    const made = option === null ? { ...fresh, ...change, Name: change.Name || durationId } : change;
    const { error } = await client.PUT('/course/{CourseID}/option/{DurationID}', {
      params: { path: { CourseID: courseId, DurationID: durationId } },
      body: made,
    });
    if (error) throw error;
    await queries.invalidateQueries();
    notify(t('saved'));
  };
  return (
    <FormDialog
      isOpen
      title={option === null ? t('newTitle') : t('editTitle', { name: option.Name })}
      onClose={onClose}
      submit={t(option === null ? 'create' : 'save')}
      onSubmit={save}
      isDirty={Object.keys(change).length > 0 || typedId !== (option?.DurationID ?? '')}
      size="lg"
    >
      <Group grow align="flex-start">
        <IdField
          label={t('durationId')}
          description={t(option === null ? 'durationIdText' : 'durationIdFixed')}
          readOnly={option !== null}
          value={durationId}
          error={isTaken && t('taken')}
          onChange={setDurationId}
        />
        <TextInput
          label={t('name')}
          description={t('nameText')}
          required={option !== null}
          maxLength={255}
          value={now.Name}
          onChange={(event) => set({ Name: event.currentTarget.value })}
        />
      </Group>
      <DurationField value={now.Duration} onChange={(Duration) => set({ Duration })} />
      {now.Duration !== null && (
        <Radio.Group
          label={t('startsOn')}
          value={now.StartsOn}
          onChange={(value) => set({ StartsOn: choiceOf(starts, value) ?? now.StartsOn })}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="enrolment" label={t('starts.enrolment')} />
            <Radio value="launch" label={t('starts.launch')} />
          </Stack>
        </Radio.Group>
      )}
      <PeriodField
        label={t('dueAfter')}
        description={t('dueAfterText')}
        value={now.DueAfter}
        onChange={(DueAfter) => set({ DueAfter })}
      />
      <NumberInput
        label={t('seats')}
        description={option?.SeatsLeft == null ? t('seatsText') : t('seatsTaken', { left: option.SeatsLeft })}
        min={0}
        max={1_000_000_000}
        allowDecimal={false}
        value={now.Seats ?? ''}
        onChange={(value) => set({ Seats: typeof value === 'number' ? value : null })}
        maw={320}
      />
      <TagsInput
        label={t('groups')}
        description={t('groupsText')}
        value={now.Groups ?? []}
        onChange={(groups) => set({ Groups: groups.length > 0 ? groups : null })}
        splitChars={[';', '\n']}
        acceptValueOnBlur
      />
      <AttemptsField value={now.Attempts} onChange={(Attempts) => set({ Attempts })} />
      <PriceField value={now.Price} onChange={(Price) => set({ Price })} />
      <NativeSelect
        label={t('status')}
        description={t(`meanings.${now.Status}`)}
        value={now.Status}
        onChange={(event) => set({ Status: choiceOf(statuses, event.currentTarget.value) ?? now.Status })}
        data={statuses.map((value) => ({ value, label: statusText(value) }))}
        maw={320}
      />
    </FormDialog>
  );
}
