import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { notify } from '../../parts/toast.tsx';
import { bodyOf, EndpointFields, isSame, valuesOf } from './endpoint-form.tsx';
import type { Endpoint } from './health.tsx';

export function EditButton({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const update = $api.useMutation('put', '/webhook/{WebhookID}');
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useFormState(isOpen, () => valuesOf(endpoint));
  const submit = async () => {
    const params = { path: { WebhookID: endpoint.WebhookID } };
    await update.mutateAsync({ params, body: bodyOf(typed) });
    await queries.invalidateQueries();
    notify(t('saved'));
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('edit')}
      </Button>
      <FormDialog
        title={t('editTitle')}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={t('save')}
        onSubmit={submit}
        isDirty={!isSame(typed, valuesOf(endpoint))}
        size="lg"
      >
        <EndpointFields typed={typed} onChange={setTyped} />
      </FormDialog>
    </>
  );
}
