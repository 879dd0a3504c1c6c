import { relyingPartyOf } from '../../../platform/config-passkeys.ts';
import type { Context } from '../../../platform/context.ts';
import { Problem } from '../../../platform/errors.ts';
import { sha256 } from '../../../platform/ids.ts';
import type { NewPasskey, PasskeyAnswer } from './schemas.ts';
import type { PasskeyRow } from './store.ts';

export function passkeyRejected(): Problem {
  return new Problem(
    'passkey_rejected',
    'The passkey was rejected or took too long. Try again with a passkey that belongs to this account.',
  );
}

/** The host name to which passkeys are bound. */
export function relyingParty({ config }: Pick<Context, 'config'>): string {
  const id = relyingPartyOf(config.baseUrl);
  if (id === null)
    throw new Problem(
      'passkeys_unavailable',
      'Passkeys need a host name, but this service is used at an IP address. Ask the operator to set BASE_URL.',
    );
  return id;
}

/** The library takes 50 ms to load, so it is loaded when the first passkey is used. */
const library = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

/** ES256, EdDSA and RS256: what authenticators support. */
export const algorithms = [-7, -8, -257];
/** An RSA key with 4,096 bits takes 530. */
const maxPublicKey = 1_000;

const expectations = (ctx: Context, challengeHash: string) => ({
  expectedChallenge: (challenge: string) => sha256(challenge) === challengeHash,
  // A hostile course may be on a subdomain, and may then use the passkeys of this host. Its origin differs.
  expectedOrigin: ctx.config.baseUrl,
  expectedRPID: relyingParty(ctx),
  requireUserVerification: true,
});

/** The library throws for answers that are wrong in any way. Null if this one is. */
async function accepted<Result>(check: () => Promise<Result>): Promise<Result | null> {
  return check().catch(() => null);
}

/** Pages in frames of other sites must not use passkeys. */
function isFramed(clientData: string): boolean {
  const parsed: unknown = JSON.parse(Buffer.from(clientData, 'base64url').toString());
  return typeof parsed === 'object' && parsed !== null && Reflect.get(parsed, 'crossOrigin') === true;
}

export type VerifiedPasskey = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'sign_count'>;

/**
 * Checks the answer to a challenge with the purpose `add`. Attestations with certificates are rejected: we do not
 * ask for them, and the library would fetch URLs in the certificates to check them.
 */
export async function verifyNew(
  ctx: Context,
  challengeHash: string,
  input: NewPasskey,
): Promise<VerifiedPasskey | null> {
  const [{ verifyRegistrationResponse }, { decodeAttestationObject }] = await Promise.all([
    library(),
    helpers(),
  ]);
  const expected = expectations(ctx, challengeHash);
  return accepted(async () => {
    const attestation = decodeAttestationObject(
      new Uint8Array(Buffer.from(input.AttestationObject, 'base64url')),
    );
    const isSelf = attestation.get('fmt') === 'packed' && attestation.get('attStmt').get('x5c') === undefined;
    if (!isSelf && attestation.get('fmt') !== 'none') return null;
    const response = { clientDataJSON: input.ClientData, attestationObject: input.AttestationObject };
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...expected,
      response: { ...credentialOf(input.CredentialID), response },
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified || isFramed(input.ClientData)) return null;
    const { id, publicKey, counter } = registrationInfo.credential;
    if (id !== input.CredentialID || publicKey.length > maxPublicKey) return null;
    const key = Buffer.from(publicKey).toString('base64url');
    return { credential_id: id, public_key: key, sign_count: counter };
  });
}

/** Checks the answer to a challenge with the purpose `use`. Returns the authenticator's new count. */
export async function verifyUse(
  ctx: Context,
  challengeHash: string,
  { passkey, input }: { passkey: PasskeyRow; input: PasskeyAnswer },
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library();
  const expected = expectations(ctx, challengeHash);
  return accepted(async () => {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expected,
      response: {
        ...credentialOf(input.CredentialID),
        response: {
          clientDataJSON: input.ClientData,
          authenticatorData: input.AuthenticatorData,
          signature: input.Signature,
        },
      },
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
        counter: passkey.sign_count,
      },
    });
    return verified && !isFramed(input.ClientData) ? authenticationInfo.newCounter : null;
  });
}

const credentialOf = (id: string) => ({
  id,
  rawId: id,
  type: 'public-key' as const,
  clientExtensionResults: {},
});
