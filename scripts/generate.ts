// Writes what is derived and committed: the database's types, openapi.json and the client's types. `--check` compares instead.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateClientTypes } from '../client/generate.ts';
import { buildInterface } from '../server/src/app.ts';
import { readConfig } from '../server/src/platform/config.ts';
import type { Context } from '../server/src/platform/context.ts';
import { openLog } from '../server/src/platform/log.ts';
import { openAdmission } from '../server/src/platform/pools.ts';
import { generateDatabaseTypes } from './generate-db.ts';

/** Describing the interface reads the configuration only; no verb runs. */
function contextForDescription(): Context {
  const config = readConfig({});
  const known: Partial<Context> = { config, log: openLog('silent'), admission: openAdmission(config) };
  return known as Context;
}

async function describe(): Promise<string> {
  const api = await buildInterface(contextForDescription());
  await api.ready();
  const document = JSON.stringify(api.swagger(), null, 2);
  await api.close();
  return `${document}\n`;
}

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
