import { chmod, chown, mkdir, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import { codeOf } from '../../lib/errors.ts';
import { newToken } from '../tenants/token.ts';
import type { SignInLink } from './schemas.ts';

export function signInAddress({ config }: Pick<Context, 'config'>, token: string): string {
  return `${config.baseUrl}/session/sign-in?token=${token}`;
}

/** After a sign-in there is always at least one row, because only later sign-ins remove rows. */
const findSignIn = `
select 1 from api_key where api_key.tenant_id is null and api_key.last_used_at is not null
union all
select 1 from operator_session
limit 1`;

/** Whether an operator key has ever been used, or the operator has ever signed in. */
export async function hasOperatorSignedIn(ctx: Context): Promise<boolean> {
  return (await run(ctx, findSignIn)).length > 0;
}

// Anyone who can write to DATA_DIR can act as the operator. Links are files, because the service may have locked the
// database, and all nodes share the folder.

/** The part of the context needed to create a link while the service runs. */
export type LinkContext = Pick<Context, 'config' | 'now'>;

/** The maximum that OWASP ASVS 5.0, 6.5.5, allows. */
const linkMinutes = 10;

const folderOf = ({ config }: LinkContext) => join(config.dataDir, 'sign-in');
const fileOf = (context: LinkContext, hash: string) => join(folderOf(context), hash);

/** The second line of a link that removes the operator's passkeys. */
const removal = 'remove passkeys';

type LinkOptions = { minutes?: number; removesPasskeys?: boolean };

/** A link that signs the operator in once. With `removesPasskeys`, it also removes the operator's passkeys. */
export async function createOperatorLink(
  context: LinkContext,
  { minutes = linkMinutes, removesPasskeys = false }: LinkOptions = {},
): Promise<SignInLink> {
  const { token, hash } = newToken(null);
  const expiresAt = new Date(context.now().getTime() + minutes * 60_000).toISOString();
  const owner = await stat(context.config.dataDir);
  await mkdir(folderOf(context), { recursive: true });
  await setOwnerAndMode(folderOf(context), 0o700, owner);
  await removeOld(context);
  await writeFile(fileOf(context, hash), removesPasskeys ? `${expiresAt}\n${removal}` : expiresAt, {
    mode: 0o600,
    flag: 'wx',
  });
  await setOwnerAndMode(fileOf(context, hash), 0o600, owner);
  return { SignInURL: signInAddress(context, token), ExpiresAt: expiresAt };
}

/** Files created by root must belong to the owner of DATA_DIR, which is the user that runs the service. */
async function setOwnerAndMode(
  path: string,
  mode: number,
  owner: { uid: number; gid: number },
): Promise<void> {
  const { uid, mode: given } = await stat(path);
  if ((given & 0o777) !== mode) await chmod(path, mode);
  if (uid !== owner.uid) await chown(path, owner.uid, owner.gid);
}

/** Empty if no link was ever created. */
const namesOf = (context: LinkContext): Promise<string[]> => readdir(folderOf(context)).catch(() => []);

export function linkMessage({ SignInURL, ExpiresAt }: SignInLink, removesPasskeys = false): string {
  const effect = removesPasskeys ? "remove the operator's passkeys and sign in" : 'sign in as the operator';
  return `\nOpen this link to ${effect}. It works once, until ${ExpiresAt}:\n\n  ${SignInURL}\n\n`;
}

type OperatorLink = { removesPasskeys: boolean };

async function readLink(context: LinkContext, hash: string): Promise<OperatorLink | null> {
  const text = await readFile(fileOf(context, hash), 'utf8').catch(() => '');
  const [expiresAt = '', action] = text.split('\n');
  return Date.parse(expiresAt) > context.now().getTime() ? { removesPasskeys: action === removal } : null;
}

export async function isOperatorLink(context: LinkContext, hash: string): Promise<boolean> {
  return (await readLink(context, hash)) !== null;
}

/** Uses the link. If several nodes try, the one that removes the file succeeds; the others get null. */
export async function useOperatorLink(context: LinkContext, hash: string): Promise<OperatorLink | null> {
  const link = await readLink(context, hash);
  if (!link) return null;
  return unlink(fileOf(context, hash)).then(
    () => link,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    },
  );
}

export async function deleteOperatorLinks(context: LinkContext): Promise<void> {
  for (const hash of await namesOf(context)) await rm(fileOf(context, hash), { force: true });
}

/**
 * Keeps recent files even if they look invalid, because a file is empty until the process that
 * creates it has written to it.
 */
async function removeOld(context: LinkContext): Promise<void> {
  for (const hash of await namesOf(context)) {
    const file = await stat(fileOf(context, hash)).catch(() => null);
    const isYoung = file && context.now().getTime() - file.mtimeMs < linkMinutes * 60_000;
    if (!isYoung && !(await isOperatorLink(context, hash))) await rm(fileOf(context, hash), { force: true });
  }
}
