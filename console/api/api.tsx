import { notifyManager, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import createFetchClient, { type Client } from 'openapi-fetch';
import createQueryClient, { type OpenapiQueryClient } from 'openapi-react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { paths } from '../../client/src/generated.ts';
import { isSignedOut, toFailure } from './problem.ts';

/** The hooks read only JSON. `useDownload` saves CSV exports. */
type Json = 'application/json';

/** The public API, called with the session's cookie. An operator's calls name the tenant they act on. */
export type Api = {
  /** For queries, such as `$api.useQuery('get', '/user', …)`. A failed call throws the problem document. */
  $api: OpenapiQueryClient<paths, Json>;
  /** For calls outside queries. They return `{ data, error, response }`. */
  client: Client<paths, Json>;
  /** Headers for hand-written calls: uploads and exports. */
  headers: Record<string, string>;
  tenant: string | null;
};

const ApiContext = createContext<Api | null>(null);

export function useApi(): Api {
  const api = useContext(ApiContext);
  if (!api) throw new Error('useApi outside of ApiProvider');
  return api;
}

/**
 * Responses that arrive within this time (in milliseconds) reach components together. If each of 50 rows rendered as
 * soon as its user's name arrived, React would take this for an endless loop (error 185) and leave out some names.
 */
const notificationDelay = 16;
let notifications: (() => void)[] = [];
notifyManager.setScheduler((notify) => {
  if (notifications.push(notify) > 1) return;
  setTimeout(() => {
    const due = notifications;
    notifications = [];
    for (const notify of due)
      try {
        notify();
      } catch (error) {
        reportError(error);
      }
  }, notificationDelay);
});

const shouldRetry = (count: number, thrown: unknown) => {
  const { status } = toFailure(thrown);
  return count < 2 && (status === 0 || status === 503);
};

function newQueryClient(onSignedOut?: () => void, onChanged?: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (thrown) => {
        if (isSignedOut(thrown)) onSignedOut?.();
        if (toFailure(thrown).code === 'passkey_required') onChanged?.();
      },
    }),
    defaultOptions: { queries: { staleTime: 5_000, retry: shouldRetry } },
  });
}

/** All calls by its children act on `tenant`. Data of one tenant is never shown for another. */
export function ApiProvider(props: {
  tenant: string | null;
  /** Called when a call fails because the session has ended. */
  onSignedOut?: () => void;
  /** Called when a call fails because the session now needs a passkey. */
  onChanged?: () => void;
  children: ReactNode;
}) {
  const { tenant, onSignedOut, onChanged, children } = props;
  const [api, queries] = useMemo(() => {
    const headers: Record<string, string> = tenant === null ? {} : { Tenant: encodeURIComponent(tenant) };
    const client = createFetchClient<paths, Json>({ baseUrl: location.origin, headers });
    const api: Api = { client, $api: createQueryClient(client), headers, tenant };
    return [api, newQueryClient(onSignedOut, onChanged)] as const;
  }, [tenant, onSignedOut, onChanged]);
  return (
    <ApiContext value={api}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </ApiContext>
  );
}
