import { createContext, useContext } from 'react';
import type { components } from '../../client/src/generated.ts';
import { fullName } from '../../standards/full-name.ts';

export type Session = components['schemas']['Session'];

export type SignedIn = Session & { signOut: (everywhere: boolean) => Promise<void> };

export const SessionContext = createContext<SignedIn | null>(null);

/** The signed-in user. Throws if no user is signed in, so only pages behind the sign-in use this hook. */
export function useSession(): SignedIn {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession outside of the session gate');
  return session;
}

export function nameOf({
  FirstName,
  LastName,
  LoginID,
}: Pick<Session, 'FirstName' | 'LastName' | 'LoginID'>) {
  return fullName(FirstName, LastName) || LoginID || '';
}
