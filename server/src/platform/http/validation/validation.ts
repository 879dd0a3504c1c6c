import AjvPackage, { type ValidateFunction } from 'ajv';
import formatsPackage from 'ajv-formats';
import fastJsonStringify, { type Schema } from 'fast-json-stringify';
import { isInstant } from '../../instants.ts';

const Ajv = AjvPackage.default;
const addFormats = formatsPackage.default;

/**
 * Larger values are only checked up to their first error, because finding all of them costs more the more
 * there are.
 */
const thoroughSize = 8 * 1024;

/** Counts characters and values, and stops as soon as there are too many. */
function isSmall(data: unknown): boolean {
  let left = thoroughSize;
  const waiting = [data];
  while (waiting.length > 0 && left > 0) {
    const value = waiting.pop();
    left -= typeof value === 'string' ? value.length + 1 : 1;
    if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) {
        left -= name.length;
        waiting.push(inner);
        if (left <= 0) break;
      }
  }
  return left > 0;
}

/**
 * Bodies are not coerced; query and path texts become the declared numbers and booleans. A schema is compiled
 * when it is first needed: compiling all of them was a quarter of the CPU time of a start.
 */
export function buildValidators() {
  const ajvOf = (coerce: boolean, allErrors: boolean) => {
    const options = { allErrors, verbose: true, removeAdditional: false, strict: false } as const;
    const ajv = addFormats(new Ajv({ ...options, useDefaults: coerce, coerceTypes: coerce }));
    return ajv.addFormat('date-time', isInstant);
  };
  const strict = { quick: ajvOf(false, false), thorough: ajvOf(false, true) };
  const coercing = { quick: ajvOf(true, false), thorough: ajvOf(true, true) };
  return ({ schema, httpPart }: { schema: object; httpPart?: string }) => {
    const { quick, thorough } = httpPart === 'body' ? strict : coercing;
    let compiled: ValidateFunction | null = null;
    let explain: ValidateFunction | null = null;
    const issuesIn = (data: unknown, first: ValidateFunction['errors']) => {
      if (!isSmall(data)) return first;
      explain ??= thorough.compile(schema);
      explain(data);
      return explain.errors ?? first;
    };
    const validate = (data: unknown) => {
      compiled ??= quick.compile(schema);
      const isValid = compiled(data);
      validate.errors = (isValid ? null : issuesIn(data, compiled.errors)) ?? null;
      return isValid;
    };
    validate.errors = null as NonNullable<ValidateFunction['errors']> | null;
    return validate;
  };
}

/** Fastify's own, but compiled when a response first needs it. */
export function buildSerializers() {
  return ({ schema }: { schema: unknown }) => {
    let serialize: ((answer: unknown) => string) | null = null;
    return (answer: unknown) => {
      serialize ??= fastJsonStringify(schema as Schema) as (answer: unknown) => string;
      return serialize(answer);
    };
  };
}

/** Validates rows of bulk data: JSON as it is; the texts of CSV become the declared booleans and numbers. */
export function compileRows(schema: object, texts: boolean): ValidateFunction {
  const options = {
    verbose: true,
    removeAdditional: false,
    strict: false,
    useDefaults: false,
    coerceTypes: texts,
  } as const;
  const ajv = addFormats(new Ajv(options));
  ajv.addFormat('date-time', isInstant);
  return ajv.compile(schema);
}
