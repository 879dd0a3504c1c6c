import { chmod, chown, mkdir, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../platform/context.ts';
import { codeOf } from '../../platform/error-code.ts';
import type { SignInLink } from './schemas.ts';
import { newToken, signInAddress } from './token.ts';

// Anyone who can write to DATA_DIR is the operator. A file needs no database, which the service may have
// locked, and all nodes share the folder.

/** The minimum needed to create a link while the service runs. */
export type Place = Pick<Context, 'config' | 'now'>;

/** OWASP ASVS 5.0, 6.5.5. */
const linkMinutes = 10;

const folderOf = ({ config }: Place) => join(config.dataDir, 'sign-in');
const fileOf = (place: Place, hash: string) => join(folderOf(place), hash);

/** A link that signs the operator in once. */
export async function createOperatorLink(place: Place): Promise<SignInLink> {
  const { token, hash } = newToken(null);
  const expiresAt = new Date(place.now().getTime() + linkMinutes * 60_000).toISOString();
  const owner = await stat(place.config.dataDir);
  await mkdir(folderOf(place), { recursive: true });
  await hand(folderOf(place), 0o700, owner);
  await removeOld(place);
  await writeFile(fileOf(place, hash), expiresAt, { mode: 0o600, flag: 'wx' });
  await hand(fileOf(place, hash), 0o600, owner);
  return { SignInURL: signInAddress(place, token), ExpiresAt: expiresAt };
}

/** Files created by root must belong to the user that the service runs as, the owner of DATA_DIR. */
async function hand(path: string, mode: number, owner: { uid: number; gid: number }): Promise<void> {
  const { uid, mode: given } = await stat(path);
  if ((given & 0o777) !== mode) await chmod(path, mode);
  if (uid !== owner.uid) await chown(path, owner.uid, owner.gid);
}

/** Empty if no link was ever created. */
const namesOf = (place: Place): Promise<string[]> => readdir(folderOf(place)).catch(() => []);

/** For the terminal. */
export function linkMessage({ SignInURL, ExpiresAt }: SignInLink): string {
  return `\nOpen this link to sign in as the operator. It works once, until ${ExpiresAt}:\n\n  ${SignInURL}\n\n`;
}

/** Whether the link can still be used. */
export async function isOperatorLink(place: Place, hash: string): Promise<boolean> {
  const text = await readFile(fileOf(place, hash), 'utf8').catch(() => '');
  return Date.parse(text) > place.now().getTime();
}

/** Uses the link up. If several nodes try, the one that removes the file succeeds. */
export async function useOperatorLink(place: Place, hash: string): Promise<boolean> {
  if (!(await isOperatorLink(place, hash))) return false;
  return unlink(fileOf(place, hash)).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

export async function forgetOperatorLinks(place: Place): Promise<void> {
  for (const hash of await namesOf(place)) await rm(fileOf(place, hash), { force: true });
}

/** A file that another process is still writing is empty, but recent. */
async function removeOld(place: Place): Promise<void> {
  for (const hash of await namesOf(place)) {
    const file = await stat(fileOf(place, hash)).catch(() => null);
    const isYoung = file && place.now().getTime() - file.mtimeMs < linkMinutes * 60_000;
    if (!isYoung && !(await isOperatorLink(place, hash))) await rm(fileOf(place, hash), { force: true });
  }
}
