import { Button, Modal, Stack, Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { Copyable, LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { TestForm } from './test-form.tsx';

type Credentials = { name: string; password: string };
const noCredentials: Credentials = { name: '', password: '' };

/** Shows how activity providers connect to the learning record store, and tests their credentials. */
export function Connect() {
  const t = useTranslations('statements.connect');
  const [isOpen, setOpen] = useState(false);
  const [credentials, setCredentials] = useState(noCredentials);
  const close = () => {
    setOpen(false);
    setCredentials(noCredentials);
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPlugConnected size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('button')}
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={t('title')}
        size="lg"
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        <Stack>
          <Text size="sm">{t('text')}</Text>
          <LabelledValues>
            <LabelledValue label={t('endpoint')}>
              <Copyable value={`${location.origin}/xapi`} label={t('endpoint')} />
            </LabelledValue>
            <LabelledValue label={t('versions')}>1.0.3, 2.0</LabelledValue>
          </LabelledValues>
          <NewKey onMade={setCredentials} />
          <TestForm credentials={credentials} onChange={setCredentials} />
        </Stack>
      </Modal>
    </>
  );
}

const needed = ['xapi:read', 'xapi:write'] as const;

function NewKey({ onMade }: { onMade: (made: Credentials) => void }) {
  const t = useTranslations('statements.connect');
  const { $api } = useApi();
  const queries = useQueryClient();
  const { Scopes } = useSession();
  const create = $api.useMutation('post', '/key');
  const [made, setMade] = useState<Credentials | null>(null);
  const making = useAction(async () => {
    const { KeyID, Secret } = await create.mutateAsync({
      body: { Name: 'LRS', Scopes: [...needed] },
    });
    setMade({ name: KeyID, password: Secret });
    onMade({ name: KeyID, password: Secret });
    await queries.invalidateQueries();
  });
  if (!needed.every((scope) => Scopes.includes(scope))) return <Text size="sm">{t('ask')}</Text>;
  if (made)
    return (
      <>
        <Text size="sm">{t('made')}</Text>
        <LabelledValues>
          <LabelledValue label={t('name')}>
            <Copyable value={made.name} label={t('name')} />
          </LabelledValue>
          <LabelledValue label={t('password')}>
            <Copyable value={made.password} label={t('password')} />
          </LabelledValue>
        </LabelledValues>
      </>
    );
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{t('keyText')}</Text>
      <Button variant="default" loading={making.isRunning} onClick={() => making.run()}>
        {t('create')}
      </Button>
      <FailedAction error={making.error} />
    </Stack>
  );
}
