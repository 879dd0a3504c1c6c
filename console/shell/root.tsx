import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation, useSearch } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useEffect } from 'react';
import { ApiProvider, useApi } from '../api/api.tsx';
import { isSignedOut } from '../api/problem.ts';
import { type Session, SessionContext } from '../api/session.tsx';
import { DayZone } from '../parts/day-zone.ts';
import { Failed, Waiting } from '../parts/states.tsx';
import { Forbidden, mayOpen } from './access.tsx';
import { linkPages, useBranding } from './branding.tsx';
import { Layout, PublicLayout } from './layout.tsx';
import { needsTenant } from './navigation.ts';
import { ChooseTenant } from './tenant-switcher.tsx';
import { usePublicBranding } from './use-public-branding.ts';

const SignIn = lazy(async () => ({ default: (await import('../pages/sign-in/sign-in.tsx')).SignIn }));

const SecondStep = lazy(async () => ({
  default: (await import('../pages/security/second-step.tsx')).SecondStep,
}));

/** The only place that checks whether a user is signed in. The API reference is public. */
export function Root() {
  return (
    <ApiProvider tenant={null}>
      <Gate />
    </ApiProvider>
  );
}

const sessionKey = ['session'];

/** Pages for users who cannot sign in yet. */
const passwordPages = [...linkPages, '/console/forgot'];

function Gate() {
  const { client } = useApi();
  const queries = useQueryClient();
  const { pathname } = useLocation();
  const onSignedOut = useCallback(() => void queries.setQueryData(sessionKey, null), [queries]);
  const onChanged = useCallback(() => void queries.invalidateQueries({ queryKey: sessionKey }), [queries]);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: sessionKey,
    staleTime: 60_000,
    queryFn: async () => {
      const { data, error } = await client.GET('/session');
      if (error && isSignedOut(error)) return null;
      if (!data) throw error;
      return data;
    },
  });
  // The next user of this tab must not see the previous user's data.
  const nobody = data === null;
  useEffect(() => {
    if (nobody)
      queries.removeQueries({ type: 'inactive', predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  }, [nobody, queries]);
  const { show, remember } = useBranding();
  useEffect(() => {
    if (!data || passwordPages.includes(pathname)) return;
    if (data.TenantID === null) show(null);
    else remember(data.TenantID, data.Branding);
  }, [data, pathname, show, remember]);
  usePublicBranding(nobody && !linkPages.includes(pathname));
  const isOpen = pathname === '/docs';
  // The link may belong to someone other than the person signed in to this browser.
  if (passwordPages.includes(pathname))
    return (
      <PublicLayout>
        <Outlet />
      </PublicLayout>
    );
  if (isPending)
    return (
      <PublicLayout>
        <Waiting />
      </PublicLayout>
    );
  if (data && !(isOpen && data.NextStep)) {
    const signOut = async (everywhere: boolean) => {
      await client.DELETE('/session', { params: { query: { Everywhere: everywhere } } });
      if (data.SignOutURL) window.location.assign(data.SignOutURL);
      else onSignedOut();
    };
    if (data.NextStep)
      return (
        <PublicLayout>
          <Suspense fallback={<Waiting isForm />}>
            <SecondStep session={data} onDone={onChanged} onSignOut={() => signOut(false)} />
          </Suspense>
        </PublicLayout>
      );
    return <Inside session={{ ...data, signOut }} onSignedOut={onSignedOut} onChanged={onChanged} />;
  }
  if (isOpen)
    return (
      <PublicLayout>
        <Outlet />
      </PublicLayout>
    );
  if (error)
    return (
      <PublicLayout>
        <Failed isPage error={error} onRetry={refetch} />
      </PublicLayout>
    );
  return (
    <PublicLayout>
      <Suspense fallback={<Waiting isForm />}>
        <SignIn onSignedIn={onChanged} />
      </Suspense>
    </PublicLayout>
  );
}

type InsideProps = {
  session: Session & { signOut: (everywhere: boolean) => Promise<void> };
  onSignedOut: () => void;
  onChanged: () => void;
};

function Inside({ session, onSignedOut, onChanged }: InsideProps): ReactNode {
  const { pathname } = useLocation();
  const search = useSearch({ strict: false });
  const tenant = session.Role === 'operator' ? (search.tenant ?? null) : null;
  const page = !mayOpen(session.Role, pathname) ? (
    <Forbidden />
  ) : session.Role === 'operator' && tenant === null && needsTenant(pathname) ? (
    <ChooseTenant />
  ) : (
    <Outlet />
  );
  return (
    <SessionContext value={session}>
      <ApiProvider tenant={tenant} onSignedOut={onSignedOut} onChanged={onChanged}>
        <DayZone value={session.TimeZone}>
          <Layout>{page}</Layout>
        </DayZone>
      </ApiProvider>
    </SessionContext>
  );
}
