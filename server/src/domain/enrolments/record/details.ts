import Type, { type Static, type TSchema } from 'typebox';
import type { EnrolmentTable } from '../../../db/engine/generated.ts';
import { DayOrInstant, Instant, Nullable, Text } from '../../../http/validation/schema.ts';
import { namesOf } from '../../../lib/tables.ts';

const Reference = Nullable(
  Text(255, { description: "The client's own reference, such as an order number." }),
);

const Metadata = Type.Record(Type.String({ pattern: '^[^\\u0000\\uD800-\\uDFFF]{1,40}$' }), Text(500), {
  maxProperties: 20,
  additionalProperties: false,
  description: 'Up to 20 key–value pairs defined by the client, with string values.',
});

/**
 * This schema has no pattern for names. The serializer compiles patterns without the `u` flag, so a pattern
 * would drop names with emoji.
 */
const StoredMetadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Up to 20 key–value pairs defined by the client, with string values.',
});

const SentDueAt = Nullable(
  DayOrInstant(
    "By when the learner should be done: a day, or an instant, which counts as its day in the tenant's TimeZone. It ends nothing: access ends at ExpiresAt.",
  ),
);
const DueAt = Nullable(
  Instant(
    "By when the learner should be done: the last second of a day in the tenant's TimeZone; null if there is no such day.",
  ),
);

/**
 * `unset` is the SQL of the value in an enrolment without this detail, `initial` of the one in a new enrolment that was
 * sent without it.
 */
type Detail = {
  column: keyof EnrolmentTable;
  type: 'text' | 'jsonb' | 'timestamptz' | 'integer' | 'double precision';
  unset: string;
  initial?: string;
  sent: TSchema;
  shown: TSchema;
};

/**
 * The fields of an enrolment that clients set when they enrol and change later, and that change nothing else. They are
 * erased with the person. For a new one, add a line here and a column in a migration (docs/recipes.md).
 */
const details = {
  Reference: { column: 'reference', type: 'text', unset: 'null', sent: Reference, shown: Reference },
  Metadata: { column: 'metadata', type: 'jsonb', unset: `'{}'`, sent: Metadata, shown: StoredMetadata },
  DueAt: {
    column: 'due_at',
    type: 'timestamptz',
    unset: 'null',
    initial: '(request.due_dates ->> chosen)::timestamptz',
    sent: SentDueAt,
    shown: DueAt,
  },
} as const satisfies Record<string, Detail>;

type Details = typeof details;
type Name = keyof Details;
export type SentDetails = { [N in Name]?: Static<Details[N]['sent']> };
export type ShownDetails = { [N in Name]: Static<Details[N]['shown']> };

export const detailNames = namesOf(details);
const all: readonly (Detail & { name: Name })[] = detailNames.map((name) => ({ name, ...details[name] }));

// The casts below are safe, because each object has one member for each detail.

export const shownDetails = Object.fromEntries(all.map(({ name, shown }) => [name, shown])) as {
  [N in Name]: Details[N]['shown'];
};

export const sentDetails = Object.fromEntries(all.map(({ name, sent }) => [name, Type.Optional(sent)])) as {
  [N in Name]: Type.TOptional<Details[N]['sent']>;
};

const shown = (value: unknown) => (value instanceof Date ? value.toISOString() : value);

export function toDetails(row: Record<Details[Name]['column'], unknown>): ShownDetails {
  const columns: Partial<Record<string, unknown>> = row;
  return Object.fromEntries(all.map(({ name, column }) => [name, shown(columns[column])])) as ShownDetails;
}

export function changedDetails(input: SentDetails): Record<string, unknown> {
  const sent = all.filter(({ name }) => input[name] !== undefined);
  return Object.fromEntries(
    sent.map(({ name, column, type }) => {
      const value: unknown = input[name];
      return [column, type === 'timestamptz' && typeof value === 'string' ? new Date(value) : value];
    }),
  );
}

export function storedDetails(row: Record<Details[Name]['column'], unknown>): Record<string, unknown> {
  const columns: Partial<Record<string, unknown>> = row;
  return Object.fromEntries(
    all.map(({ column, type }) => [
      column,
      type === 'jsonb' ? JSON.stringify(columns[column]) : columns[column],
    ]),
  );
}

/** SQL for the function that enrols. `request` has the values that were sent, or null. */
export const detailsSql = {
  parameters: all.map(({ column, type }) => `${column} ${type}`).join(', '),
  columns: all.map(({ column }) => column).join(', '),
  values: all
    .map(({ column, unset, initial = unset }) => `coalesce(request.${column}, ${initial})`)
    .join(', '),
  replace: all.map(({ column }) => `${column} = coalesce(request.${column}, enrolment.${column})`).join(', '),
  erase: all.map(({ column, unset }) => `${column} = ${unset}`).join(', '),
};
