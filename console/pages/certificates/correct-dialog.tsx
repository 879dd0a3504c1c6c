import { Switch, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { ReasonField } from '../../parts/reason-field.tsx';
import { notify } from '../../parts/toast.tsx';
import type { Certificate } from './record.ts';

export type Correction = 'revoke' | 'reissue';

type Props = { certificate: Certificate; kind: Correction; onClose: () => void };

/** Revokes a certificate, or replaces it by a corrected one. Both need a reason, unless it was revoked before. */
export function CorrectDialog({ certificate, kind, onClose }: Props) {
  const t = useTranslations('certificates');
  const { client } = useApi();
  const queries = useQueryClient();
  const [Reason, setReason] = useState('');
  const [ShowReason, setShown] = useState(false);
  const params = { path: { Number: certificate.Number } };
  const isRevoked = certificate.Status === 'revoked';
  const correction = isRevoked
    ? { Reason: certificate.Reason ?? '–', IfRevoked: 'issue' as const }
    : { Reason, ShowReason };
  const submit = async () => {
    await (kind === 'revoke'
      ? dataOf(client.POST('/certificate/{Number}/revoke', { params, body: { Reason, ShowReason } }))
      : dataOf(client.POST('/certificate/{Number}/reissue', { params, body: correction })));
    await queries.invalidateQueries();
    notify(t(`${kind}.done`));
  };
  return (
    <FormDialog
      isOpen
      title={t(`${kind}.title`, { name: certificate.Name ?? certificate.Number })}
      onClose={onClose}
      submit={t(`${kind}.submit`)}
      onSubmit={submit}
      isDirty={Reason !== ''}
      isDangerous={kind === 'revoke' || isRevoked}
      missing={[!isRevoked && Reason.trim() === '' && t('reason')]}
    >
      <Text size="sm">
        {isRevoked ? t('reissue.revokedText', { reason: certificate.Reason ?? '–' }) : t(`${kind}.text`)}
      </Text>
      {!isRevoked && (
        <>
          <ReasonField label={t('reason')} value={Reason} onChange={setReason} />
          <Switch
            label={t('showReason')}
            checked={ShowReason}
            onChange={(event) => setShown(event.currentTarget.checked)}
          />
        </>
      )}
    </FormDialog>
  );
}
