import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attack } from '../attack.ts';
import { expect } from '../target.ts';

function everything(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [folder, ...names.map((entry) => join(entry.parentPath, entry.name))];
}

export const fileAttacks: readonly Attack[] = [
  {
    name: 'another user of the machine reads the data folder',
    run: async ({ folder }) => {
      const open = everything(folder).filter((path) => {
        const stat = lstatSync(path, { throwIfNoEntry: false });
        return stat && !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0;
      });
      return {
        withstood: open.length === 0,
        detail: `${open.length} files and folders are accessible to other users`,
      };
    },
  },
  {
    name: 'a copy of the database contains signing keys or webhook secrets',
    run: async (target) => {
      const made = expect(
        await target.api('POST', '/webhook', { URL: 'https://93.184.216.34/hook' }, target.key),
        201,
      );
      const secret = Buffer.from(String(made.body.Secret));
      const files = everything(target.folder).filter((path) => lstatSync(path).isFile());
      const isInDatabase = (path: string) => !/keys?[^/]*\.json$/.test(path);
      const found = files.filter(isInDatabase).filter((path) => {
        const bytes = readFileSync(path);
        return bytes.includes(secret) || bytes.includes('signing_key');
      });
      return { withstood: found.length === 0, detail: `found in ${found.length} of ${files.length} files` };
    },
  },
];
