import { Checkbox, Group, Text, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { localDate } from './local-date.ts';
import { useChange } from './use-changes.ts';
import { EndOf, type Enrolment } from './values.tsx';

type Props = { enrolment: Enrolment; isOpen: boolean; onClose: () => void };

const daysOn = (days: number) => new Date(Date.now() + days * 86_400_000);

/** Access ends at the end of the chosen day in the viewer's time zone. */
export function EndDialog({ enrolment, isOpen, onClose }: Props) {
  const t = useTranslations('enrolments');
  const change = useChange(enrolment);
  const { ExpiresAt } = enrolment;
  const [typed, setTyped] = useFormState(isOpen, () => {
    const end = ExpiresAt === null ? null : new Date(ExpiresAt);
    return {
      day: localDate(end && end > new Date() ? end : daysOn(30)),
      isNever: ExpiresAt === null,
    };
  });
  const submit = () =>
    change(
      { ExpiresAt: typed.isNever ? null : new Date(`${typed.day}T23:59:59`).toISOString() },
      t('end.done'),
    );
  return (
    <FormDialog
      title={t('end.title')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('end.button')}
      onSubmit={submit}
    >
      <Text size="sm">
        {t('end.now')} <EndOf at={ExpiresAt} />
      </Text>
      <Group align="flex-end">
        <TextInput
          type="date"
          label={t('end.day')}
          description={t('end.dayText')}
          required={!typed.isNever}
          disabled={typed.isNever}
          value={typed.day}
          onChange={(event) => setTyped({ ...typed, day: event.currentTarget.value })}
          data-autofocus
        />
      </Group>
      <Checkbox
        label={t('end.never')}
        checked={typed.isNever}
        onChange={(event) => setTyped({ ...typed, isNever: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}
