import { Badge, Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { Instant, LabelledValue } from '../../parts/values.tsx';

type Invitation = components['schemas']['Invitation'];

export const invitationColors = {
  pending: 'blue',
  accepted: 'green',
  expired: 'orange',
  revoked: 'gray',
} as const;

const dateOf = ({ Status, CreatedAt, ExpiresAt, AcceptedAt }: Invitation) =>
  Status === 'accepted' ? AcceptedAt : Status === 'revoked' ? CreatedAt : ExpiresAt;

/** Whether the user was invited, and a button that revokes a pending invitation. */
export function InvitationValue({ loginId }: { loginId: string }) {
  const t = useTranslations('users.invitation');
  const { client } = useApi();
  const queries = useQueryClient();
  const path = { LoginID: loginId };
  const { $api } = useApi();
  const { data: found } = $api.useQuery('get', '/invitation', { params: { query: path } });
  const data = found?.Items[0];
  const revoking = useAction(async () => {
    const { error } = await client.DELETE('/invitation/{LoginID}', { params: { path } });
    if (error) throw error;
    await queries.invalidateQueries();
    notify(t('isRevoked'));
  });
  return (
    <LabelledValue label={t('label')}>
      {data ? (
        <Group gap="xs">
          <Badge color={invitationColors[data.Status]}>{t(`statuses.${data.Status}`)}</Badge>
          <Text size="sm" span>
            {t.rich(`dates.${data.Status}`, { at: () => <Instant at={dateOf(data)} /> })}
          </Text>
          {data.Status === 'pending' && (
            <Button
              variant="subtle"
              size="compact-sm"
              loading={revoking.isRunning}
              onClick={() => revoking.run()}
            >
              {t('revoke')}
            </Button>
          )}
          <FailedAction error={revoking.error} />
        </Group>
      ) : found ? (
        t('never')
      ) : (
        '–'
      )}
    </LabelledValue>
  );
}
