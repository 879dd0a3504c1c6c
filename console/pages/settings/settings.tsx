import { Box, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { Page } from '../../parts/page.tsx';
import { SaveButtons } from '../../parts/save-buttons.tsx';
import { Failed, FailedAction, WaitingRows } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { MailFields, type MailSettings } from './mail-fields.tsx';

/** The settings of the administrator's own tenant, or of the tenant that the operator has chosen in the menu. */
export default function SettingsPage() {
  const t = useTranslations('settings');
  const { $api } = useApi();
  const asked = $api.useQuery('get', '/settings');
  const content = () => {
    if (asked.isPending) return <WaitingRows rows={3} />;
    if (!asked.data) return <Failed error={asked.error} onRetry={() => asked.refetch()} />;
    return <Form key={asked.data.UpdatedAt} settings={asked.data} />;
  };
  return (
    <Page title={t('title')} text={<Box maw={640}>{t('text')}</Box>}>
      {content()}
    </Page>
  );
}

function Form({ settings }: { settings: components['schemas']['Settings'] }) {
  const t = useTranslations('settings');
  const { $api } = useApi();
  const queries = useQueryClient();
  const { Scopes } = useSession();
  const change = $api.useMutation('put', '/settings');
  const before: MailSettings = { Language: settings.Language, ReminderDays: settings.ReminderDays };
  const [typed, setTyped] = useState(before);
  const isChanged = JSON.stringify(typed) !== JSON.stringify(before);
  const mayChange = Scopes.includes('users:admin') && Scopes.includes('users:write');
  const saving = useAction(async () => {
    // Another administrator may have changed the other setting meanwhile.
    const isSame = (name: keyof MailSettings) => String(typed[name]) === String(before[name]);
    const body = Object.fromEntries(
      Object.entries(typed).filter(([name]) => !isSame(name as keyof MailSettings)),
    );
    await change.mutateAsync({ body });
    await queries.invalidateQueries();
    notify(t('saved'));
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void saving.run();
  };
  const undo = () => {
    setTyped(before);
    saving.reset();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="lg" maw={480}>
        <MailFields
          typed={typed}
          onChange={(change) => setTyped((held) => ({ ...held, ...change }))}
          isReadOnly={!mayChange}
        />
        <FailedAction error={saving.error} />
        <SaveButtons
          texts={{ save: t('save'), undo: t('undo'), notAllowed: t('notAllowed') }}
          isAllowed={mayChange}
          isChanged={isChanged}
          isRunning={saving.isRunning}
          onUndo={undo}
        />
      </Stack>
      <LeaveGuard isOn={isChanged && !saving.isRunning} text={t('leaveText')} />
    </form>
  );
}
