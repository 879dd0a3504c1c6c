/** The parts of a JSON Schema that the comparison reads. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  [keyword: string]: unknown;
};

type Content = Record<string, { schema?: Schema }>;
type Parameter = { in: string; name: string; required?: boolean; schema?: Schema };
type Response = { content?: Content };

type Operation = {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Content };
  responses?: Record<string, Response>;
  'x-access'?: string;
  'x-scope'?: string;
};

export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  [member: string]: unknown;
};

/** Request schemas may only become wider. Response schemas must keep everything that they had. */
type Direction = 'sent' | 'received';

const methods = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options']);
const lowest = ['minimum', 'minLength', 'minItems', 'minProperties'];
const highest = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const forms = ['pattern', 'format'];

function operationsOf(document: OpenApi): Map<string, Operation> {
  const groups = Object.entries({ ...document.paths, ...document.webhooks });
  return new Map(
    groups.flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => methods.has(method))
        .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  );
}

function resolve<T extends object>(document: OpenApi, value: T): T {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value;
  const names = $ref.slice(2).split('/');
  const found = names.reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], document);
  if (typeof found !== 'object' || found === null) throw new Error(`${$ref} is not in the document.`);
  return resolve(document, found as T);
}

const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat());
const valuesOf = (schema: Schema): unknown[] | null =>
  schema.const === undefined ? (schema.enum ?? null) : [schema.const];

/** Writes a named list of values or null as one schema. */
function withNull(document: OpenApi, schema: Schema): Schema {
  const [named, other] = schema.anyOf ?? [];
  if (!named || other?.type !== 'null' || schema.anyOf?.length !== 2) return schema;
  const list = resolve(document, named);
  if (!list.enum) return schema;
  return { ...list, type: [...typesOf(list), 'null'], enum: [...list.enum, null] };
}

/** Merges the parts of `allOf` into one schema. */
function merged(document: OpenApi, given: Schema): Schema {
  const schema = withNull(document, resolve(document, given));
  if (!schema.allOf) return schema;
  const parts = [schema, ...schema.allOf.map((part) => merged(document, part))];
  return {
    ...Object.assign({}, ...parts.toReversed()),
    allOf: undefined,
    properties: Object.assign({}, ...parts.map((part) => part.properties ?? {})),
    required: parts.flatMap((part) => part.required ?? []),
  };
}

