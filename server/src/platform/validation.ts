import AjvPackage, { type ValidateFunction } from 'ajv';
import formatsPackage from 'ajv-formats';
import fastJsonStringify, { type Schema } from 'fast-json-stringify';
import { isInstant } from './instants.ts';

const Ajv = AjvPackage.default;
const addFormats = formatsPackage.default;

/**
 * Bodies are taken as they are, without coercion; query and path texts become the numbers and booleans declared.
 * A schema is compiled when it is needed first: all of them together were a quarter of the CPU of a start.
 */
export function buildValidators() {
  const common = { allErrors: false, removeAdditional: false, strict: false } as const;
  const strict = addFormats(new Ajv({ ...common, useDefaults: false, coerceTypes: false }));
  const coercing = addFormats(new Ajv({ ...common, useDefaults: true, coerceTypes: true }));
  for (const ajv of [strict, coercing]) ajv.addFormat('date-time', isInstant);
  return ({ schema, httpPart }: { schema: object; httpPart?: string }) => {
    const ajv = httpPart === 'body' ? strict : coercing;
    let compiled: ValidateFunction | null = null;
    const validate = (data: unknown) => {
      compiled ??= ajv.compile(schema);
      const isValid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    validate.errors = null as NonNullable<ValidateFunction['errors']> | null;
    return validate;
  };
}

/** Fastify's own, but compiled when an answer needs it first. */
export function buildSerializers() {
  return ({ schema }: { schema: unknown }) => {
    let serialize: ((answer: unknown) => string) | null = null;
    return (answer: unknown) => {
      serialize ??= fastJsonStringify(schema as Schema) as (answer: unknown) => string;
      return serialize(answer);
    };
  };
}

/** Checks rows of bulk data: JSON as it is; the texts of CSV become the booleans and numbers declared. */
export function compileRows(schema: object, texts: boolean): ValidateFunction {
  const options = { removeAdditional: false, strict: false, useDefaults: false, coerceTypes: texts } as const;
  const ajv = addFormats(new Ajv(options));
  ajv.addFormat('date-time', isInstant);
  return ajv.compile(schema);
}
