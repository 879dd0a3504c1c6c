import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { type ErrorCode, errorCodes } from '../../lib/errors.ts';
import { type ConstantFile, constantFile, sendConstant } from '../built-files.ts';
import { idempotencyHeader } from '../idempotency.ts';
import type { Route } from '../routes.ts';
import { listOf } from '../rows/export.ts';
import { rowTypes } from '../rows/rows.ts';
import { ProblemDocument } from '../validation/schema.ts';

type Value = unknown;
type Members = Record<string, unknown>;

/** Members that contain data, not schemas. */
const data = new Set(['example', 'examples', 'default', 'const', 'enum']);
const isMembers = (value: Value): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces every part of the document with the result of `change`, innermost parts first. */
function walk(value: Value, change: (part: Members) => Members): Value {
  if (Array.isArray(value)) return value.map((part) => walk(part, change));
  if (!isMembers(value)) return value;
  const walked = Object.entries(value).map(([name, part]) => [
    name,
    data.has(name) ? part : walk(part, change),
  ]);
  return change(Object.fromEntries(walked));
}

function walkDocument(document: Members, change: (part: Members) => Members): Members {
  const walked = walk(document, change);
  return isMembers(walked) ? walked : {};
}

/** Moves parts into one section of the document and replaces them with references. */
function collect(place: string) {
  const found: Members = {};
  const refer = (name: string, part: Members) => {
    found[name] ??= part;
    if (JSON.stringify(found[name]) !== JSON.stringify(part))
      throw new Error(`Two different ${place} are named ${name}. Rename one of them.`);
    return { $ref: `#/components/${place}/${name}` };
  };
  return { found, refer };
}

const isRecord = ({ title, type }: Members) => typeof title === 'string' && type === 'object';
const isNamedList = ({ title, enum: values }: Members) => typeof title === 'string' && Array.isArray(values);
const isParameter = ({ in: place, name, schema }: Members) =>
  typeof place === 'string' && typeof name === 'string' && isMembers(schema);

/** The parameters that several operations share. If two have the same name, only the more frequent one is shared. */
function sharedParameters(document: Members): Set<string> {
  const uses = new Map<string, { name: string; count: number }>();
  walk(document, (part) => {
    const text = JSON.stringify(part);
    if (isParameter(part))
      uses.set(text, { name: String(part.name), count: (uses.get(text)?.count ?? 0) + 1 });
    return part;
  });
  const frequent = [...uses].filter(([, { count }]) => count > 1);
  const best = new Map<string, string>();
  for (const [text, { name }] of frequent.sort(([, one], [, other]) => one.count - other.count))
    best.set(name, text);
  return new Set(best.values());
}

/** Refers to a named list of values. What is said about the field stays with the field. */
function referToList(
  { title, enum: values, type, ...about }: Members,
  refer: (name: string, part: Members) => Members,
): Members {
  const all = values as unknown[];
  const named = refer(String(title), { type: 'string', enum: all.filter((value) => value !== null), title });
  return all.includes(null) ? { anyOf: [named, { type: 'null' }], ...about } : { ...named, ...about };
}

/** Names differ from those of schemas, which many generators put into the same namespace. */
const nameOfParameter = ({ in: place, name }: Members) =>
  `${name}${String(place).replace(/^./, (first) => first.toUpperCase())}`;

