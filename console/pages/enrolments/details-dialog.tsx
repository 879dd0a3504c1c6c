import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { factorOfText, TimeFactorField, textOfFactor } from '../../parts/time-factor.tsx';
import { useChange } from './use-changes.ts';
import type { Enrolment } from './values.tsx';

type Props = { enrolment: Enrolment; isOpen: boolean; onClose: () => void };
type Row = { id: number; name: string; value: string };

const maxPairs = 20;

export function DetailsDialog({ enrolment, isOpen, onClose }: Props) {
  const t = useTranslations('enrolments');
  const act = useTranslations('act');
  const change = useChange(enrolment);
  const [reference, setReference] = useFormState(isOpen, () => enrolment.Reference ?? '');
  const [rows, setRows] = useFormState<Row[]>(isOpen, () =>
    Object.entries(enrolment.Metadata).map(([name, value], id) => ({ id, name, value })),
  );
  const factorNow = textOfFactor(enrolment.TimeFactor);
  const [factor, setFactor] = useFormState(isOpen, () => factorNow);
  const submit = () => {
    const named = rows.filter(({ name }) => name !== '');
    const Metadata = Object.fromEntries(named.map(({ name, value }) => [name, value]));
    // An unchanged factor may be the user's.
    const TimeFactor = factor === 'user' ? factor : factorOfText(factor);
    return change(
      { Reference: reference || null, Metadata, ...(factor !== factorNow && { TimeFactor }) },
      t('details.done'),
    );
  };
  return (
    <FormDialog
      title={t('details.edit')}
      isOpen={isOpen}
      onClose={onClose}
      submit={act('save')}
      onSubmit={submit}
    >
      <TextInput
        label={t('reference')}
        description={t('referenceText')}
        maxLength={255}
        value={reference}
        onChange={(event) => setReference(event.currentTarget.value)}
      />
      <TimeFactorField value={factor} onChange={setFactor} inherits />
      <Metadata rows={rows} onChange={setRows} />
    </FormDialog>
  );
}

function Metadata({ rows, onChange }: { rows: Row[]; onChange: (rows: Row[]) => void }) {
  const t = useTranslations('enrolments');
  const set = (id: number, changed: Partial<Row>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...changed } : row)));
  const next = Math.max(-1, ...rows.map(({ id }) => id)) + 1;
  return (
    <Stack gap="xs" role="group" aria-label={t('details.metadata')}>
      <Text size="sm" fw={500}>
        {t('details.metadata')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('details.metadataText')}
      </Text>
      {rows.map(({ id, name, value }, index) => (
        <Group key={id} gap="xs" wrap="nowrap">
          <TextInput
            aria-label={t('details.name', { number: index + 1 })}
            placeholder={t('details.namePlaceholder')}
            maxLength={40}
            value={name}
            onChange={(event) => set(id, { name: event.currentTarget.value })}
            flex={1}
            miw={0}
          />
          <TextInput
            aria-label={t('details.value', { number: index + 1 })}
            placeholder={t('details.valuePlaceholder')}
            maxLength={500}
            value={value}
            onChange={(event) => set(id, { value: event.currentTarget.value })}
            flex={1}
            miw={0}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('details.remove', { number: index + 1 })}
            onClick={() => onChange(rows.filter((row) => row.id !== id))}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      {rows.length < maxPairs && (
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...rows, { id: next, name: '', value: '' }])}
        >
          {t('details.add')}
        </Button>
      )}
    </Stack>
  );
}
