import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { IdField } from '../../parts/id-field.tsx';
import { ReasonField } from '../../parts/reason-field.tsx';
import { notify } from '../../parts/toast.tsx';
import type { Hold } from './record.ts';

type Props = { loginId: string; name: string; hold: Hold | null; onClose: () => void };

/** Places a legal hold on a person, or changes the reason of one. */
export function HoldDialog({ loginId, name, hold, onClose }: Props) {
  const t = useTranslations('holds');
  const { client } = useApi();
  const queries = useQueryClient();
  const [HoldID, setId] = useState(hold?.HoldID ?? '');
  const [Reason, setReason] = useState(hold?.Reason ?? '');
  const submit = async () => {
    const path = { LoginID: loginId, HoldID };
    await dataOf(client.PUT('/user/{LoginID}/hold/{HoldID}', { params: { path }, body: { Reason } }));
    await queries.invalidateQueries();
    notify(t(hold ? 'changed' : 'placed'));
  };
  return (
    <FormDialog
      isOpen
      title={t(hold ? 'changeTitle' : 'placeTitle', { name })}
      onClose={onClose}
      submit={t(hold ? 'change' : 'place')}
      onSubmit={submit}
      isDirty={HoldID !== (hold?.HoldID ?? '') || Reason !== (hold?.Reason ?? '')}
      missing={[HoldID.trim() === '' && t('id'), Reason.trim() === '' && t('reason')]}
    >
      <Text size="sm">{t('about')}</Text>
      {hold === null && (
        <IdField label={t('id')} description={t('idText')} maxLength={100} value={HoldID} onChange={setId} />
      )}
      <ReasonField label={t('reason')} value={Reason} onChange={setReason} />
    </FormDialog>
  );
}
