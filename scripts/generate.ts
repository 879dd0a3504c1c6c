// Writes what is derived from the sources: the database types, the database functions, the client's types and the
// reference pages of the guide, which are not committed, and openapi.json, which is. `--without-contract` leaves
// openapi.json out. `--check` only compares it.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generateDatabaseTypes } from './generate-db.ts';

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFile(join(root, file), 'utf8').catch(() => '');

async function write(file: string, text: string): Promise<void> {
  if ((await read(file)) === text) return;
  await mkdir(join(root, dirname(file)), { recursive: true });
  await writeFile(join(root, file), text);
}

const isCheck = process.argv.includes('--check');
if (!isCheck) await write('server/src/db/engine/generated.ts', await generateDatabaseTypes());
// The service imports the database types, so they are written before it is loaded.
const { contract, derivedFiles } = await import('./derived-files.ts');
if (isCheck) {
  if ((await read('openapi.json')) !== contract) {
    console.error('openapi.json does not match its source. Run: npm run generate');
    process.exitCode = 1;
  }
} else {
  if (!process.argv.includes('--without-contract')) await write('openapi.json', contract);
  for (const [file, text] of await derivedFiles()) await write(file, text);
}
