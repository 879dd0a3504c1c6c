import type { Static, TObject, TProperties } from 'typebox';

/** The column of a field: `enroll_id` for `EnrollID`. */
type Column<Field extends string, Before extends string = 'A'> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? '' : Before extends Lowercase<Before> ? '_' : ''}${Lowercase<First>}${Column<Rest, First>}`
  : '';

/** A column's value: times become text. */
type Stored<V> = V extends string ? (string extends V ? string | Date : V) : V;

type Columns<Fields, Given> = {
  readonly [F in keyof Fields as F extends keyof Given ? never : Column<F & string>]: Stored<Fields[F]>;
};

const columnOf = (field: string) => field.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();

/** The record of a row. The schema names its fields; those that are not `given` are columns of the row. */
export function recordOf<P extends TProperties, const Given extends Partial<Static<TObject<P>>>>(
  schema: TObject<P>,
  row: Columns<Static<TObject<P>>, Given>,
  given: Given,
): Static<TObject<P>> {
  const fields = Object.keys(schema.properties).map((field) => {
    const value: unknown = Reflect.get(
      field in given ? given : row,
      field in given ? field : columnOf(field),
    );
    return [field, value instanceof Date ? value.toISOString() : value];
  });
  // The types of the parameters say that these are all fields.
  return Object.fromEntries(fields) as Static<TObject<P>>;
}
