import { useTranslations } from 'use-intl';
import type { Session } from '../api/session.tsx';
import { Message } from '../parts/states.tsx';
import { isForRole, navigationPageOf } from './navigation.ts';

/** Whether the user may open the page. The service itself checks each call for the page's data. */
export function mayOpen(role: Session['Role'], pathname: string): boolean {
  const page = navigationPageOf(pathname);
  return !page || isForRole(page, role);
}

export function Forbidden() {
  const t = useTranslations('shell');
  return <Message isPage title={t('forbiddenTitle')} text={t('forbiddenText')} />;
}
