import { generateClientTypes } from '../client/generate.ts';
import { commandsPage, configurationPage, errorsPage, eventsPage } from '../docs/reference/pages.ts';
import { describeAll, describeApi } from '../server/src/app/app.ts';
import { databaseFunctions, functionsForTenants } from '../server/src/app/database-functions.ts';
import { readConfig } from '../server/src/infra/context/config.ts';
import { compact } from './openapi/compact.ts';

/** The text of openapi.json. */
export const contract = compact(describeApi(readConfig({})));
/** With the operations of the console's sessions, which has its types from the client. */
const everything = JSON.stringify(describeAll(readConfig({})));

/** The files and texts that are derived from the sources and not committed. */
export async function derivedFiles(): Promise<[file: string, text: string][]> {
  const notice = '-- Made by npm run generate. Do not edit.\n';
  return [
    ...[...databaseFunctions, ...functionsForTenants].map(({ file, definition }): [string, string] => [
      `server/migrations/functions/${file}.sql`,
      notice + definition,
    ]),
    ['client/src/generated.ts', await generateClientTypes(everything)],
    ['docs/guide/reference/configuration.md', configurationPage()],
    ['docs/guide/reference/errors.md', errorsPage()],
    ['docs/guide/reference/events.md', eventsPage(JSON.parse(contract))],
    ['docs/guide/reference/commands.md', commandsPage()],
  ];
}
