import type { Schema } from './document.ts';

export type Row = {
  name: string;
  /** 0 for the fields of the record itself. */
  depth: number;
  type: string;
  isRequired: boolean;
  description: string;
  /** Limits in words: "1–255 characters", "one of a, b". */
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

/** The fields of a record, followed by those of nested records. */
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
