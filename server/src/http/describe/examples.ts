type Schema = {
  title?: string;
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
};

/** Values by field name, or by record title and field name separated by a dot. */
export type FieldExamples = Readonly<Record<string, unknown>>;

const ofFormats: Record<string, string> = {
  'date-time': '2026-01-31T09:00:00Z',
  date: '2026-01-31',
  uuid: '01994a5e-7c00-7000-8000-000000000000',
};

function typesOf({ type }: Schema): string[] {
  return type === undefined ? [] : [type].flat();
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function fits(value: unknown, schema: Schema): boolean {
  const [types, type] = [typesOf(schema), typeOf(value)];
  const isListed =
    schema.const === undefined ? (schema.enum?.includes(value) ?? true) : schema.const === value;
  return isListed && (types.includes(type) || (type === 'integer' && types.includes('number')));
}

/** Builds examples from schemas and field values, so that they all show the same person and course. */
export function exampleMaker(fields: FieldExamples) {
  function ofField(name: string, title: string, schema: Schema): unknown {
    const named = [`${title}.${name}`, name].find((key) => key in fields && fits(fields[key], schema));
    const isRecord = schema.properties !== undefined || schema.items?.properties !== undefined;
    return named === undefined || (isRecord && fields[named] !== null) ? make(schema, name) : fields[named];
  }

  /** A value that is valid for the schema. If `only` is given, records contain only these fields. */
  function make(schema: Schema, name = '', only?: readonly string[]): unknown {
    if (schema.examples) return schema.examples[0];
    if (schema.const !== undefined) return schema.const;
    const [type] = typesOf(schema).filter((one) => one !== 'null');
    if (type === 'object') {
      const wanted = Object.entries(schema.properties ?? {}).filter(
        ([field]) => only?.includes(field) ?? true,
      );
      return Object.fromEntries(
        wanted.map(([field, part]) => [field, ofField(field, schema.title ?? '', part)]),
      );
    }
    if (type === 'array') return [make(schema.items ?? {}, name)];
    if (schema.default !== undefined) return schema.default;
    if (schema.enum) return schema.enum[0];
    if (schema.format) return ofFormats[schema.format];
    if (type === 'boolean') return true;
    if (type === 'integer' || type === 'number') return 1;
    return null;
  }

  return { make, ofField };
}
