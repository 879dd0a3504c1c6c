// Writes derived files that are committed: the database types, openapi.json, the client's types and the
// reference pages of the guide. `--check` only compares.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateClientTypes } from '../client/generate.ts';
import { commandsPage, configurationPage, errorsPage, eventsPage } from '../docs/reference/pages.ts';
import { describeApi } from '../server/src/app.ts';
import { databaseFunctions } from '../server/src/database-functions.ts';
import { readConfig } from '../server/src/platform/config.ts';
import { generateDatabaseTypes } from './generate-db.ts';
import { compact } from './openapi/compact.ts';

const describe = async () => compact(describeApi(readConfig({})));

const root = join(import.meta.dirname, '..');
const derived: [string, () => Promise<string>][] = [
  ...databaseFunctions.map(({ file, definition }): [string, () => Promise<string>] => [
    `server/migrations/functions/${file}.sql`,
    async () => `-- Made by npm run generate. Do not edit.\n${definition}`,
  ]),
  ['server/src/platform/db/generated.ts', generateDatabaseTypes],
  ['openapi.json', describe],
  ['client/src/generated.ts', generateClientTypes],
  ['docs/guide/reference/configuration.md', async () => configurationPage()],
  ['docs/guide/reference/errors.md', async () => errorsPage()],
  ['docs/guide/reference/events.md', async () => eventsPage(JSON.parse(await describe()))],
  ['docs/guide/reference/commands.md', async () => commandsPage()],
];

for (const [file, make] of derived) {
  const wanted = await make();
  const path = join(root, file);
  if (!process.argv.includes('--check')) await writeFile(path, wanted);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== wanted) {
    console.error(`${file} does not match its source. Run: npm run generate`);
    process.exitCode = 1;
  }
}
