import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { hashInTurn } from '../../infra/calls/limits.ts';
import type { Context } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import type { KnownHash, PasswordHash } from '../tenants/schemas.ts';

/** OWASP Password Storage Cheat Sheet: argon2id, 19 MiB, 2 iterations, 1 lane. Runs on the thread pool. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const randomPrefix = 'random:';

/**
 * SQL condition that is true if `account` can sign in with a password. If the tenant `client` has
 * not declared its hash function, only passwords that were chosen in Lectern can be used.
 */
export const hasUsablePassword = `((account.password_chosen or client.password_hash <> 'opaque')
  and not starts_with(account.password_hash, '${randomPrefix}'))`;

/** The same condition for a user who has been read. */
export const isUsablePassword = (
  { password_hash, password_chosen }: { password_hash: string; password_chosen: boolean },
  declared: PasswordHash,
): boolean => (password_chosen || declared !== 'opaque') && !password_hash.startsWith(randomPrefix);

const formats: Record<PasswordHash, RegExp | null> = {
  opaque: null,
  'sha256-hex': /^[0-9a-f]{64}$/i,
  'sha512-hex': /^[0-9a-f]{128}$/i,
  'sha256-base64': /^[A-Za-z0-9+/]{43}=?$/,
  'md5-hex': /^[0-9a-f]{32}$/i,
};

/** The value to store and compare; null if the tenant's declared function cannot have produced it. */
export function hashedPassword(password: string, declared: PasswordHash): string | null {
  const format = formats[declared];
  if (format && !format.test(password)) return null;
  return declared.endsWith('-hex') ? password.toLowerCase() : password;
}

/** The function that pages of this service apply: the declared one or, if none is declared, our own. */
export const pageFunction = (declared: PasswordHash): KnownHash =>
  declared === 'opaque' ? 'sha256-hex' : declared;

export function readPassword(password: string, declared: PasswordHash): string {
  const hashed = hashedPassword(password, declared);
  if (hashed === null)
    throw new Problem(
      'password_not_hashed',
      `Password is not in the declared format ${declared}. Hash it before sending; never send it as plain text.`,
      { param: 'Password' },
    );
  return hashed;
}

export async function storePassword(ctx: Context, password: string): Promise<string> {
  return hashInTurn(ctx, () => hash(password, parameters));
}

/** A prefix and 256 random bits, stored instead of a hash. No password matches them. */
export function unmatchablePasswordHash(): string {
  return randomPrefix + randomBytes(32).toString('base64url');
}

const decoy = hash(randomBytes(32).toString('base64url'), parameters);

/** Takes the same time with and without a stored hash. */
export async function matchesPassword(
  ctx: Context,
  stored: string | null,
  password: string,
): Promise<boolean> {
  const usable = stored !== null && !stored.startsWith(randomPrefix);
  const compared = usable ? stored : await decoy;
  const same = await hashInTurn(ctx, () => verify(compared, password));
  return usable && same;
}
