import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import describe, { astToString, type OpenAPI3 } from 'openapi-typescript';

const notice = '// Written by `npm run generate` from openapi.json. Do not edit.\n\n';

/** Records that are written out at every use get one name, so that the client's types have it too. */
function nameRecords(document: object): OpenAPI3 {
  const schemas: Record<string, object> = {};
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const walked = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, walk(part)]));
    const { title } = walked;
    if (typeof title !== 'string' || !('type' in walked)) return walked;
    schemas[title] ??= walked;
    return JSON.stringify(schemas[title]) === JSON.stringify(walked)
      ? { $ref: `#/components/schemas/${title}` }
      : walked;
  };
  const named = walk(document) as OpenAPI3;
  return { ...named, components: { ...named.components, schemas: schemas as never } };
}

/** The types of the client, from the committed openapi.json. */
export async function generateClientTypes(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../openapi.json'), 'utf8');
  const nodes = await describe(nameRecords(JSON.parse(text)), {
    alphabetize: false,
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  return notice + astToString(nodes);
}
