import { Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { notify } from '../../parts/toast.tsx';
import type { Enrolment } from './values.tsx';

type Props = { enrolment: Enrolment; name: string; isOpen: boolean; onClose: () => void };

/** Lets the learner start over, after asking for a reason. */
export function ResetDialog({ enrolment, name, isOpen, onClose }: Props) {
  const t = useTranslations('enrolments.attempts');
  const { client } = useApi();
  const queries = useQueryClient();
  const [Reason, setReason] = useFormState(isOpen, () => '');
  const { LoginID, EnrollID } = enrolment;
  const reset = async () => {
    const { error } = await client.POST('/enrolment/{LoginID}/{EnrollID}/reset', {
      params: { path: { LoginID, EnrollID } },
      body: { Reason },
    });
    if (error) throw error;
    await queries.invalidateQueries();
    notify(t('resetDone'));
  };
  return (
    <FormDialog
      title={t('resetTitle', { name })}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('reset')}
      onSubmit={reset}
    >
      <Text>{t('resetText')}</Text>
      <Textarea
        label={t('resetReason')}
        description={t('resetReasonText')}
        required
        maxLength={1000}
        minRows={2}
        value={Reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
