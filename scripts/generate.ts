// Writes what is derived and committed: the database's types, openapi.json and the client's types. `--check` compares instead.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateClientTypes } from '../client/generate.ts';
import { describeInterface } from '../server/src/app.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { generateDatabaseTypes } from './generate-db.ts';

const describe = async () => `${JSON.stringify(describeInterface(readConfig({})), null, 2)}\n`;

const root = join(import.meta.dirname, '..');
const derived: [string, () => Promise<string>][] = [
  ['server/src/platform/db/generated.ts', generateDatabaseTypes],
  ['openapi.json', describe],
  ['client/src/generated.ts', generateClientTypes],
];

for (const [file, make] of derived) {
  const wanted = await make();
  const path = join(root, file);
  if (!process.argv.includes('--check')) await writeFile(path, wanted);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== wanted) {
    console.error(`${file} is not what its source gives. Run: npm run generate`);
    process.exitCode = 1;
  }
}
