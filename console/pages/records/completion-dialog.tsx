import { Group, NativeSelect, NumberInput, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { choiceOf } from '../../parts/choices.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { notify } from '../../parts/toast.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';
import { useToday } from '../reports/use-today.ts';

const results = ['passed', 'unknown', 'failed'] as const;

const fresh = {
  ...{ CourseID: undefined as string | undefined, Title: '', CompletedAt: '', Success: 'passed' as const },
  ...{ Score: '' as number | string, Source: '', EvidenceText: '', EvidenceURL: '' },
};
type Typed = Omit<typeof fresh, 'Success'> & { Success: (typeof results)[number] };

type Props = { loginId: string; name: string; onClose: () => void };

/** Records what somebody has completed elsewhere: in a classroom, in another system, or proved by a certificate. */
export function CompletionDialog({ loginId, name, onClose }: Props) {
  const t = useTranslations('records');
  const { client } = useApi();
  const queries = useQueryClient();
  const [typed, setTyped] = useState<Typed>(fresh);
  const today = useToday();
  const set = (change: Partial<Typed>) => setTyped({ ...typed, ...change });
  const text = (field: 'Title' | 'Source' | 'EvidenceURL' | 'CompletedAt') => ({
    value: typed[field],
    onChange: (event: { currentTarget: { value: string } }) => set({ [field]: event.currentTarget.value }),
  });
  const submit = async () => {
    const { CourseID, CompletedAt, Success, Score, ...texts } = typed;
    const known = Object.entries(texts).filter(([, value]) => value.trim() !== '');
    const body = {
      ...{ LoginID: loginId, CompletedAt, Success, ...Object.fromEntries(known) },
      ...(CourseID !== undefined && { CourseID }),
      ...(typeof Score === 'number' && { Score }),
    };
    await dataOf(client.POST('/completion', { body }));
    await queries.invalidateQueries();
    notify(t('recorded'));
  };
  const isNamed = typed.CourseID !== undefined || typed.Title.trim() !== '';
  return (
    <FormDialog
      isOpen
      title={t('recordTitle', { name })}
      onClose={onClose}
      submit={t('record')}
      onSubmit={submit}
      isDirty={typed !== fresh}
      missing={[!isNamed && t('course'), typed.CompletedAt === '' && t('completed')]}
    >
      <Text size="sm">{t('recordText')}</Text>
      <CoursePicker label={t('course')} value={typed.CourseID} onChange={(CourseID) => set({ CourseID })} />
      {typed.CourseID === undefined && (
        <TextInput
          label={t('otherTitle')}
          description={t('otherTitleText')}
          maxLength={500}
          {...text('Title')}
        />
      )}
      <Group grow align="flex-start">
        <TextInput type="date" label={t('completed')} required max={today} {...text('CompletedAt')} />
        <NativeSelect
          label={t('outcome')}
          value={typed.Success}
          onChange={(event) => set({ Success: choiceOf(results, event.currentTarget.value) ?? 'passed' })}
          data={results.map((value) => ({ value, label: t(`results.${value}`) }))}
        />
        <NumberInput
          label={t('score')}
          min={0}
          max={100}
          value={typed.Score}
          onChange={(Score) => set({ Score })}
        />
      </Group>
      <TextInput label={t('source')} placeholder={t('sourceExample')} maxLength={255} {...text('Source')} />
      <Textarea
        label={t('evidenceText')}
        placeholder={t('evidenceExample')}
        maxLength={2_000}
        autosize
        minRows={2}
        value={typed.EvidenceText}
        onChange={(event) => set({ EvidenceText: event.currentTarget.value })}
      />
      <TextInput type="url" label={t('evidenceUrl')} maxLength={2_000} {...text('EvidenceURL')} />
    </FormDialog>
  );
}
