import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';

export type Passkey = components['schemas']['Passkey'];
type Challenge = components['schemas']['PasskeyChallenge'];

/** ES256, EdDSA and RS256, as the service accepts them. */
const algorithms = [-7, -8, -257];
const milliseconds = 300_000;

const library = () => import('@simplewebauthn/browser');

const knownOf = ({ Credentials }: Challenge) =>
  Credentials.map(({ CredentialID, Transports }) => ({
    id: CredentialID,
    type: 'public-key' as const,
    transports: Transports as AuthenticatorTransport[],
  }));

/** Why the browser gave no passkey. Anything else is an error of the service. */
export type BrowserFailure = 'cancelled' | 'known' | 'unsupported';

export class PasskeyError extends Error {
  readonly failure: BrowserFailure;

  constructor(failure: BrowserFailure, cause: unknown) {
    super(failure, { cause });
    this.failure = failure;
  }
}

/** The browser's name for the error says what happened. A closed dialog and a time-out look the same. */
async function fromBrowser<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (thrown) {
    const name = thrown instanceof Error ? thrown.name : '';
    if (name === 'NotAllowedError' || name === 'AbortError') throw new PasskeyError('cancelled', thrown);
    throw new PasskeyError(name === 'InvalidStateError' ? 'known' : 'unsupported', thrown);
  }
}

/** Adds or uses a passkey. Both give the session a new cookie. They throw a `PasskeyError` or the service's error. */
export function usePasskeys() {
  const { client } = useApi();
  const ask = async (Purpose: 'add' | 'use') => {
    if (!('PublicKeyCredential' in window)) throw new PasskeyError('unsupported', null);
    const { data, error } = await client.POST('/session/passkey/challenge', { body: { Purpose } });
    if (!data) throw error;
    return data;
  };
  const use = async () => {
    const challenge = await ask('use');
    const { startAuthentication } = await library();
    const { id, response } = await fromBrowser(() =>
      startAuthentication({
        optionsJSON: {
          challenge: challenge.Challenge,
          rpId: challenge.RelyingPartyID,
          allowCredentials: knownOf(challenge),
          userVerification: 'required',
          timeout: milliseconds,
        },
      }),
    );
    const { error } = await client.POST('/session/passkey/use', {
      body: {
        CredentialID: id,
        ClientData: response.clientDataJSON,
        AuthenticatorData: response.authenticatorData,
        Signature: response.signature,
      },
    });
    if (error) throw error;
  };
  const add = async (Name: string) => {
    const challenge = await ask('add');
    const { startRegistration } = await library();
    const { UserHandle, UserName, DisplayName } = challenge;
    const { id, response } = await fromBrowser(() =>
      startRegistration({
        optionsJSON: {
          challenge: challenge.Challenge,
          rp: { id: challenge.RelyingPartyID, name: 'Lectern' },
          user: { id: UserHandle, name: UserName, displayName: DisplayName },
          pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
          excludeCredentials: knownOf(challenge),
          authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
          attestation: 'none',
          timeout: milliseconds,
        },
      }),
    );
    const { error } = await client.POST('/session/passkey', {
      body: {
        Name,
        CredentialID: id,
        ClientData: response.clientDataJSON,
        AttestationObject: response.attestationObject,
        Transports: response.transports ?? [],
      },
    });
    if (error) throw error;
  };
  return { use, add };
}

const devices: readonly [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Mac OS/, 'Mac'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
];

/** A first name for a passkey, which the user can change. */
export function nameOfDevice(): string {
  return devices.find(([pattern]) => pattern.test(navigator.userAgent))?.[1] ?? '';
}
