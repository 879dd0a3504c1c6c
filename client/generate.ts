import describe, { astToString } from 'openapi-typescript';

const notice = '// Written by `npm run generate` from openapi.json. Do not edit.\n\n';

/** Generates the client's types from the text of openapi.json. */
export async function generateClientTypes(contract: string): Promise<string> {
  const nodes = await describe(JSON.parse(contract), {
    alphabetize: false,
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  return notice + astToString(nodes);
}
