import { listOf } from '../export.ts';
import { idempotencyHeader } from '../idempotency.ts';
import type { Route } from '../routes.ts';
import { rowTypes } from '../rows.ts';
import { ProblemDocument } from '../schema.ts';

const wholeList = {
  schema: { type: 'string', description: 'All pages, by the header Accept; Limit is not used.' },
};
const rowContent = Object.fromEntries(Object.values(rowTypes).map((type) => [type, wholeList]));

const keyHeader = {
  [idempotencyHeader]: {
    type: 'string',
    description:
      'Names this request, 1–255 printable characters. The same request with the same key is done once; its answer is replayed for 24 hours.',
  },
};

const tenantHeader = {
  Tenant: {
    type: 'string',
    description:
      "The tenant to act on: needed with the operator's keys and sessions, and for them only. Percent-encoded when it is not ASCII.",
  },
};

function headersOf({ method, access }: Route) {
  if (access === 'anyone') return {};
  const properties = {
    ...(access === 'tenant' || access === 'either' ? tenantHeader : {}),
    ...(method === 'POST' ? keyHeader : {}),
  };
  return Object.keys(properties).length > 0 ? { headers: { type: 'object', properties } } : {};
}

/** A schema without a type takes the stream itself. */
function streamedBody({ types, description }: NonNullable<Route['streams']>) {
  return { content: Object.fromEntries(types.map((type) => [type, { schema: { description } }])) };
}

function contentOf(types: readonly string[], schema: object) {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

/** What the validator, the serializer and the OpenAPI document need to know of an operation. */
export function schemaOf(route: Route) {
  const { params, query, body, streams, answers } = route;
  const list = listOf(route) !== null;
  const response = Object.fromEntries(
    Object.entries(answers).map(([status, { schema, description, type }]) => [
      status,
      schema && !type
        ? { description, content: { 'application/json': { schema }, ...(list ? rowContent : {}) } }
        : {
            description,
            ...(type
              ? { content: contentOf([type].flat(), schema ?? { type: 'string' }) }
              : { type: 'null' }),
          },
    ]),
  );
  const problem = { 'application/problem+json': { schema: ProblemDocument } };
  return {
    operationId: route.name,
    summary: route.summary,
    tags: [route.tag],
    ...(route.access === 'anyone' ? {} : { security: [{ key: [] }, { session: [] }] }),
    'x-access': route.access,
    ...(route.scope === null ? {} : { 'x-scope': [route.scope, ...(route.also ?? [])].join(' ') }),
    ...(params ? { params } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body } : {}),
    ...(streams ? { body: streamedBody(streams) } : {}),
    ...headersOf(route),
    response: { ...response, default: { description: 'What is wrong, and what to do.', content: problem } },
  };
}
