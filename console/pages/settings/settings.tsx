import { Box, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { Page } from '../../parts/page.tsx';
import { PageForm } from '../../parts/page-form.tsx';
import { Section } from '../../parts/section.tsx';
import { Unready } from '../../parts/states.tsx';
import { TimeZoneField } from '../../parts/time-zone-field.tsx';
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
    if (!asked.data) return <Unready query={asked} rows={3} />;
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
  const change = $api.useMutation('put', '/settings');
  const { Language, TimeZone, Reminders, ErasedCertificates } = settings;
  const before: Typed = { Language, TimeZone, Reminders, ErasedCertificates };
  const [typed, setTyped] = useState(before);
  const isChanged = JSON.stringify(typed) !== JSON.stringify(before);
  const save = async () => {
    // Another administrator may have changed the other setting meanwhile.
    const isSame = (name: keyof Typed) => JSON.stringify(typed[name]) === JSON.stringify(before[name]);
    const body = Object.fromEntries(Object.entries(typed).filter(([name]) => !isSame(name as keyof Typed)));
    await change.mutateAsync({ body });
  };
  return (
    <Box maw={480}>
      <PageForm
        texts={t}
        isAllowed={mayChange}
        isChanged={isChanged}
        save={save}
        onUndo={() => setTyped(before)}
        gap="lg"
      >
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
      </PageForm>
    </Box>
  );
}
