import { useApi } from '../api/api.tsx';
import type { menuFor, NavigationPage } from './navigation.ts';

/** The pages of a menu item that the user sees. Most tenants have no enrolment keys, so that page appears with them. */
export function usePagesOf(
  item: ReturnType<typeof menuFor>[number] | undefined,
  pathname: string,
): readonly NavigationPage[] {
  const { $api } = useApi();
  const hasKeys = item?.pages.some(({ to }) => to === '/console/keys') ?? false;
  const keys = $api.useQuery(
    'get',
    '/enrolment/key',
    { params: { query: { Limit: 1 } } },
    { enabled: hasKeys },
  );
  return (item?.pages ?? []).filter(
    ({ to }) => to !== '/console/keys' || pathname === to || (keys.data?.Items.length ?? 0) > 0,
  );
}