/** Writes each record, named list of values and parameter once, under `components`, so that tools know its name. */
function nameComponents(document: Members): Members {
  const [schemas, parameters] = [collect('schemas'), collect('parameters')];
  const named = walkDocument(document, (part) => {
    if (isNamedList(part)) return referToList(part, schemas.refer);
    return isRecord(part) ? schemas.refer(String(part.title), part) : part;
  });
  const shared = sharedParameters(named);
  const whole = walkDocument(named, (part) =>
    isParameter(part) && shared.has(JSON.stringify(part))
      ? parameters.refer(nameOfParameter(part), part)
      : part,
  );
  const components = {
    ...Object(whole.components),
    schemas: schemas.found,
    parameters: parameters.found,
  };
  return { ...whole, components };
}

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
type FieldExamples = Readonly<Record<string, unknown>>;

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
function exampleMaker(fields: FieldExamples) {
  function ofField(name: string, title: string, schema: Schema): unknown {
    const keys = schema.examples ? [`${title}.${name}`] : [`${title}.${name}`, name];
    const named = keys.find((key) => key in fields && fits(fields[key], schema));
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

const always: ErrorCode[] = [
  'malformed_request',
  'payload_too_large',
  'unsupported_media_type',
  'too_many_requests',
  'internal_error',
  'unavailable',
];
const ofCallers: ErrorCode[] = [
  'unauthorized',
  'signed_out',
  'session_ambiguous',
  'scope_missing',
  'own_only',
  'passkey_required',
  'cross_site',
  'tenant_suspended',
];

const isClosed = (schema: object | undefined) =>
  schema !== undefined && 'additionalProperties' in schema && schema.additionalProperties === false;

/** The error codes that follow from an operation's input and access, in addition to its own. */
function commonCodes({ method, access, sessionsOnly, params, query, body, streams }: Route): ErrorCode[] {
  const isKeyed = method === 'POST' && access !== 'anyone' && access !== 'session' && !streams;
  const namesTenant = access === 'tenant' || access === 'either';
  /** The response stored for the Idempotency-Key was about a user or tenant that has since been erased. */
  const erased: ErrorCode = namesTenant ? 'user_not_found' : 'tenant_not_found';
  return [
    ...always,
    ...(access === 'anyone' || access === 'session' ? [] : ofCallers),
    ...(sessionsOnly ? (['session_required'] as const) : []),
    ...(access === 'operator' ? (['operator_only'] as const) : []),
    ...(access === 'tenant' ? (['tenant_required'] as const) : []),
    ...(namesTenant ? (['tenant_not_allowed', 'tenant_not_found'] as const) : []),
    ...(params || query || body || isKeyed ? (['validation_failed'] as const) : []),
    ...(isClosed(query) || isClosed(body) ? (['unknown_field'] as const) : []),
    ...(streams?.bulk ? (['idempotency_key_reused'] as const) : []),
    ...(isKeyed ? (['in_progress', 'idempotency_key_reused', erased] as const) : []),
  ];
}

/** Every error code that the operation can return, in the order of the closed list. */
export function codesOf(route: Route): ErrorCode[] {
  if (route.ownErrors) return [];
  const codes = new Set([...commonCodes(route), ...(route.problems ?? [])]);
  return (Object.keys(errorCodes) as ErrorCode[]).filter((code) => codes.has(code));
}

function problemResponse(codes: readonly ErrorCode[]) {
  const schema = {
    allOf: [ProblemDocument, { type: 'object', properties: { code: { type: 'string', enum: codes } } }],
  };
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code][1]}.`).join(' '),
    content: { 'application/problem+json': { schema } },
  };
}

type Answer = { description: string; content?: object };

/** Responses shared by several operations, each described once. */
function openProblemResponses() {
  const content = { 'application/problem+json': { schema: ProblemDocument } };
  const responses: Record<string, Answer> = {
    Problem: { description: 'What is wrong, and what to do.', content },
  };
  /**
   * Responses by status, in addition to the route's own; `default` covers errors that occur before the operation is
   * known.
   */
  const withProblems = (route: Route, own: Record<string, Answer>): Record<string, object> => {
    const byStatus: Record<string, object> = { ...own };
    for (const [status, codes] of Map.groupBy(codesOf(route), (code) => errorCodes[code][0])) {
      const shared = problemResponse(codes);
      const other = own[status];
      const name = codes.join('.');
      if (other) byStatus[status] = { ...other, content: { ...other.content, ...shared.content } };
      else {
        responses[name] = shared;
        byStatus[status] = { $ref: `#/components/responses/${name}` };
      }
    }
    return route.ownErrors ? byStatus : { ...byStatus, default: { $ref: '#/components/responses/Problem' } };
  };
  return { responses, withProblems };
}

