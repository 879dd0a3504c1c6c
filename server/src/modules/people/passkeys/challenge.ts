import { randomBytes } from 'node:crypto';
import type { Context } from '../../../platform/context.ts';
import { sha256 } from '../../../platform/ids.ts';
import { keyedHash } from '../../../platform/keys/signing.ts';
import { recordGuess } from '../guesses.ts';
import { passkeyRequired } from '../second-factor.ts';
import { signedOut } from '../sessions.ts';
import type { PasskeyChallenge, PasskeyPurpose } from './schemas.ts';
import type { PasskeyStore, Purpose } from './store.ts';
import { passkeyRejected, relyingParty } from './verify.ts';

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
  const name = [session.FirstName, session.LastName].filter(Boolean).join(' ');
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
export async function rejectWrongStep(ctx: Context, store: PasskeyStore, purpose: Purpose): Promise<void> {
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
