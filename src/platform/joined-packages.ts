import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Packages of ours that are hundreds of small files each: finding and reading those was 0.4 s of each start. */
const names = ['typebox', 'kysely', 'jose'];
const modules = join(import.meta.dirname, '../../node_modules');

/** By the name of each package: where the version that is installed stands, or will stand, as one file. */
export function joinedFiles(): Map<string, string> {
  const files = new Map<string, string>();
  for (const name of names) {
    const { version } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
    files.set(name, join(modules, '.cache/lectern-packages', `${name}-${version}.mjs`));
  }
  return files;
}

/** By the name of each package: the address of the file that was made of it. What was not made is read as it came. */
export function joinedAddresses(): Map<string, string> {
  const made = [...joinedFiles()].filter(([, file]) => existsSync(file));
  return new Map(made.map(([name, file]) => [name, pathToFileURL(file).href]));
}