/** The parts of the document besides its operations. */
export type Interface = {
  info: object;
  tags: readonly { name: string; description: string }[];
  baseUrl: string;
  /** The address of the content origin. Its `*`, if any, is a placeholder for each course's label. */
  contentUrl: string;
  securitySchemes: Record<string, object>;
  /**
   * The messages to webhook endpoints, by type: the operation without its body, the schema of the body, and the
   * fields of its example that depend on the type.
   */
  webhooks: Record<string, { operation: object; body: TSchema; fields: object }>;
  examples: FieldExamples;
};

const headers = {
  Tenant: {
    description:
      "The TenantID of the tenant that the request is for. Required with the operator's keys and sessions. A tenant's own keys and sessions do not need this header, and can name only their own tenant. Percent-encode the value if it is not ASCII.",
    schema: { type: 'string' },
    example: 'acme',
  },
  [idempotencyHeader]: {
    description:
      'Identifies this request: 1–255 printable ASCII characters. A request repeated with the same key is carried out only once; its response is replayed for 24 hours.',
    schema: { type: 'string' },
    example: 'order-4711',
  },
};

function headersOf({ method, access, headers: needed = {} }: Route) {
  if (access === 'anyone' || access === 'session') return [];
  const names = [
    ...(access === 'tenant' || access === 'either' ? (['Tenant'] as const) : []),
    ...(method === 'POST' ? ([idempotencyHeader] as const) : []),
  ];
  return [
    ...names.map((name) => ({ name, in: 'header', required: false, ...headers[name] })),
    ...Object.entries(needed).map(([name, header]) => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
      ...header,
    })),
  ];
}

/** The parameter name for the rest of a path, which the router calls `*`. */
const rest = 'Path';

type Examples = ReturnType<typeof exampleMaker>;

function parametersOf(place: 'path' | 'query', group: TSchema | undefined, { ofField }: Examples) {
  const { properties = {}, required = [] } = (group ?? {}) as {
    properties?: Record<string, { description?: string; deprecated?: boolean }>;
    required?: string[];
  };
  return Object.entries(properties).map(([key, { description, deprecated, ...schema }]) => {
    const name = key === '*' ? rest : key;
    const example = ofField(name, '', schema);
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(key),
      ...(description === undefined ? {} : { description }),
      ...(deprecated === undefined ? {} : { deprecated }),
      schema,
      ...(example === null ? {} : { example }),
    };
  });
}

const json = 'application/json';

/** Bodies that are not parsed: text, or bytes, which generators know as this format. */
function unparsedSchema(type: string) {
  if (type === json) return {};
  const isText = /^text\/(csv|plain|tab)|ndjson$|urlencoded$/.test(type);
  return { type: 'string', ...(isText ? {} : { format: 'binary' }) };
}

function requestBodyOf({ body, streams, raw, example, forms }: Route, { make }: Examples) {
  const unparsed = streams ?? raw;
  if (unparsed) {
    const { types, description, examples = {} } = unparsed;
    const schemas: Record<string, TSchema> = raw?.schemas ?? {};
    const content = types.map((type) => [
      type,
      {
        schema: { ...(schemas[type] ?? unparsedSchema(type)), description },
        ...(examples[type] === undefined ? {} : { example: examples[type] }),
      },
    ]);
    return { required: true, content: Object.fromEntries(content) };
  }
  if (!body) return null;
  const required = requiredOf(body);
  const sent = make(body, '', [...required, ...(example ?? [])]);
  const types = [json, ...(forms ? ['application/x-www-form-urlencoded'] : [])];
  return {
    required: required.length > 0,
    content: Object.fromEntries(types.map((type) => [type, { schema: body, example: sent }])),
  };
}

const wholeList = {
  schema: {
    type: 'string',
    description:
      'If the Accept header asks for this type, the response contains all pages, and Limit is ignored.',
  },
};
const rowContent = Object.fromEntries(Object.values(rowTypes).map((type) => [type, wholeList]));

