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
import { Section } from '../../parts/section.tsx';
import { Failed, FailedAction, WaitingRows } from '../../parts/states.tsx';
import { TimeZoneField } from '../../parts/time-zone-field.tsx';
import { notify } from '../../parts/toast.tsx';
import { TestMail } from '../invitations/test-mail.tsx';
import { ErasedCertificatesField } from './erased-certificates-field.tsx';
import { LanguageField } from './language-field.tsx';
import { ReminderFields } from './reminder-fields.tsx';
import { ReminderTexts } from './reminder-text.tsx';

type Settings = components['schemas']['Settings'];
type Typed = Pick<Settings, 'Language' | 'TimeZone' | 'Reminders' | 'ErasedCertificates'>;

/** The settings of the administrator's own tenant, or of the tenant that the operator has chosen in the menu. */
export default function SettingsPage() {
  const t = useTranslations('settings');
  const { $api } = useApi();
  const asked = $api.useQuery('get', '/settings');
  const content = () => {
    if (asked.isPending) return <WaitingRows rows={3} />;
    if (!asked.data) return <Failed error={asked.error} onRetry={() => asked.refetch()} />;
    return <Shown settings={asked.data} />;
  };
  return (
    <Page title={t('title')} text={<Box maw={640}>{t('text')}</Box>}>
      {content()}
    </Page>
  );
}

function Shown({ settings }: { settings: Settings }) {
  const t = useTranslations('reminders');
  const mails = useTranslations('mails.test');
  const { Scopes, LoginID } = useSession();
  const mayChange = Scopes.includes('users:admin') && Scopes.includes('users:write');
  return (
    <Stack gap="xl">
      <Form key={settings.UpdatedAt} settings={settings} mayChange={mayChange} />
      <Section title={t('wordsTitle')} text={t('placeholders')}>
        <ReminderTexts key={settings.Language} language={settings.Language} isAllowed={mayChange} />
      </Section>
      {LoginID !== null && (
        <Section title={mails('title')} text={mails('about')}>
          <TestMail sendsMail={settings.SendsMail} />
        </Section>
      )}
    </Stack>
  );
}

function Form({ settings, mayChange }: { settings: Settings; mayChange: boolean }) {
  const t = useTranslations('settings');
  const { $api } = useApi();
  const queries = useQueryClient();
  const change = $api.useMutation('put', '/settings');
  const { Language, TimeZone, Reminders, ErasedCertificates } = settings;
  const before: Typed = { Language, TimeZone, Reminders, ErasedCertificates };
  const [typed, setTyped] = useState(before);
  const isChanged = JSON.stringify(typed) !== JSON.stringify(before);
  const saving = useAction(async () => {
    // Another administrator may have changed the other setting meanwhile.
    const isSame = (name: keyof Typed) => JSON.stringify(typed[name]) === JSON.stringify(before[name]);
    const body = Object.fromEntries(Object.entries(typed).filter(([name]) => !isSame(name as keyof Typed)));
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
        <LanguageField
          value={typed.Language}
          onChange={(Language) => setTyped((held) => ({ ...held, Language }))}
          isReadOnly={!mayChange}
        />
        <TimeZoneField
          description={t('timeZoneText')}
          value={typed.TimeZone}
          onChange={(TimeZone) => setTyped((held) => ({ ...held, TimeZone }))}
          readOnly={!mayChange}
        />
        <ReminderFields
          value={typed.Reminders}
          onChange={(change) =>
            setTyped((held) => ({ ...held, Reminders: { ...held.Reminders, ...change } }))
          }
          isReadOnly={!mayChange}
        />
        <ErasedCertificatesField
          value={typed.ErasedCertificates}
          onChange={(ErasedCertificates) => setTyped((held) => ({ ...held, ErasedCertificates }))}
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
