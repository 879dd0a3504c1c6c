import { Anchor, Badge, Group } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { type Api, useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { nameOf } from '../../api/session.tsx';
import { None, Note } from '../../parts/values.tsx';

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

type Batch = { loginIds: Set<string>; users: Promise<ReadonlyMap<string, User>> };
const batches = new WeakMap<Api['client'], Batch>();
/** The URL of a call stays far below what servers accept. */
const maxBatch = 40;

/** Reads the users that the rows of a list need in one call. */
function readTogether(client: Api['client'], loginId: string): Batch['users'] {
  const open = batches.get(client);
  if (open && open.loginIds.size < maxBatch) {
    open.loginIds.add(loginId);
    return open.users;
  }
  const loginIds = new Set([loginId]);
  const users = new Promise((resolve) => setTimeout(resolve)).then(async () => {
    if (batches.get(client)?.loginIds === loginIds) batches.delete(client);
    const query = { LoginID: [...loginIds].join(','), Limit: 200 };
    const { Items } = await dataOf(client.GET('/user', { params: { query } }));
    return new Map(Items.map((user) => [user.LoginID, user]));
  });
  batches.set(client, { loginIds, users });
  return users;
}

const listedUser = (client: Api['client'], loginId: string) => ({
  queryKey: ['listed user', loginId],
  staleTime: 60_000,
  queryFn: async () => (await readTogether(client, loginId)).get(loginId) ?? null,
});

/** The user with this LoginID in a list; null if there is none. */
export function useListedUser(loginId: string): User | null | undefined {
  const { client } = useApi();
  return useQuery(listedUser(client, loginId)).data;
}

/** The name of the user with this LoginID; until it is loaded, the LoginID. */
export function useName(loginId: string): string {
  const user = useListedUser(loginId);
  return user ? nameOf(user) : loginId;
}

type Named = Parameters<typeof nameOf>[0];
type NamesProps = { loginIds: readonly string[]; count?: number; max?: number; known?: readonly Named[] };

/** The first names of a list, and how many more there are. `known`: people that the viewer cannot look up. */
export function Names({ loginIds, count = loginIds.length, max = 10, known }: NamesProps) {
  const t = useTranslations('users');
  const { client } = useApi();
  const shown = loginIds.slice(0, max);
  const found = useQueries({
    queries: shown.map((loginId) => ({ ...listedUser(client, loginId), enabled: known === undefined })),
  });
  const names = shown.map((LoginID, at) => {
    const user = known?.find((one) => one.LoginID === LoginID) ?? found[at]?.data;
    return user ? nameOf(user) : LoginID;
  });
  return t('names', { names: names.join(', '), count: count - shown.length });
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
export function UserName({ loginId, isInText = false }: { loginId: string; isInText?: boolean }) {
  return (
    <UserLink loginId={loginId} isInText={isInText}>
      {useName(loginId)}
    </UserLink>
  );
}

/** The person of a row, with the LoginID below the name. Shows a dash if there is none or if they were erased. */
export function ListedUser({ loginId }: { loginId: string | null }) {
  return loginId === null ? <None /> : <Listed loginId={loginId} />;
}

function Listed({ loginId }: { loginId: string }) {
  return (
    <>
      <UserName loginId={loginId} />
      <LoginID name={useName(loginId)} loginId={loginId} />
    </>
  );
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
