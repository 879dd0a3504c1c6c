import type { Session } from '../../api/session.tsx';

/** Set while there are imports, so that the first screen loads this file only if it is needed. */
const marker = 'lectern-created';
const prefix = `${marker} `;
/** The service does not undo older imports. */
export const keptMilliseconds = 3_600_000;

export const viewerOf = ({ TenantID, LoginID }: Pick<Session, 'TenantID' | 'LoginID'>) =>
  JSON.stringify([TenantID, LoginID]);

/** The time and the viewer are part of the key, so that imports can be forgotten without reading them. */
export const importKey = (at: number, id: string, viewer: string) => `${prefix}${at} ${id} ${viewer}`;
export const setMarker = () => localStorage.setItem(marker, '');
const allKeys = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix));
const ageOf = (key: string) => Math.abs(Date.now() - Number(key.split(' ')[1]));

/** The imports of the last hour. Older ones are forgotten. */
export function importKeys(): string[] {
  const isRecent = (key: string) => ageOf(key) < keptMilliseconds;
  for (const key of allKeys()) if (!isRecent(key)) localStorage.removeItem(key);
  const keys = allKeys();
  if (keys.length === 0) localStorage.removeItem(marker);
  return keys;
}

/** Forgets each import after an hour, even if its page is no longer open. */
export function forgetInTime(): void {
  const ages = importKeys().map(ageOf);
  if (ages.length > 0) setTimeout(forgetInTime, keptMilliseconds - Math.max(...ages));
}

/** Forgets the imports of everybody except the signed-in user. If nobody is signed in, forgets all imports. */
export function forgetOthers(session: Session | null): void {
  const end = ` ${session && viewerOf(session)}`;
  for (const key of importKeys()) if (!key.endsWith(end)) localStorage.removeItem(key);
  forgetInTime();
}
