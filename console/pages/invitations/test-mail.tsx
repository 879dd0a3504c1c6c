import { Alert, Button, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { FailedAction } from '../../parts/states.tsx';

const colors = { queued: 'blue', sent: 'green', failed: 'red', cancelled: 'red', bounced: 'red' } as const;

/** Sends an email to the signed-in administrator, and shows how the mail server responds. */
export function TestMail({ sendsMail }: { sendsMail: boolean }) {
  const t = useTranslations('mails.test');
  const { $api } = useApi();
  const { LoginID } = useSession();
  const sending = $api.useMutation('post', '/mail/test');
  const isSent = ({ MailID }: { MailID: string }) => MailID === sending.data?.MailID;
  const { data } = $api.useQuery(
    'get',
    '/mail',
    { params: { query: { LoginID: LoginID ?? '' } } },
    {
      enabled: sending.isSuccess,
      refetchInterval: ({ state }) =>
        (state.data?.Items.find(isSent)?.Status ?? 'queued') === 'queued' ? 1_000 : false,
    },
  );
  if (LoginID === null) return null;
  const mail = data?.Items.find(isSent) ?? sending.data;
  return (
    <Stack gap="xs" align="flex-start">
      <Button
        variant="default"
        disabled={!sendsMail}
        loading={sending.isPending || (mail?.Status === 'queued' && mail.Attempts === 0)}
        onClick={() => sending.mutate({ body: { LoginID } })}
      >
        {t('send')}
      </Button>
      <Text size="sm" c="dimmed">
        {t(sendsMail ? 'text' : 'off')}
      </Text>
      <FailedAction error={sending.error} />
      {mail && (mail.Status !== 'queued' || mail.Attempts > 0) && (
        <Alert
          role="status"
          color={colors[mail.Status]}
          variant="light"
          title={t(`results.${mail.Status}`, { address: mail.Address })}
        >
          {mail.Answer ?? mail.BounceReason ?? (mail.Status === 'sent' ? '' : t('noAnswer'))}
        </Alert>
      )}
    </Stack>
  );
}
