import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { LinkPage, type OpenLink } from './link-page.tsx';

/** The page behind the link in an email to a user who forgot their password. */
export default function ResetPassword() {
  const t = useTranslations('password.reset');
  const { client } = useApi();
  const openLink = async (Token: string) => {
    const { data, error } = await client.POST('/session/reset/check', { body: { Token } });
    if (!data) throw error;
    return data;
  };
  const accept = async (body: { Token: string; Password: string }) => {
    const { error } = await client.PUT('/session/reset', { body });
    if (error) throw error;
  };
  const show = ({ TenantName }: OpenLink) => ({
    title: t('title'),
    text: t('text', { tenant: TenantName }),
    submit: t('submit'),
  });
  const ended = {
    title: t('endedTitle'),
    text: t('endedText'),
    action: t('again'),
    href: '/console/forgot',
  };
  return <LinkPage kind="reset" openLink={openLink} accept={accept} show={show} ended={ended} />;
}
