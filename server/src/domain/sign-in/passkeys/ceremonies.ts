import { randomBytes } from 'node:crypto';
import { fullName } from '../../../../../standards/full-name.ts';
import { relyingPartyOf } from '../../../infra/context/config.ts';
import type { Context } from '../../../infra/context/context.ts';
import { keyedHash } from '../../../infra/keys/key-ring.ts';
import { Problem } from '../../../lib/errors.ts';
import { newId, sha256 } from '../../../lib/ids.ts';
import { recordGuess } from '../guesses.ts';
import { passkeyRequired } from '../second-factor.ts';
import { signedOut } from '../sessions.ts';
import { auditFailure } from '../sign-in-audit.ts';
import { toPasskey } from './manage.ts';
import {
  maxPasskeys,
  type NewPasskey,
  type Passkey,
  type PasskeyAnswer,
  type PasskeyChallenge,
  type PasskeyPurpose,
} from './schemas.ts';
import type { PasskeyRow, PasskeyStore, Purpose } from './store.ts';

function passkeyRejected(): Problem {
  return new Problem(
    'passkey_rejected',
    'The passkey was rejected or took too long. Try again with a passkey that belongs to this account.',
  );
}

/** The host name to which passkeys are bound. */
function relyingParty({ config }: Pick<Context, 'config'>): string {
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
const algorithms = [-7, -8, -257];
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

type VerifiedPasskey = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'sign_count'>;

/**
 * Checks the answer to a challenge with the purpose `add`. Attestations with certificates are rejected: we do not
 * ask for them, and the library would fetch URLs in the certificates to check them.
 */
async function verifyNew(
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
async function verifyUse(
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

const challengeMinutes = 5;
/** Maximum challenges of a session in 15 minutes. */
const maxChallenges = 30;

/** A challenge belongs to the session that asked for it. A newer one replaces it. */
export async function createChallenge(
  ctx: Context,
  store: PasskeyStore,
  { Purpose }: PasskeyPurpose,
): Promise<PasskeyChallenge> {
  const { hash, userId, session } = store.owner;
  const RelyingPartyID = relyingParty(ctx);
  await rejectWrongStep(ctx, store, Purpose);
  await recordGuess(ctx, keyedHash(ctx.keys, 'guess', `passkey of ${hash}`), maxChallenges);
  const challenge = randomBytes(32).toString('base64url');
  const until = new Date(ctx.now().getTime() + challengeMinutes * 60_000);
  await store.change(ctx, (ctx) =>
    store.setChallenge(ctx, { hash: sha256(challenge), purpose: Purpose, until }),
  );
  const name = fullName(session.FirstName, session.LastName);
  const UserName = session.LoginID ?? 'operator';
  const rows = await store.list(ctx);
  return {
    Challenge: challenge,
    ExpiresAt: until.toISOString(),
    RelyingPartyID,
    UserHandle: Buffer.from(userId ?? 'operator').toString('base64url'),
    UserName,
    DisplayName: name || UserName,
    Credentials: rows.map((row) => ({ CredentialID: row.credential_id, Transports: row.transports })),
  };
}

/** If the account already has a passkey, the session must use it before it can add another one. */
async function rejectWrongStep(ctx: Context, store: PasskeyStore, purpose: Purpose): Promise<void> {
  const step = await store.nextStep(ctx);
  if (step === 'ended') throw signedOut();
  if (step === 'use_passkey' && purpose === 'add') throw passkeyRequired();
}

/** Uses up the session's challenge and returns its hash. It can be answered only once, correctly or not. */
export async function takeChallenge(ctx: Context, store: PasskeyStore, purpose: Purpose): Promise<string> {
  await rejectWrongStep(ctx, store, purpose);
  const hash = await store.change(ctx, (ctx) => store.takeChallenge(ctx, purpose));
  if (hash === null) throw passkeyRejected();
  return hash;
}

type Added = { passkey: Passkey; token: string };

/**
 * Checks the browser's answer. The returned function adds the passkey, which proves the second factor for this session,
 * and returns the session's new token.
 */
export async function addPasskey(
  ctx: Context,
  store: PasskeyStore,
  challengeHash: string,
  input: NewPasskey,
): Promise<() => Promise<Added>> {
  const verified = await verifyNew(ctx, challengeHash, input);
  if (!verified) throw passkeyRejected();
  const row = {
    ...verified,
    passkey_id: newId(ctx.now()),
    name: input.Name,
    transports: input.Transports ?? [],
    created_at: ctx.now(),
    last_used_at: null,
  };
  return () =>
    store.change(ctx, async (ctx) => {
      await store.lock(ctx);
      // Another session of the same person may have added the first passkey meanwhile.
      await rejectWrongStep(ctx, store, 'add');
      if ((await store.list(ctx)).length >= maxPasskeys) throw tooMany();
      if (!(await store.insert(ctx, row))) throw passkeyRejected();
      const renewed = await store.renew(ctx);
      if (!renewed) throw signedOut();
      await store.mail(ctx, 'passkey_added');
      await store.audit(ctx, renewed.hash, { action: 'passkey.added', data: {} });
      return { passkey: toPasskey(row), token: renewed.token };
    });
}

function tooMany(): Problem {
  return new Problem(
    'passkey_limit',
    `You can have at most ${maxPasskeys} passkeys. Remove one that you no longer use.`,
  );
}

/** Checks the browser's answer. The returned function completes the sign-in and returns the session's new token. */
export async function usePasskey(
  ctx: Context,
  store: PasskeyStore,
  challengeHash: string,
  input: PasskeyAnswer,
): Promise<() => Promise<string>> {
  const passkey = (await store.list(ctx)).find((row) => row.credential_id === input.CredentialID);
  const count = passkey ? await verifyUse(ctx, challengeHash, { passkey, input }) : null;
  if (!passkey || count === null) return () => refuse(ctx, store);
  const complete = async (ctx: Context) => {
    // A new password, or the removal of the passkey, either ends this session or is found here.
    await store.lock(ctx);
    await rejectWrongStep(ctx, store, 'use');
    if (!(await store.recordUse(ctx, { passkeyId: passkey.passkey_id, count }))) return null;
    const renewed = await store.renew(ctx);
    if (!renewed) return null;
    await store.audit(ctx, renewed.hash, { action: 'sign_in.succeeded', data: { Method: 'passkey' } });
    return renewed.token;
  };
  return async () => (await store.change(ctx, complete)) ?? refuse(ctx, store);
}

async function refuse(ctx: Context, { owner }: PasskeyStore): Promise<never> {
  const { userId, session } = owner;
  const named = userId === null ? null : { user_id: userId, is_admin: true };
  await auditFailure(ctx, { tenantId: session.TenantID, method: 'passkey', named });
  throw passkeyRejected();
}
