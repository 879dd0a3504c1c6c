import AjvPackage from 'ajv';
import formatsPackage from 'ajv-formats';
import { isInstant } from './instants.ts';

const Ajv = AjvPackage.default;
const addFormats = formatsPackage.default;

/** Bodies are taken as they are, without coercion; query and path texts become the numbers and booleans declared. */
export function buildValidators() {
  const common = { allErrors: false, removeAdditional: false, strict: false } as const;
  const strict = addFormats(new Ajv({ ...common, useDefaults: false, coerceTypes: false }));
  const coercing = addFormats(new Ajv({ ...common, useDefaults: true, coerceTypes: true }));
  for (const ajv of [strict, coercing]) ajv.addFormat('date-time', isInstant);
  return ({ schema, httpPart }: { schema: object; httpPart?: string }) =>
    httpPart === 'body' ? strict.compile(schema) : coercing.compile(schema);
}

/** Checks rows of bulk data: JSON as it is; the texts of CSV become the booleans and numbers declared. */
export function compileRows(schema: object, texts: boolean) {
  const options = { removeAdditional: false, strict: false, useDefaults: false, coerceTypes: texts } as const;
  const ajv = addFormats(new Ajv(options));
  ajv.addFormat('date-time', isInstant);
  return ajv.compile(schema);
}
