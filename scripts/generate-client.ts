import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import type { OpenAPI3 } from 'openapi-typescript';

const notice = '// Written by `npm run generate` from openapi.json. Do not edit.\n\n';

/** openapi-typescript prints through the compiler's API, which `typescript` 7 has no more (docs/adr/0021). */
async function loadGenerator() {
  const api = import.meta.resolve('./typescript-api.ts');
  const hooks = registerHooks({
    resolve: (specifier, context, next) => next(specifier === 'typescript' ? api : specifier, context),
  });
  const generator = await import('openapi-typescript');
  hooks.deregister();
  return generator;
}

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
  const { default: describe, astToString } = await loadGenerator();
  const nodes = await describe(nameRecords(JSON.parse(text)), {
    alphabetize: false,
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
  });
  return notice + astToString(nodes);
}
