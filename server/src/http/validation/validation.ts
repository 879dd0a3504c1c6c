import AjvPackage, { type ValidateFunction } from 'ajv';
import formatsPackage from 'ajv-formats';
import fastJsonStringify, { type Schema } from 'fast-json-stringify';
import { isInstant } from '../../lib/instants.ts';

const Ajv = AjvPackage.default;
const addFormats = formatsPackage.default;

/**
 * Larger values are checked only up to their first error, because the cost of finding all errors grows with their
 * number.
 */
const thoroughSize = 8 * 1024;

/** Counts characters and values, and stops as soon as the limit is exceeded. */
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
 * Bodies are not coerced. Text in queries and paths is converted to the declared numbers and
 * booleans. Schemas are compiled when first needed, because compiling all of them took a quarter of
 * the CPU time at start-up.
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

/** Fastify's serializers, compiled when a response first needs them. */
export function buildSerializers() {
  return ({ schema }: { schema: unknown }) => {
    let serialize: ((answer: unknown) => string) | null = null;
    return (answer: unknown) => {
      serialize ??= fastJsonStringify(schema as Schema) as (answer: unknown) => string;
      return serialize(answer);
    };
  };
}

/**
 * Validates the rows of bulk data. JSON is not coerced. Text in CSV is converted to the declared
 * booleans and numbers.
 */
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
