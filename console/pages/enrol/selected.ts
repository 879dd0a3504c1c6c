import { useLocation, useNavigate } from '@tanstack/react-router';
import { useApi } from '../../api/api.tsx';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The people selected in a list. They are not in the URL, because it could be shared. */
    people?: { tenant: string | null; loginIds: readonly string[] };
  }
}

export function useEnrolSelected() {
  const { tenant } = useApi();
  const navigate = useNavigate();
  return (loginIds: readonly string[]) =>
    navigate({ to: '/console/enrol', search: {}, state: { people: { tenant, loginIds } } });
}

/** The people selected for this page; none if the tenant has changed. */
export function useSelectedPeople(): readonly string[] | null {
  const { tenant } = useApi();
  const { people } = useLocation().state;
  return people?.tenant === tenant ? people.loginIds : null;
}
