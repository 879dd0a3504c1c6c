import { Problem } from '../../lib/errors.ts';
import { dayOrInstantPattern, identifierPattern, textPattern } from './schema.ts';

type Described = { examples?: unknown[]; properties?: Record<string, Described> };

export type ValidationIssue = {
  keyword: string;
  instancePath: string;
  params: Record<string, unknown>;
  /** The schema with the keyword. */
  parentSchema?: unknown;
};

/** The schema members that we read, all of them optional. */
function described(schema: unknown): Described {
  return (schema ?? {}) as Described;
}

/** Maximum number of issues in a problem document. */
const maxIssues = 20;

function fieldOf(issue: ValidationIssue): string {
  const inside = issue.instancePath.slice(1).replaceAll('/', '.');
  const named = issue.params.missingProperty ?? issue.params.additionalProperty;
  return [inside, typeof named === 'string' ? named : ''].filter(Boolean).join('.');
}

const typeNames: Record<string, string | readonly string[]> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: ['true', 'false'],
  array: 'a list',
  object: 'an object',
};

function listed(words: readonly string[], last: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns `, such as P30D` if the schema has an example. A sentence loses its full stop, because one follows. */
function suchAs(schema: unknown): string {
  const [example] = described(schema).examples ?? [];
  return example === undefined ? '' : `, such as ${show(example).replace(/\.$/, '')}`;
}

const formats: Record<string, string> = {
  'date-time': 'a date and time such as 2026-01-31T09:00:00Z',
  date: 'a date such as 2026-01-31',
  uuid: 'an ID such as 01994a5e-7c00-7000-8000-000000000000',
};

const patterns: Record<string, string> = {
  [textPattern]: 'must not contain null characters or incomplete surrogate pairs',
  [identifierPattern]: 'must not contain control characters, and must not be "." or ".."',
  [dayOrInstantPattern]: 'must be a day such as 2026-12-31, or a date and time such as 2026-12-31T09:00:00Z',
};

const counted = (count: unknown, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Completes the sentence for each keyword in our schemas. */
const messages: Record<string, (issue: ValidationIssue) => string> = {
  required: ({ params, parentSchema }) =>
    `is missing${suchAs(described(parentSchema).properties?.[String(params.missingProperty)]).replace(',', '. Send a value')}`,
  additionalProperties: ({ parentSchema }) => {
    const known = Object.keys(described(parentSchema).properties ?? {});
    if (known.length === 0) return 'is not a field of this request. Leave it out';
    const fields = known.length === 1 ? 'the only field is' : 'the fields are';
    return `is not a field of this request. Leave it out, or check its spelling: ${fields} ${listed(known, 'and')}`;
  },
  type: ({ params, parentSchema }) => {
    const types = [params.type].flat().flatMap((type) => typeNames[String(type)] ?? String(type));
    return `must be ${listed(types, 'or')}${suchAs(parentSchema)}`;
  },
  enum: ({ params }) => `must be one of ${(params.allowedValues as unknown[]).map(show).join(', ')}`,
  const: ({ params }) => `must be ${show(params.allowedValue)}`,
  minLength: ({ params }) =>
    params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`,
  maxLength: ({ params }) => `must have at most ${counted(params.limit, 'character')}`,
  pattern: ({ params, parentSchema }) =>
    patterns[String(params.pattern)] ?? `does not match the format described in /docs${suchAs(parentSchema)}`,
  format: ({ params }) => `must be ${formats[String(params.format)] ?? `a valid ${params.format}`}`,
  minimum: ({ params }) => `must be ${params.limit} or more`,
  maximum: ({ params }) => `must be ${params.limit} or less`,
  minItems: ({ params }) => `must have at least ${counted(params.limit, 'item')}`,
  maxItems: ({ params }) => `must have at most ${counted(params.limit, 'item')}`,
  uniqueItems: () => 'must not contain the same item twice',
  minProperties: ({ params, parentSchema }) =>
    `must have at least ${counted(params.limit, 'field')}${suchAs(parentSchema)}`,
  maxProperties: ({ params }) => `must have at most ${counted(params.limit, 'field')}`,
  anyOf: ({ parentSchema }) => `has none of the forms that /docs describes${suchAs(parentSchema)}`,
  propertyNames: ({ params }) => `must not have a field named ${show(params.propertyName)}`,
};

/** The JSON Schema keywords that have an error message. A test compares them with our schemas. */
export const wordedKeywords: readonly string[] = Object.keys(messages);

const partWords: Record<string, string> = { params: 'path', querystring: 'query' };

function describe(issue: ValidationIssue, part: string) {
  const param = fieldOf(issue);
  const code = issue.keyword === 'additionalProperties' ? 'unknown_field' : 'validation_failed';
  const wording = messages[issue.keyword]?.(issue) ?? 'is not valid. See its description in /docs';
  const detail = `${param || `The ${partWords[part] ?? part}`} ${wording}.`;
  return { ...(param ? { param } : {}), code, detail } as const;
}

/** Reports the first issue as the problem, and all of them as its `errors`, one per field. */
export function validationProblem(issues: readonly ValidationIssue[], part: string): Problem {
  const byField = new Map<string, ReturnType<typeof describe>>();
  for (const issue of issues) {
    if (byField.size === maxIssues) break;
    const error = describe(issue, part);
    if (!byField.has(error.param ?? '')) byField.set(error.param ?? '', error);
  }
  const errors = [...byField.values()];
  const [first] = errors;
  if (!first) return new Problem('validation_failed', `The ${part} is not valid.`);
  const { code, detail, ...named } = first;
  return new Problem(code, detail, { ...named, errors });
}
