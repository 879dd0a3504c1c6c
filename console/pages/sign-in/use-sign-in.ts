import { useState } from 'react';
import { useApi } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';

export type Credentials = { TenantID: string; LoginID: string; Password: string };

/** Why the sign-in failed. */
export type SignInFailure =
  | { kind: 'wrong' }
  | { kind: 'wait'; until: Date | null }
  | { kind: 'failed'; error: unknown };

const remembered = 'lectern-tenant';
export const rememberedTenant = () => localStorage.getItem(remembered) ?? '';
export const rememberTenant = (name: string) => localStorage.setItem(remembered, name);

function failureOf(error: unknown, response: Response): SignInFailure {
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after'));
    return { kind: 'wait', until: seconds > 0 ? new Date(Date.now() + seconds * 1000) : null };
  }
  const { code } = toFailure(error);
  return code === 'sign_in_failed' || code === 'validation_failed'
    ? { kind: 'wrong' }
    : { kind: 'failed', error };
}

/** Signs in with the password hashed by the organisation's function. The password itself is never sent. */
export function useSignIn(onSignedIn: () => void) {
  const { client } = useApi();
  const [isRunning, setRunning] = useState(false);
  const [refusal, setRefusal] = useState<SignInFailure | null>(null);

  const attempt = async ({ Password, ...names }: Credentials): Promise<SignInFailure | null> => {
    const { TenantID } = names;
    const asked = await client.GET('/session/password/{TenantID}', { params: { path: { TenantID } } });
    if (!asked.data) return failureOf(asked.error, asked.response);
    const { PasswordHash } = asked.data;
    const { hashPassword } = await import('./hash-password.ts');
    const body = { ...names, Password: hashPassword(Password, PasswordHash) };
    const signedIn = await client.POST('/session', { body });
    return signedIn.data ? null : failureOf(signedIn.error, signedIn.response);
  };

  const signIn = async (credentials: Credentials): Promise<boolean> => {
    setRunning(true);
    setRefusal(null);
    const found = await attempt(credentials).catch(
      (error: unknown): SignInFailure => ({ kind: 'failed', error }),
    );
    setRunning(false);
    setRefusal(found);
    if (found) return false;
    rememberTenant(credentials.TenantID);
    onSignedIn();
    return true;
  };
  return { signIn, isRunning, refusal };
}
