import type { Context } from '../../../infra/context/context.ts';
import type { NewAudit } from '../../audit/actions.ts';
import type { Session } from '../schemas.ts';
import type { SignedIn } from '../sessions.ts';

export type PasskeyRow = {
  passkey_id: string;
  name: string;
  credential_id: string;
  public_key: string;
  sign_count: number;
  transports: string[];
  created_at: Date;
  last_used_at: Date | null;
};

/** What a challenge is for. An answer to one kind is never accepted for the other. */
export type Purpose = 'add' | 'use';

/**
 * The stored count must be lower than the new one. Authenticators that do not count always send 0. A count that does
 * not rise means that the authenticator was copied.
 */
export const countsBefore = (count: number) => (count === 0 ? '=' : '<');

/** The passkeys of the person who is signed in, and their session. Users and the operator have different tables. */
export type PasskeyStore = {
  owner: SignedIn;
  /** Runs a change that may wait for locks. */
  change: <Result>(ctx: Context, work: (ctx: Context) => Promise<Result>) => Promise<Result>;
  /** Makes changes to the same person's passkeys run one after another. Call it first in a transaction. */
  lock: (ctx: Context) => Promise<void>;
  /** What the session needs now; `ended` if it can no longer be used. */
  nextStep: (ctx: Context) => Promise<Session['NextStep'] | 'ended'>;
  list: (ctx: Context) => Promise<PasskeyRow[]>;
  /** Replaces the session's challenge. */
  setChallenge: (ctx: Context, input: { hash: string; purpose: Purpose; until: Date }) => Promise<void>;
  /** Uses up the session's challenge, and returns its hash. Only one of several concurrent calls succeeds. */
  takeChallenge: (ctx: Context, purpose: Purpose) => Promise<string | null>;
  insert: (ctx: Context, row: PasskeyRow) => Promise<boolean>;
  /** Records a use. Fails if the passkey has been removed or a higher count was recorded meanwhile. */
  recordUse: (ctx: Context, input: { passkeyId: string; count: number }) => Promise<boolean>;
  rename: (ctx: Context, input: { passkeyId: string; name: string }) => Promise<boolean>;
  remove: (ctx: Context, passkeyId: string) => Promise<boolean>;
  /** Ends all other sessions of the person. */
  endOthers: (ctx: Context) => Promise<void>;
  /** Whether the person must keep a passkey. */
  needsPasskey: (ctx: Context) => Promise<boolean>;
  /** Gives the session a new token, and records that a passkey was used. Returns null if the session has ended. */
  renew: (ctx: Context) => Promise<{ token: string; hash: string } | null>;
  /** Emails the person about the change. The operator has no address. */
  mail: (ctx: Context, kind: 'passkey_added' | 'passkey_removed') => Promise<void>;
  /** Writes the entry on behalf of the person in the session with this hash. */
  audit: (ctx: Context, hash: string, entry: PasskeyAudit) => Promise<void>;
};

type PasskeyAction = 'passkey.added' | 'passkey.renamed' | 'passkey.removed' | 'sign_in.succeeded';
export type PasskeyAudit = Omit<Extract<NewAudit, { action: PasskeyAction }>, 'targetId' | 'actor'>;
