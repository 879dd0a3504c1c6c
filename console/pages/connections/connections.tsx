import { Button, Select, Stack, Text } from '@mantine/core';
import { IconPlug } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { EditedRows } from '../../parts/edited-rows.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { Copyable, LabelledValue } from '../../parts/values.tsx';
import { Dispatches } from './dispatches.tsx';
import { PlatformRow } from './platform.tsx';
import { PlatformDialog } from './platform-form.tsx';
import { Tools } from './tools.tsx';

/** The LMSs in which courses are opened, and the courses that are lent to other systems. */
export default function Connections() {
  const t = useTranslations('platforms');
  const { $api } = useApi();
  const asked = $api.useQuery('get', '/platform');
  return (
    <Page title={t('title')} text={t('text')}>
      <Stack gap="xl" maw={760}>
        <EditedRows
          asked={asked}
          texts={{
            title: t('platforms'),
            text: t('platformsText'),
            add: t('add'),
            emptyTitle: t('emptyTitle'),
            emptyText: t('emptyText'),
          }}
          icon={<IconPlug size={36} stroke={1.5} aria-hidden />}
          row={(one, onEdit) => <PlatformRow key={one.PlatformID} platform={one} onEdit={onEdit} />}
          dialog={(platform, isOpen, onClose) => (
            <PlatformDialog platform={platform} isOpen={isOpen} onClose={onClose} />
          )}
        />
        <Registration />
        <Setup />
        <Tools />
        <Dispatches />
        <Section title={t('suites')} text={t('suitesText')}>
          <Button
            variant="default"
            w="fit-content"
            renderRoot={(props) => <Link to="/console/webhooks" {...props} />}
          >
            {t('openWebhooks')}
          </Button>
        </Section>
      </Stack>
    </Page>
  );
}

/** A link with which the LMS and Lectern exchange their values. */
function Registration() {
  const t = useTranslations('platforms');
  const { $api } = useApi();
  const create = $api.useMutation('post', '/platform/registration');
  const creating = useAction(async () => void (await create.mutateAsync({})));
  return (
    <Section title={t('register')} text={t('registerText')}>
      <Button
        variant="default"
        w="fit-content"
        onClick={() => void creating.run()}
        loading={creating.isRunning}
      >
        {t('registerLink')}
      </Button>
      <FailedAction error={creating.error} />
      {create.data && (
        <Stack component="dl" gap="sm" m={0} role="status">
          <LabelledValue label={t('registrationURL')}>
            <Copyable value={create.data.RegistrationURL} label={t('registrationURL')} />
          </LabelledValue>
        </Stack>
      )}
    </Section>
  );
}

const systems = {
  moodle: 'Moodle',
  canvas: 'Canvas',
  blackboard: 'Blackboard',
  brightspace: 'Brightspace',
  sakai: 'Sakai',
} as const;
type System = keyof typeof systems;
const isSystem = (name: string | null): name is System => name !== null && Object.hasOwn(systems, name);

/** What to enter in the LMS. The console is on the API's origin. */
function Setup() {
  const t = useTranslations('platforms');
  const { tenant } = useApi();
  const { TenantID } = useSession();
  const [system, setSystem] = useState<System>('moodle');
  const { origin } = window.location;
  const keys = `${origin}/issuer/${encodeURIComponent(tenant ?? TenantID ?? '')}/jwks.json`;
  const values = [
    ['tool', `${origin}/lti/launch`],
    ['login', `${origin}/lti/login`],
    ['redirect', `${origin}/lti/launch`],
    ['deepLink', `${origin}/lti/launch`],
    ['keys', keys],
  ] as const;
  return (
    <Section title={t('setup')} text={t('setupText')}>
      <Select
        label={t('lms')}
        data={Object.entries(systems).map(([value, label]) => ({ value, label }))}
        value={system}
        onChange={(name) => isSystem(name) && setSystem(name)}
        allowDeselect={false}
        maw={280}
      />
      <Text size="sm">{t(`guides.${system}`)}</Text>
      <Stack component="dl" gap="sm" m={0}>
        {values.map(([name, value]) => (
          <LabelledValue key={name} label={t(`values.${name}`)}>
            <Copyable value={value} label={t(`values.${name}`)} />
          </LabelledValue>
        ))}
      </Stack>
    </Section>
  );
}
