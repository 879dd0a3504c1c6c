import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import describe, { astToString } from 'openapi-typescript';

const notice = '// Written by `npm run generate` from openapi.json. Do not edit.\n\n';

/** Generates the client's types from the committed openapi.json. */
export async function generateClientTypes(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../openapi.json'), 'utf8');
  const nodes = await describe(JSON.parse(text), {
    alphabetize: false,
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  return notice + astToString(nodes);
}
