import { Group, NumberInput, Radio, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { choiceOf } from '../../parts/choices.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { newRequestKey } from '../../parts/request-key.ts';
import { LearnerPicker } from '../enrolments/pickers.tsx';
import { GroupField } from '../users/group.tsx';
import { CoursesField, type KeyCourse, noCourse } from './courses-field.tsx';
import type { CreatedKey, EnrolmentKey, NewKeys } from './values.tsx';

/** Initial values for new keys: blank, or copied from an existing key. */
export type InitialKeys = { key?: EnrolmentKey };

const holders = ['anybody', 'group', 'user'] as const;

type FormValues = {
  courses: KeyCourse[];
  quantity: number;
  holder: (typeof holders)[number];
  group: string;
  loginId: string | undefined;
  purchaseOrder: string;
  from: string;
  until: string;
};

function valuesOf(like: EnrolmentKey | undefined): FormValues {
  return {
    courses: like
      ? like.CourseIDs.map((courseId, at) => ({ courseId, durationId: like.DurationIDs[at] }))
      : [noCourse],
    quantity: 1,
    holder: like?.LoginID ? 'user' : like?.Group ? 'group' : 'anybody',
    group: like?.Group ?? '',
    loginId: like?.LoginID ?? undefined,
    purchaseOrder: like?.PurchaseOrder ?? '',
    from: '',
    until: '',
  };
}

/** Converts the form to the service's format. Validity is in whole days in the viewer's time zone. */
function bodyOf(typed: FormValues): NewKeys {
  const { courses, quantity, holder, group, loginId, purchaseOrder, from, until } = typed;
  return {
    CourseIDs: courses.map(({ courseId }) => courseId ?? ''),
    DurationIDs: courses.map(({ durationId }) => durationId ?? ''),
    Quantity: quantity,
    ...(holder === 'group' && group ? { Group: group } : {}),
    ...(holder === 'user' && loginId !== undefined ? { LoginID: loginId } : {}),
    ...(purchaseOrder ? { PurchaseOrder: purchaseOrder } : {}),
    ...(from ? { ValidFrom: new Date(`${from}T00:00`).toISOString() } : {}),
    ...(until ? { ValidUntil: new Date(`${until}T23:59:59`).toISOString() } : {}),
  };
}

/** Creates keys. If the response is lost, repeating the request returns the same keys. */
function useMake() {
  const { client } = useApi();
  const queries = useQueryClient();
  const sent = useRef({ text: '', key: '' });
  return async (body: NewKeys): Promise<CreatedKey[]> => {
    const text = JSON.stringify(body);
    if (sent.current.text !== text) sent.current = { text, key: newRequestKey() };
    const { data, error } = await client.POST('/enrolment/key', {
      params: { header: { 'Idempotency-Key': sent.current.key } },
      body,
    });
    if (!data) throw error;
    sent.current = { text: '', key: '' };
    void queries.invalidateQueries();
    return data.Items;
  };
}

type Props = {
  /** Null if the dialog is closed. */
  like: InitialKeys | null;
  onClose: () => void;
  onMade: (made: CreatedKey[]) => void;
};

export function NewKeysDialog({ like, onClose, onMade }: Props) {
  const t = useTranslations('keys');
  const isOpen = like !== null;
  const make = useMake();
  const [typed, setTyped] = useFormState(isOpen, () => valuesOf(like?.key));
  const set = (change: Partial<FormValues>) => setTyped((before) => ({ ...before, ...change }));
  const text = (name: 'purchaseOrder' | 'from' | 'until') => ({
    value: typed[name],
    onChange: (event: { currentTarget: HTMLInputElement }) => set({ [name]: event.currentTarget.value }),
  });
  const isDirty = typed.courses.some(({ courseId }) => courseId !== undefined) || typed.purchaseOrder !== '';
  return (
    <FormDialog
      title={t('newTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('makeMany', { count: typed.quantity })}
      onSubmit={async () => onMade(await make(bodyOf(typed)))}
      isDirty={isDirty && !like?.key}
      size="lg"
    >
      <CoursesField
        value={typed.courses}
        onChange={(change) => setTyped((before) => ({ ...before, courses: change(before.courses) }))}
      />
      <NumberInput
        label={t('quantity')}
        description={t('quantityText')}
        required
        min={1}
        max={1000}
        allowDecimal={false}
        clampBehavior="strict"
        value={typed.quantity}
        onChange={(value) => set({ quantity: typeof value === 'number' ? value : 1 })}
        maw={320}
      />
      <Radio.Group
        label={t('for')}
        value={typed.holder}
        onChange={(value) => set({ holder: choiceOf(holders, value) ?? typed.holder })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="anybody" label={t('anybody')} description={t('anybodyText')} />
          <Radio value="group" label={t('oneGroup')} description={t('oneGroupText')} />
          <Radio value="user" label={t('oneUser')} description={t('oneUserText')} />
        </Stack>
      </Radio.Group>
      {typed.holder === 'group' && (
        <GroupField value={typed.group} onChange={(group) => set({ group })} required />
      )}
      {typed.holder === 'user' && (
        <LearnerPicker value={typed.loginId} onChange={(loginId) => set({ loginId })} required />
      )}
      <Group grow preventGrowOverflow={false} align="flex-start">
        <TextInput type="date" label={t('validFrom')} description={t('validFromText')} {...text('from')} />
        <TextInput type="date" label={t('validUntil')} description={t('validUntilText')} {...text('until')} />
      </Group>
      <TextInput
        label={t('purchaseOrder')}
        description={t('purchaseOrderText')}
        maxLength={255}
        {...text('purchaseOrder')}
      />
    </FormDialog>
  );
}
