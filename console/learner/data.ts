import { useCallback, useEffect, useState } from 'react';
import type { components } from '../../client/src/generated.ts';
import { isSignedOut } from '../api/problem.ts';
import { saveFile } from '../parts/save-file.ts';
import { type Certificate, type Enrolment, type Item, itemsOf, type Obligation } from './items.ts';

export type Session = components['schemas']['Session'];
export type Me = Pick<Session, 'Scopes'> & { LoginID: string; organisation: string };

/** By how much the tenant's clock is ahead of the device's. */
let ahead = 0;
export const serviceNow = () => Date.now() + ahead;

/** Reads from the API. The sign-in page replaces this page when the session has ended. */
export async function read<T>(path: string): Promise<T> {
  const response = await fetch(path, { headers: { Accept: 'application/json' } });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  if (isSignedOut(problem)) location.reload();
  throw { status: response.status, ...problem };
}

/** Also reads the tenant's clock, which is ahead of the service's in a test tenant. */
export async function readSession(): Promise<Session> {
  const session = await read<Session>('/session');
  ahead = Date.parse(session.Now) - Date.now();
  return session;
}

type Page<T> = { Items: T[]; NextCursor: string | null };

async function readAll<T>(path: string): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from: string = cursor && `&Cursor=${encodeURIComponent(cursor)}`;
    const page: Page<T> = await read(`${path}${path.includes('?') ? '&' : '?'}Limit=200${from}`);
    items.push(...page.Items);
    cursor = page.NextCursor;
  }
  return items;
}

export const segment = encodeURIComponent;

export type Overview = { items: Item[]; certificates: Certificate[]; enrolments: Enrolment[] };

async function load({ LoginID, Scopes }: Me): Promise<Overview> {
  const me = segment(LoginID);
  const [enrolments, obligations, certificates] = await Promise.all([
    readAll<Enrolment>(`/enrolment/${me}${Scopes.includes('enrolments:launch') ? '?Include=LaunchURL' : ''}`),
    readAll<Obligation>(`/obligation/${me}`),
    readAll<Certificate>(`/certificate/user/${me}?Order=newest`),
  ]);
  return { items: itemsOf(enrolments, obligations), enrolments, certificates };
}

/** The learner's data, which is read again when they come back to the page or online. */
export function useOverview(me: Me) {
  const [data, setData] = useState<Overview | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [isOffline, setOffline] = useState(!navigator.onLine);
  const refresh = useCallback(async () => {
    try {
      setData(await load(me));
      setError(null);
      setOffline(false);
    } catch (thrown) {
      setError(thrown);
      setOffline(!navigator.onLine);
    }
  }, [me]);
  useEffect(() => {
    void refresh();
    const again = () =>
      void readSession()
        .catch(() => {})
        .then(refresh);
    const onShown = ({ persisted }: PageTransitionEvent) => persisted && again();
    const onVisible = () => !document.hidden && again();
    const onOffline = () => setOffline(true);
    addEventListener('pageshow', onShown);
    addEventListener('online', again);
    addEventListener('offline', onOffline);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      removeEventListener('pageshow', onShown);
      removeEventListener('online', again);
      removeEventListener('offline', onOffline);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [refresh]);
  return { data, error, isOffline, refresh };
}

/** Reads once `isActive`; null until then, and if it fails. */
export function useRead<T>(path: string, isActive: boolean): T | null {
  const [data, setData] = useState<T | null>(null);
  useEffect(() => {
    if (!isActive) return;
    let isCurrent = true;
    read<T>(path).then(
      (read) => isCurrent && setData(read),
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [path, isActive]);
  return data;
}

export type CertificateType =
  | 'application/pdf'
  | 'image/png'
  | 'image/svg+xml'
  | 'application/vc+jwt'
  | 'application/vc';

const extensions: Record<CertificateType, string> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'application/vc+jwt': 'jwt',
  'application/vc': 'json',
};

export async function saveCertificate(
  { LoginID, EnrollID, ...certificate }: Certificate,
  type: CertificateType,
): Promise<void> {
  const path = `/enrolment/${segment(LoginID ?? '')}/${segment(EnrollID)}/certificate`;
  const response = await fetch(path, { headers: { Accept: type } });
  if (!response.ok) throw new Error(`${response.status}`);
  saveFile(`certificate-${certificate.Number}.${extensions[type]}`, await response.blob());
}
