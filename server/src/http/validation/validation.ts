import { isUtf8 } from 'node:buffer';
import AjvPackage, { type ValidateFunction } from 'ajv';
import formatsPackage from 'ajv-formats';
import fastJsonStringify, { type Schema } from 'fast-json-stringify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { fitsShape, type JsonShape } from '../../../../standards/json-shape.ts';
import { Problem } from '../../lib/errors.ts';
import { isInstant } from '../../lib/instants.ts';
import { isStorable } from '../../lib/unicode.ts';

/** Checks the text of a body before it is parsed. */
export function checkShape(text: string, shape: JsonShape): void {
  if (fitsShape(text, shape)) return;
  throw new Problem(
    'validation_failed',
    `The body has more than ${shape.values} values, or values nested more than ${shape.depth} levels deep. Split it into several requests.`,
  );
}

/** Accepts query parameters that begin with a lower-case letter. */
export function acceptLowerCase(query: unknown, schema: TSchema): void {
  const given: Record<string, unknown> = Object(query);
  const declared: object = Object(Reflect.get(schema, 'properties'));
  for (const name of Object.keys(given)) {
    const capitalised = name.charAt(0).toUpperCase() + name.slice(1);
    if (Object.hasOwn(declared, name) || !Object.hasOwn(declared, capitalised)) continue;
    if (Object.hasOwn(given, capitalised)) continue;
    given[capitalised] = given[name];
    delete given[name];
  }
}

/**
 * Whether a value parsed from JSON or CSV contains, at any depth, a name that could change the prototype of all
 * objects.
 */
export function hasPrototypeName(value: unknown): boolean {
  const waiting = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one !== 'object' || one === null) continue;
    if (Object.hasOwn(one, '__proto__')) return true;
    const made = Object.hasOwn(one, 'constructor') && (one as { constructor: unknown }).constructor;
    if (typeof made === 'object' && made !== null && Object.hasOwn(made, 'prototype')) return true;
    for (const member of Object.values(one)) waiting.push(member);
  }
  return false;
}

const Ajv = AjvPackage.default;
const addFormats = formatsPackage.default;

/**
 * Bodies are not coerced. Text in queries and paths is converted to the declared numbers and
 * booleans. Schemas are compiled when first needed, because compiling all of them took a quarter of
 * the CPU time at start-up.
 */
export function buildValidators() {
  const ajvOf = (coerce: boolean) => {
    const options = { allErrors: true, verbose: true, removeAdditional: false, strict: false } as const;
    const ajv = addFormats(new Ajv({ ...options, useDefaults: coerce, coerceTypes: coerce }));
    return ajv.addFormat('date-time', isInstant);
  };
  const [strict, coercing] = [ajvOf(false), ajvOf(true)];
  return ({ schema, httpPart }: { schema: object; httpPart?: string }) => {
    let compiled: ValidateFunction | null = null;
    const validate = (data: unknown) => {
      compiled ??= (httpPart === 'body' ? strict : coercing).compile(schema);
      const isValid = compiled(data);
      validate.errors = compiled.errors ?? null;
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
  const options = { verbose: true, removeAdditional: false, strict: false, coerceTypes: texts } as const;
  return addFormats(new Ajv(options)).addFormat('date-time', isInstant).compile(schema);
}

/** The most deeply nested record has four levels. The longest lists are the lists of tenants and courses. */
export const recordShape: JsonShape = { depth: 8, values: 20_000 };

/** The declared size of a body; 0 if the request declares none. */
export function declaredBytes({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0) || 0;
}

/** Accepts JSON, and these content types as streams. */
export function parseRecords(app: FastifyInstance, streamed: readonly string[]): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, {});
    if (!isUtf8(body))
      return done(new Problem('malformed_request', 'The body is not UTF-8. Encode it as UTF-8.'));
    const text = body.toString();
    checkShape(text, recordShape);
    parse(request, text, done);
  });
  for (const type of new Set(streamed))
    app.addContentTypeParser(type, (_request, payload, done) => {
      done(null, payload);
    });
}

/** Accepts any content type, for routes that read the body themselves. */
export function parseNothing(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** Accepts JSON with any content type, because closing pages send text. */
export function parseBeacons(app: FastifyInstance, shape: JsonShape): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    const text = body.toString();
    checkShape(text, shape);
    parse(request, text, done);
  });
}

export type Form = Readonly<Record<string, unknown>>;

/** A text of a form from anyone. What is no text, or cannot be stored, counts as not sent. */
export function fieldOf(form: Form, name: string): string {
  const value = form[name];
  return typeof value === 'string' && isStorable(value) ? value : '';
}