const requiredOf = (schema: { required?: readonly string[] }) => schema.required ?? [];
const isFields = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function contentOf(route: Route, status: string, { make }: Examples) {
  const { schema, type, example } = route.responses[Number(status)] ?? {};
  if (!schema && !type) return null;
  const types = type === undefined ? [json] : [type].flat();
  const isPart = schema !== undefined && isFields(example);
  const shown = isPart
    ? { ...Object(make(schema, '', requiredOf(schema))), ...example }
    : (example ?? (schema && make(schema)));
  const media = { schema: schema ?? { type: 'string' }, ...(shown === undefined ? {} : { example: shown }) };
  // The schema is that of the JSON if there are other types too.
  const isFile = (type: string) => type !== json && types.includes(json);
  const content = types.map((one) => [one, isFile(one) ? { schema: unparsedSchema(one) } : media]);
  return { ...Object.fromEntries(content), ...(listOf(route) ? rowContent : {}) };
}

function responsesOf(route: Route, examples: Examples) {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, { description }]) => {
      const content = contentOf(route, status, examples);
      return [status, { description, ...(content ? { content } : {}) }];
    }),
  );
}

/** Describes the `*` as each course's label. */
function serverOf(url: string) {
  if (!url.includes('*')) return { url };
  const label = { default: 'course', description: "The course's own label, which is part of its links." };
  return { url: url.replace('*', '{label}'), variables: { label } };
}

/**
 * Generates the OpenAPI 3.1 document for all routes from the same data that validates requests and filters
 * responses.
 */
export function describe(routes: readonly Route[], about: Interface): object {
  const { responses: problems, withProblems } = openProblemResponses();
  const examples = exampleMaker(about.examples);
  const operationOf = (route: Route) => {
    const { access, scope, additionalScopes = [], sessionsOnly, description } = route;
    const isOpen = access === 'anyone' || access === 'session';
    const parameters = [
      ...parametersOf('query', route.query, examples),
      ...parametersOf('path', route.params, examples),
      ...headersOf(route),
    ];
    const requestBody = requestBodyOf(route, examples);
    return {
      operationId: route.name,
      summary: route.summary,
      ...(description === undefined ? {} : { description }),
      tags: [route.tag],
      ...(route.origin === 'content' ? { servers: [serverOf(about.contentUrl)] } : {}),
      ...(parameters.length > 0 ? { parameters } : {}),
      ...(requestBody ? { requestBody } : {}),
      security: [...(isOpen || sessionsOnly ? [] : [{ key: [] }]), ...(isOpen ? [] : [{ session: [] }])],
      'x-access': access,
      ...(scope === null ? {} : { 'x-scope': [scope, ...additionalScopes].join(' ') }),
      responses: withProblems(route, responsesOf(route, examples)),
    };
  };
  const paths = Map.groupBy(routes, ({ path }) => path.replace('*', `{${rest}}`));
  const described = [...paths].map(([path, group]) => [
    path,
    Object.fromEntries(group.map((route) => [route.method.toLowerCase(), operationOf(route)])),
  ]);
  const used = new Set(routes.map(({ tag }) => tag));
  const sent = Object.entries(about.webhooks).map(([type, { operation, body, fields }]) => {
    const example = { ...Object(examples.make(body)), ...fields };
    const content = { [json]: { schema: body, example } };
    return [type, { post: { ...operation, requestBody: { required: true, content } } }];
  });
  const { info, tags, baseUrl, securitySchemes } = about;
  return nameComponents({
    openapi: '3.1.0',
    info,
    servers: [{ url: baseUrl }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths: Object.fromEntries(described),
    ...(sent.length > 0 ? { webhooks: Object.fromEntries(sent) } : {}),
    components: { securitySchemes, responses: problems },
  });
}

/** Serves an OpenAPI document, which is generated when it is first requested. */
export function serveDescription(app: FastifyInstance, path: string, describe: () => object): void {
  let document: ConstantFile | null = null;
  app.get(path, { config: { logs: 'failures' } }, async (request, reply) => {
    document ??= constantFile('application/json; charset=utf-8', JSON.stringify(describe()));
    return sendConstant(request, reply, document);
  });
}
