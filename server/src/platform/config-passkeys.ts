import { isIP } from 'node:net';
import { ConfigError } from './settings.ts';

/** Browsers bind passkeys to a host name, not to an IP address. Null: passkeys do not work at this address. */
export function relyingPartyOf(baseUrl: string): string | null {
  const { hostname } = new URL(baseUrl);
  return isIP(hostname) === 0 && !hostname.startsWith('[') ? hostname : null;
}

export function operatorPasskeyRequired(isRequired: boolean, baseUrl: string): boolean {
  if (isRequired && relyingPartyOf(baseUrl) === null)
    throw new ConfigError(
      'OPERATOR_PASSKEY_REQUIRED',
      `needs a host name in BASE_URL, because passkeys do not work with an IP address such as ${new URL(baseUrl).hostname}.`,
    );
  return isRequired;
}