/** Lists everything that a client of the first document would lose with the second. */
export function lossesBetween(before: OpenApi, after: OpenApi): string[] {
  const losses: string[] = [];
  const report = (place: string, what: string) => void losses.push(`${place}: ${what}`);

  function compareSchemas(place: string, one: Schema, other: Schema, direction: Direction): void {
    const [old, now] = [merged(before, one), merged(after, other)];
    compareValues(place, old, now, direction);
    if (direction === 'sent') compareLimits(place, old, now);
    for (const [name, schema] of Object.entries(old.properties ?? {})) {
      const kept = now.properties?.[name];
      if (kept) compareSchemas(`${place}.${name}`, schema, kept, direction);
      else report(place, `the field ${name} is gone`);
    }
    const [needed, need] = [old.required ?? [], now.required ?? []];
    if (direction === 'sent')
      for (const name of need.filter((name) => !needed.includes(name)))
        report(place, `${name} is now required`);
    else
      for (const name of needed.filter((name) => !need.includes(name)))
        report(place, `${name} may now be missing`);
    if (old.items && now.items) compareSchemas(`${place}[]`, old.items, now.items, direction);
    if (typeof old.additionalProperties === 'object' && typeof now.additionalProperties === 'object')
      compareSchemas(`${place}.*`, old.additionalProperties, now.additionalProperties, direction);
    const isClosed = now.additionalProperties === false && now.patternProperties === undefined;
    if (direction === 'sent' && isClosed && old.additionalProperties !== false)
      report(place, 'additional fields are now rejected');
  }

  function compareValues(place: string, old: Schema, now: Schema, direction: Direction): void {
    const [types, typesNow] = [typesOf(old), typesOf(now)];
    for (const type of types.filter((type) => typesNow.length > 0 && !typesNow.includes(type)))
      report(place, `the type ${type} is gone`);
    if (direction === 'received' && types.length > 0)
      for (const type of typesNow.filter((type) => !types.includes(type)))
        report(place, `may now be of type ${type}`);
    const [values, valuesNow] = [valuesOf(old), valuesOf(now)];
    if (values === null && valuesNow !== null && direction === 'sent' && old.type !== undefined)
      report(place, `now accepts only ${valuesNow.join(', ')}`);
    for (const value of values ?? [])
      if (valuesNow !== null && !valuesNow.includes(value)) report(place, `the value ${value} is gone`);
  }

  function compareLimits(place: string, old: Schema, now: Schema): void {
    for (const keyword of lowest)
      if (Number(now[keyword] ?? 0) > Number(old[keyword] ?? 0))
        report(place, `${keyword} is ${now[keyword]} now`);
    for (const keyword of highest)
      if (Number(now[keyword] ?? Infinity) < Number(old[keyword] ?? Infinity))
        report(place, `${keyword} is ${now[keyword]} now`);
    for (const keyword of forms)
      if (now[keyword] !== undefined && inRanges(now[keyword]) !== inRanges(old[keyword]))
        report(place, `${keyword} is ${now[keyword]} now`);
  }

  function compareContent(place: string, old: Content, now: Content, direction: Direction): void {
    for (const [type, { schema }] of Object.entries(old)) {
      const kept = now[type];
      if (!kept) report(place, `${type} is gone`);
      else if (schema && kept.schema) compareSchemas(`${place} ${type}`, schema, kept.schema, direction);
    }
  }

  function compareParameters(place: string, old: Operation, now: Operation): void {
    const found = (now.parameters ?? []).map((one) => resolve(after, one));
    for (const one of old.parameters ?? []) {
      const parameter = resolve(before, one);
      const name = `${parameter.in} parameter ${parameter.name}`;
      const kept = found.find((other) => other.in === parameter.in && other.name === parameter.name);
      if (!kept) report(place, `the ${name} is gone`);
      else compareSchemas(`${place} ${name}`, parameter.schema ?? {}, kept.schema ?? {}, 'sent');
    }
    const needed = (old.parameters ?? [])
      .map((one) => resolve(before, one))
      .filter(({ required }) => required);
    const names = new Set(needed.map(nameOf));
    for (const parameter of found.filter(({ required }) => required))
      if (!names.has(nameOf(parameter))) report(place, `${nameOf(parameter)} is now required`);
  }

  function compareOperations(place: string, old: Operation, now: Operation): void {
    for (const member of ['operationId', 'x-access', 'x-scope'] as const)
      if (old[member] !== now[member]) report(place, `${member} was ${old[member]} and is ${now[member]}`);
    compareParameters(place, old, now);
    const [body, bodyNow] = [old.requestBody ?? {}, now.requestBody ?? {}];
    if (bodyNow.required && !body.required) report(place, 'a body is now required');
    compareContent(`${place} body`, body.content ?? {}, bodyNow.content ?? {}, 'sent');
    for (const [status, one] of Object.entries(old.responses ?? {})) {
      const kept = now.responses?.[status];
      if (!kept) report(place, `the status ${status} is gone`);
      else {
        const [response, responseNow] = [resolve(before, one), resolve(after, kept)];
        compareContent(`${place} ${status}`, response.content ?? {}, responseNow.content ?? {}, 'received');
      }
    }
  }

  const there = operationsOf(after);
  for (const [place, operation] of operationsOf(before)) {
    const kept = there.get(place);
    if (kept) compareOperations(place, operation, kept);
    else report(place, 'the operation is gone');
  }
  return losses;
}

/** Replaces `\p{Cc}` and `\p{Cs}`, which earlier versions used in patterns, with equivalent ranges. */
function inRanges(pattern: unknown): string {
  return String(pattern)
    .replaceAll('\\p{Cc}', '\\u0000-\\u001F\\u007F-\\u009F')
    .replaceAll('\\p{Cs}', '\\uD800-\\uDFFF');
}

function nameOf({ in: place, name }: Parameter): string {
  return `the ${place} parameter ${name}`;
}
