import { Problem } from '../../lib/errors.ts';
import type { Session } from './schemas.ts';

/** What decides whether a session still needs a passkey. */
export type Factors = {
  /** `passkey`, or `link` if the client application identified the user. Null: only a password was checked. */
  second_factor: string | null;
  /** False for learners, who need no passkey. */
  has_passkey: boolean;
  needs_passkey: boolean;
};

/**
 * Decided for each request, not when the session is opened. Therefore it also applies to sessions that were open
 * before a passkey was added or required, however they were opened.
 */
export function nextStepOf({ second_factor, has_passkey, needs_passkey }: Factors): Session['NextStep'] {
  if (second_factor !== null) return null;
  if (has_passkey) return 'use_passkey';
  return needs_passkey ? 'add_passkey' : null;
}

export function passkeyRequired(): Problem {
  return new Problem(
    'passkey_required',
    'Use your passkey first, or add one if you have none. Open the console to do so.',
  );
}
