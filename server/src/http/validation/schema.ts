import Type, { type Static, type TSchema } from 'typebox';
import { dayPattern, periodPattern } from '../../lib/days.ts';
import { errorCodes } from '../../lib/errors.ts';
import { namesOf } from '../../lib/tables.ts';

/** The given type or `null`, as a JSON Schema type list, which compiles to the fastest serializer. */
export function Nullable<T extends TSchema>(schema: T) {
  const { type, ...rest } = schema as T & { type: string; enum?: unknown[] };
  const values = rest.enum ? { enum: [...rest.enum, null] } : {};
  return Type.Unsafe<Static<T> | null>({ ...rest, ...values, type: [type, 'null'] });
}

/** One of the given strings. A title names the list of values in generated clients. */
export function OneOf<const V extends readonly string[]>(
  values: V,
  options: { title?: string; description?: string } = {},
) {
  return Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options });
}

/** These patterns use ranges, because tools without the `u` flag read classes such as `\p{Cs}` as letters. */
export const textPattern = '^[^\\u0000\\uD800-\\uDFFF]*$';
export const identifierPattern = '^(?!\\.{1,2}$)[^\\u0000-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF]+$';

/** Text that both JSON and PostgreSQL can store: it contains neither U+0000 nor lone surrogates. */
export function Text(
  maxLength: number,
  options: { minLength?: number; description?: string; examples?: string[] } = {},
) {
  return Type.String({ maxLength, pattern: textPattern, ...options });
}

/**
 * An identifier chosen by the client: any script, no control characters, case-sensitive, compared in NFC. `.`
 * and `..` are not allowed, because URL libraries remove these segments, encoded or not, so such a record
 * would have no URL.
 */
export function Identifier(description: string, maxLength = 255) {
  return Type.String({ minLength: 1, maxLength, pattern: identifierPattern, description });
}

/** A date and time in UTC (RFC 3339). */
export function Instant(description?: string) {
  return Type.String({ format: 'date-time', ...(description ? { description } : {}) });
}

const durationPattern =
  '^P(?=\\d|T\\d)(\\d{1,3}Y)?(\\d{1,4}M)?(\\d{1,4}W)?(\\d{1,5}D)?(T(?=\\d)(\\d{1,5}H)?(\\d{1,5}M)?(\\d{1,5}S)?)?$';

/** An ISO 8601 duration. */
export function Duration(description: string) {
  return Type.String({ pattern: durationPattern, examples: ['P30D'], maxLength: 64, description });
}

/** An ISO 8601 period of years, months, weeks or days. */
export function Period(description: string) {
  return Type.String({ pattern: periodPattern, examples: ['P30D'], description });
}

/** A day, or an RFC 3339 instant. `tenants/time-zone.ts` reads it. */
export const dayOrInstantPattern = `${dayPattern.slice(0, -1)}([Tt].{1,30})?$`;

export function DayOrInstant(description: string) {
  return Type.String({
    pattern: dayOrInstantPattern,
    examples: ['2026-12-31'],
    description,
  });
}

export function Address(description: string) {
  return Type.String({
    maxLength: 2048,
    pattern: '^https?://[^\\s\\u0000-\\u001F\\u007F-\\u009F\\uD800-\\uDFFF]+$',
    description,
  });
}

/** On every call that may write to a person. Nothing else about the call changes. */
export const Notify = Type.Optional(
  Type.Boolean({ default: true, description: 'false: the person gets no email because of this call.' }),
);

/** An object that rejects unknown members in a request and drops them from a response. */
export function Fields<P extends Record<string, TSchema>>(
  properties: P,
  options: { $id?: string; title?: string; description?: string } = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

export const ProblemDocument = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What is wrong and what to do.' }),
    code: OneOf(namesOf(errorCodes), {
      title: 'ErrorCode',
      description: 'A stable code for use in programs. Codes may be added.',
    }),
    param: Type.Optional(Type.String({ description: 'The field or parameter that caused the error.' })),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          param: Type.Optional(Type.String()),
          code: Type.String(),
          detail: Type.String(),
        }),
        {
          description: 'Up to 20 invalid fields or parameters; the first one is also in the problem itself.',
        },
      ),
    ),
    request_id: Type.String({ description: "Identifies this request in the service's log." }),
  },
  { title: 'Problem', description: 'RFC 9457 problem details.' },
);
