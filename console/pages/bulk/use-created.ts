import { useEffect, useState } from 'react';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { type Created, changedEvent, expiryOf, recentImports } from './created.ts';
import { viewerOf } from './import-keys.ts';
import type { Subject } from './subjects.ts';

/** The viewer's imports that can be undone, including those from other tabs. Each disappears after an hour. */
export function useCreated(): Created[] {
  const { tenant } = useApi();
  const viewer = viewerOf(useSession());
  const [created, setCreated] = useState(() => recentImports(viewer, tenant));
  useEffect(() => {
    const read = () => setCreated(recentImports(viewer, tenant));
    read();
    addEventListener('storage', read);
    addEventListener(changedEvent, read);
    return () => {
      removeEventListener('storage', read);
      removeEventListener(changedEvent, read);
    };
  }, [viewer, tenant]);
  useEffect(() => {
    const oldest = created.at(-1);
    if (!oldest) return;
    const expire = () => setCreated(recentImports(viewer, tenant));
    const timer = setTimeout(expire, Math.max(expiryOf(oldest) - Date.now(), 0));
    return () => clearTimeout(timer);
  }, [created, viewer, tenant]);
  return created;
}

/** Whether the viewer may undo an import. Removing users includes withdrawing their enrolments. */
export function useMayUndo(): (subject: Subject) => boolean {
  const { Scopes } = useSession();
  return (subject) =>
    Scopes.includes('enrolments:write') && (subject === 'enrolments' || Scopes.includes('users:write'));
}
