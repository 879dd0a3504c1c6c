import describe, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const notice = '// Written by `npm run generate` from the operations. Do not edit.\n\n';

/** Generates the client's types from the text of an OpenAPI document. */
export async function generateClientTypes(contract: string): Promise<string> {
  const anything = ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword);
  const nodes = await describe(JSON.parse(contract), {
    alphabetize: false,
    defaultNonNullable: false,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    // Whatever fetch can send: a file, bytes, a stream or text.
    transform: ({ type, format }) => (type === 'string' && format === 'binary' ? anything : undefined),
  });
  return notice + astToString(nodes);
}
