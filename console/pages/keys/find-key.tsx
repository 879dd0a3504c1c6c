import { Button, TextInput } from '@mantine/core';
import { IconZoomQuestion } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';

/**
 * Finds a key that someone reads out on the phone. The page's URL contains only the KeyID, because anyone who has the
 * key can redeem it.
 */
export function FindKey({ onFound }: { onFound: (keyId: string) => void }) {
  const t = useTranslations('keys');
  const { client } = useApi();
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useFormState(isOpen, () => '');
  const find = async () => {
    const { data, error } = await client.GET('/enrolment/key/{Key}', {
      params: { path: { Key: typed.trim() } },
    });
    if (!data) throw error;
    onFound(data.KeyID);
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconZoomQuestion size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('find.button')}
      </Button>
      <FormDialog
        title={t('find.button')}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={t('find.submit')}
        onSubmit={find}
      >
        <TextInput
          label={t('find.key')}
          description={t('find.text')}
          required
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </FormDialog>
    </>
  );
}
