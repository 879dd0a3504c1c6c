import { Anchor, Badge, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { Note } from '../../parts/values.tsx';

export type User = components['schemas']['User'];

export function useUser(loginId: string) {
  const { $api } = useApi();
  return $api.useQuery(
    'get',
    '/user/{LoginID}',
    { params: { path: { LoginID: loginId } } },
    { staleTime: 60_000 },
  );
}

/** The name of the user with this LoginID; until it is loaded, the LoginID. */
export function useName(loginId: string): string {
  const { data } = useUser(loginId);
  return data ? nameOf(data) : loginId;
}

type UserLinkProps = { loginId: string; children: React.ReactNode; isInText?: boolean };

/** With `isInText` the link is underlined, because colour alone would not distinguish it from the words around it. */
export function UserLink({ loginId, children, isInText = false }: UserLinkProps) {
  return (
    <Anchor
      className="break"
      inherit
      underline={isInText ? 'always' : 'hover'}
      renderRoot={(props) => <Link to="/console/users/$loginId" params={{ loginId }} {...props} />}
    >
      {children}
    </Anchor>
  );
}

/** A link with the name of the user with this LoginID, who may not exist. */
export function UserName({ loginId }: { loginId: string }) {
  return <UserLink loginId={loginId}>{useName(loginId)}</UserLink>;
}

export function LoginID({ name, loginId }: { name: string; loginId: string }) {
  if (name === loginId) return null;
  return (
    <Note>
      <span className="login-id">{loginId}</span>
    </Note>
  );
}

/** Badges for this account's special properties. */
export function AccountBadges({ user }: { user: User }) {
  const t = useTranslations('users');
  return (
    <Group gap={6}>
      {!user.Enabled && <Badge color="red">{t('disabled')}</Badge>}
      {user.IsAdmin && <Badge color="blue">{t('administrator')}</Badge>}
    </Group>
  );
}
