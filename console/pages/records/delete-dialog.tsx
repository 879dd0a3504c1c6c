import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { ReasonField } from '../../parts/reason-field.tsx';
import { notify } from '../../parts/toast.tsx';

type Props = { completionId: string; title: string; onClose: () => void };

export function DeleteCompletionDialog({ completionId, title, onClose }: Props) {
  const t = useTranslations('records');
  const { client } = useApi();
  const queries = useQueryClient();
  const [Reason, setReason] = useState('');
  const submit = async () => {
    const params = { path: { CompletionID: completionId }, query: { Reason } };
    await dataOf(client.DELETE('/completion/{CompletionID}', { params }));
    await queries.invalidateQueries();
    notify(t('deleted'));
  };
  return (
    <FormDialog
      isOpen
      title={t('deleteTitle', { title })}
      onClose={onClose}
      submit={t('delete')}
      onSubmit={submit}
      isDirty={Reason !== ''}
      isDangerous
      missing={[Reason.trim() === '' && t('reason')]}
    >
      <Text size="sm">{t('deleteText')}</Text>
      <ReasonField label={t('reason')} value={Reason} onChange={setReason} />
    </FormDialog>
  );
}
