type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minItems?: number;
};

const typeOf = ({ type }: Schema): string | undefined =>
  type === undefined ? undefined : [type].flat().find((one) => one !== 'null');

/** A value that the schema takes: its own example, or one made of the examples of its parts. */
export function exampleOf(schema: Schema, { onlyRequired = false } = {}): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  const type = typeOf(schema);
  if (type === 'object') {
    const needed = schema.required ?? [];
    const fields = Object.entries(schema.properties ?? {}).filter(
      ([name]) => !onlyRequired || needed.includes(name),
    );
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field)]));
  }
  if (type === 'array')
    return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () => exampleOf(schema.items ?? {}));
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  return null;
}
