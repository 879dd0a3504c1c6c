import { useEffect, useState } from 'react';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { type Created, changedEvent, expiryOf, recentImports } from './created.ts';
import { viewerOf } from './import-keys.ts';

/** What the viewer can undo, including what other tabs created. Each disappears after an hour. */
export function useCreated(): Created[] {
  const { tenant } = useApi();
  const session = useSession();
  const viewer = viewerOf(session);
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
  return session.Scopes.includes('enrolments:write') ? created : [];
}
