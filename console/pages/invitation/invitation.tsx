import { Anchor, Text } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { LinkPage, type OpenLink } from '../password/link-page.tsx';

export default function Invitation() {
  const t = useTranslations('invitation');
  const format = useFormatter();
  const { client } = useApi();
  const openLink = async (Token: string) => {
    const { data, error } = await client.POST('/session/invitation/check', { body: { Token } });
    if (!data) throw error;
    return data;
  };
  const accept = async (body: { Token: string; Password: string }) => {
    const { error } = await client.POST('/session/invitation', { body });
    if (error) throw error;
  };
  const show = (link: OpenLink) => ({
    title: link.FirstName || link.LastName ? t('titleWithName', { name: nameOf(link) }) : t('title'),
    text: t('text', { tenant: link.TenantName }),
    submit: t('submit'),
    footer: (
      <Text size="sm" c="dimmed">
        {t('until', { at: format.dateTime(new Date(link.ExpiresAt), { dateStyle: 'long' }) })}{' '}
        <Anchor href="/console/" underline="always" inherit>
          {t('hasPassword')}
        </Anchor>
      </Text>
    ),
  });
  const ended = {
    title: t('endedTitle'),
    text: t('endedText'),
    action: t('toSignIn'),
    href: '/console/',
  };
  return <LinkPage kind="invitation" openLink={openLink} accept={accept} show={show} ended={ended} />;
}
