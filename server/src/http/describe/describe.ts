import type { TSchema } from 'typebox';
import { idempotencyHeader } from '../idempotency.ts';
import type { Route } from '../routes.ts';
import { listOf } from '../rows/export.ts';
import { rowTypes } from '../rows/rows.ts';
import { nameComponents } from './components.ts';
import { exampleMaker, type FieldExamples } from './examples.ts';
import { openProblemResponses } from './problem-responses.ts';

/** The parts of the document besides its operations. */
export type Interface = {
  info: object;
  tags: readonly { name: string; description: string }[];
  baseUrl: string;
  /**
   * The address of the content origin. Its `*`, if any, is a placeholder for each course's label.
   */
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

function requestBodyOf({ body, streams, raw, example, forms }: Route, { make }: Examples) {
  const unparsed = streams ?? raw;
  if (unparsed) {
    const { types, description, examples = {} } = unparsed;
    const schemas: Record<string, TSchema> = raw?.schemas ?? {};
    const content = types.map((type) => [
      type,
      {
        schema: { ...schemas[type], description },
        ...(examples[type] === undefined ? {} : { example: examples[type] }),
      },
    ]);
    return { required: true, content: Object.fromEntries(content) };
  }
  if (!body) return null;
  const { required = [] } = body as { required?: string[] };
  const sent = make(body, '', [...required, ...(example ?? [])]);
  const types = ['application/json', ...(forms ? ['application/x-www-form-urlencoded'] : [])];
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

function contentOf(route: Route, status: string, { make }: Examples) {
  const { schema, type, example } = route.responses[Number(status)] ?? {};
  if (!schema && !type) return null;
  const types = type === undefined ? ['application/json'] : [type].flat();
  const shown = example ?? (schema ? make(schema) : undefined);
  const media = { schema: schema ?? { type: 'string' }, ...(shown === undefined ? {} : { example: shown }) };
  return { ...Object.fromEntries(types.map((one) => [one, media])), ...(listOf(route) ? rowContent : {}) };
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
  const sent = Object.entries(about.webhooks).map(([type, { operation, body, fields }]) => {
    const example = { ...Object(examples.make(body)), ...fields };
    const content = { 'application/json': { schema: body, example } };
    return [type, { post: { ...operation, requestBody: { required: true, content } } }];
  });
  const { info, tags, baseUrl, securitySchemes } = about;
  return nameComponents({
    openapi: '3.1.0',
    info,
    servers: [{ url: baseUrl }],
    tags,
    paths: Object.fromEntries(described),
    webhooks: Object.fromEntries(sent),
    components: { securitySchemes, responses: problems },
  });
}
