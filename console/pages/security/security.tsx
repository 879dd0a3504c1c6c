import './security.css';
import { Alert, Box, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconPlus, IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, Message, WaitingRows } from '../../parts/states.tsx';
import { AddPasskeyDialog } from './passkey-dialogs.tsx';
import { PasskeyRow } from './passkey-row.tsx';

/** The passkeys of the administrator or operator who is signed in. */
export default function SecurityPage() {
  const t = useTranslations('passkeys');
  const { $api } = useApi();
  const { data, error, refetch } = $api.useQuery('get', '/session/passkey');
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t('add')}
    </Button>
  );
  return (
    <Page title={t('page')}>
      <Group justify="space-between" align="flex-end">
        <Stack gap={4} maw={640}>
          <Title order={2} size="h4">
            {t('title')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('text')}
          </Text>
        </Stack>
        {data && data.Items.length > 0 && add}
      </Group>
      {!data ? (
        error ? (
          <Failed error={error} onRetry={refetch} />
        ) : (
          <WaitingRows rows={2} />
        )
      ) : data.Items.length === 0 ? (
        <Message
          icon={<IconShieldCheck size={36} stroke={1.5} aria-hidden />}
          title={t('none')}
          text={t('noneText')}
        >
          {add}
        </Message>
      ) : (
        <>
          <Box component="ul" className="passkeys" aria-label={t('title')}>
            {data.Items.map((passkey) => (
              <PasskeyRow key={passkey.PasskeyID} passkey={passkey} />
            ))}
          </Box>
          {data.Items.length === 1 && (
            <Alert color="blue" variant="light" title={t('onlyOne')}>
              {t('onlyOneText')}
            </Alert>
          )}
        </>
      )}
      <AddPasskeyDialog isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}
