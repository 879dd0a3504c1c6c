import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconMailOff } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { Instant, None } from '../../parts/values.tsx';
import type { User } from './person.tsx';

/** The address, and whether it has bounced. */
export function EmailCell({ user }: { user: User }) {
  const t = useTranslations('users.bounce');
  return (
    <Group gap={6} wrap="nowrap">
      <span className="break">{user.Email ?? <None />}</span>
      {user.EmailBouncedAt && <Badge color="orange">{t('badge')}</Badge>}
    </Group>
  );
}

/** Why the user gets no emails, and a button that lets the service send emails again. */
export function BounceAlert({ user, onEdit }: { user: User; onEdit: () => void }) {
  const t = useTranslations('users.bounce');
  const { client } = useApi();
  const queries = useQueryClient();
  const clearing = useAction(async () => {
    const { error } = await client.DELETE('/user/{LoginID}/bounce', {
      params: { path: { LoginID: user.LoginID } },
    });
    if (error) throw error;
    await queries.invalidateQueries();
    notify(t('cleared'));
  });
  const { EmailBouncedAt, EmailBounceReason } = user;
  if (!EmailBouncedAt) return null;
  return (
    <Alert color="orange" variant="light" icon={<IconMailOff size={18} aria-hidden />} title={t('title')}>
      <Stack gap="sm" align="flex-start">
        <div>
          {t.rich('text', { email: user.Email ?? '', at: () => <Instant at={EmailBouncedAt} /> })}
          {EmailBounceReason !== null && (
            <Text size="sm" mt={4} className="break">
              {t('reason', { reason: EmailBounceReason })}
            </Text>
          )}
        </div>
        <Group gap="sm">
          <Button variant="default" onClick={onEdit}>
            {t('edit')}
          </Button>
          <Button variant="default" loading={clearing.isRunning} onClick={() => clearing.run()}>
            {t('clear')}
          </Button>
        </Group>
        <FailedAction error={clearing.error} />
      </Stack>
    </Alert>
  );
}
