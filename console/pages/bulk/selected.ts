import { useLocation, useNavigate } from '@tanstack/react-router';
import { useApi } from '../../api/api.tsx';
import { newRequestKey } from '../../parts/request-key.ts';
import type { Enrolment } from '../enrolments/values.tsx';

export type EnrolmentIds = Pick<Enrolment, 'LoginID' | 'EnrollID' | 'CourseID'>;

/** The rows selected in a list for a page. They are stored in the history entry, so reloading the page keeps them. */
type Selected =
  | { of: 'users'; users: readonly string[] }
  | { of: 'extend' | 'withdraw'; enrolments: readonly EnrolmentIds[] }
  | { of: 'publish'; courses: readonly string[] };

/** `id` identifies the selection without naming people. */
export type Opened = Selected & { id: string; tenant: string | null };

declare module '@tanstack/react-router' {
  interface HistoryState {
    selected?: Opened;
  }
}

const pageOf = {
  users: '/console/enrolments/group',
  extend: '/console/enrolments/change',
  withdraw: '/console/enrolments/change',
  publish: '/console/courses',
} as const;

/** Opens the page for the selected rows. */
export function useOpenSelected() {
  const { tenant } = useApi();
  const navigate = useNavigate();
  return (selected: Selected) =>
    navigate({
      to: pageOf[selected.of],
      search: {},
      state: { selected: { ...selected, id: newRequestKey(), tenant } },
    });
}

/** The rows selected for this page, or null if nothing is selected or the tenant has changed. */
export function useSelected(): Opened | null {
  const { tenant } = useApi();
  const { selected }: { selected?: Opened } = useLocation().state;
  return selected?.tenant === tenant ? selected : null;
}
