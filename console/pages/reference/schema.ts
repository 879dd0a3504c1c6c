import type { Schema } from './document.ts';

export type Row = {
  name: string;
  /** 0 for the fields of the record itself. */
  depth: number;
  type: string;
  isRequired: boolean;
  description: string;
  /** Limits as a reader wants them: "1–255 characters", "one of a, b". */
  limits: string[];
};

const typesOf = ({ type }: Schema) => (Array.isArray(type) ? type : type === undefined ? [] : [type]);

function typeText(schema: Schema): string {
  const types = typesOf(schema).map((type) =>
    type === 'array' && schema.items ? `${typeText(schema.items)}[]` : type,
  );
  return types.join(' | ') || 'any';
}

function span(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min === undefined && max === undefined) return [];
  const what = unit && ` ${unit}`;
  if (min === undefined) return [`≤ ${max}${what}`];
  if (max === undefined) return [`≥ ${min}${what}`];
  return [`${min}–${max}${what}`];
}

export function limitsOf(schema: Schema): string[] {
  return [
    ...(schema.enum ? [schema.enum.map(String).join(' · ')] : []),
    ...(schema.const === undefined ? [] : [String(schema.const)]),
    ...(schema.format ? [schema.format] : []),
    ...span(schema.minLength, schema.maxLength, 'chars'),
    ...span(schema.minimum, schema.maximum, ''),
    ...span(schema.minItems, schema.maxItems, 'items'),
    ...(schema.default === undefined ? [] : [`= ${JSON.stringify(schema.default)}`]),
  ];
}

/** The fields of a record, those of its records below them. */
export function rowsOf(schema: Schema, depth = 0): Row[] {
  const record = typesOf(schema).includes('array') ? (schema.items ?? {}) : schema;
  return Object.entries(record.properties ?? {}).flatMap(([name, field]) => [
    {
      name,
      depth,
      type: typeText(field),
      isRequired: record.required?.includes(name) ?? false,
      description: field.description ?? '',
      limits: limitsOf(field),
    },
    ...rowsOf(field, depth + 1),
  ]);
}

const samples: Record<string, unknown> = {
  'date-time': '2030-01-31T12:00:00Z',
  uuid: '01a1fd07-ea8d-7ea2-b6a7-c368da707cd8',
  uri: 'https://example.com/',
};

/** Values that our patterns take, where a plain word would not do. */
const named: Record<string, unknown> = {
  LoginID: 'bob',
  CourseID: 'fire-safety',
  DurationID: '30-days',
  Duration: 'P30D',
  Language: 'en',
  Currency: 'EUR',
  Amount: '49.00',
  URL: 'https://example.com/',
  ImageURL: 'https://example.com/picture.png',
  Email: 'bob@example.com',
  Path: '/console',
};

function textExample(schema: Schema, name: string): unknown {
  if (schema.format && schema.format in samples) return samples[schema.format];
  if (name in named) return named[name];
  if (schema.pattern?.startsWith('^https?://')) return 'https://example.com';
  return 'text'.padEnd(schema.minLength ?? 0, 'x').slice(0, schema.maxLength ?? 100);
}

/** A value that the schema takes, with every field of a record. */
export function exampleOf(schema: Schema, name = ''): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.find((value) => value !== null);
  if (schema.default !== undefined) return schema.default;
  const type = typesOf(schema).find((one) => one !== 'null');
  if (type === 'object') {
    const fields = Object.entries(schema.properties ?? {});
    return Object.fromEntries(fields.map(([field, value]) => [field, exampleOf(value, field)]));
  }
  if (type === 'array') {
    const one = exampleOf(schema.items ?? {}, name.replace(/s$/, ''));
    return Array.from({ length: Math.max(1, schema.minItems ?? 0) }, () => one);
  }
  if (type === 'integer' || type === 'number') return Math.max(1, schema.minimum ?? 1);
  if (type === 'boolean') return true;
  if (type === 'string') return textExample(schema, name);
  return null;
}
