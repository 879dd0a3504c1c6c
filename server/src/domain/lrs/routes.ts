import type { FastifyReply } from 'fastify';
import type { TSchema } from 'typebox';
import { storageLimits } from '../../../../standards/storage-limits.ts';
import { InvalidXapi } from '../../../../standards/xapi/invalid.ts';
import { type Address, type Route, type RouteResponse, route } from '../../http/routes.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { type ErrorCode, Problem } from '../../lib/errors.ts';
import { getDocument, postDocument, putDocument, removeDocument } from './document-requests.ts';
import { type DocumentKind, documentParameters } from './documents.ts';
import { exampleActivity, exampleState, exampleStatement, storedExample } from './examples.ts';
import { cursorParameter, listParameters, singleParameters } from './list-statements.ts';
import { getAbout, getActivity, getAgent } from './lookup-requests.ts';
import { type LrsRequest, readRequest } from './lrs-request.ts';
import {
  About,
  Activity,
  activityQuery,
  agentQuery,
  DocumentResponse,
  documentQuery,
  Person,
  putQuery,
  StatementBody,
  StatementIDs,
  StatementResponse,
  statementQuery,
} from './schemas.ts';
import {
  getStatements,
  postStatements,
  preparePost,
  putStatement,
  setConsistentThrough,
} from './statement-requests.ts';

type Spec<Prepared> = Pick<Route, 'summary' | 'description' | 'responses' | 'raw' | 'events' | 'audits'> & {
  query?: TSchema;
  parameters: readonly string[];
  problems?: readonly ErrorCode[];
  /** Sets headers on all responses, even if the request is invalid. */
  begin?: (ctx: TenantContext, reply: FastifyReply) => Promise<void>;
  /** The part of the work that needs no transaction. */
  prepare?: (ctx: TenantContext, request: LrsRequest) => Promise<Prepared>;
  handle: (ctx: TenantContext, request: LrsRequest, prepared: Prepared) => Promise<RouteResponse>;
};

const headers = {
  'X-Experience-API-Version': {
    description: 'The version of xAPI: 1.0.x or 2.0.x. The versions differ in some rules.',
    example: '2.0.0',
  },
};

/** Checks requests by the rules of xAPI instead of a schema, because every invalid request must get a 400. */
function resource<Prepared = undefined>(
  address: Address,
  name: string,
  { parameters, begin, prepare, handle, problems = [], events = [], audits, ...spec }: Spec<Prepared>,
): Route {
  const writes = !address.startsWith('GET ');
  return route(address, name, {
    ...spec,
    tag: 'xAPI',
    access: 'tenant',
    scope: writes ? 'xapi:write' : 'xapi:read',
    forms: true,
    headers,
    ...(spec.raw ? { bodyLimit: storageLimits.documentBytes } : {}),
    problems: ['xapi_invalid', 'cmi5_violation', ...problems],
    ...(writes ? { events, ...(audits ? { audits } : {}) } : {}),
    prepare: async (ctx, { request }) =>
      prepare && withProblems(async () => prepare(ctx, await readRequest(request, parameters))),
    handle: (ctx, { request, prepared }, reply) =>
      withProblems(async () => {
        await begin?.(ctx, reply);
        return handle(ctx, await readRequest(request, parameters), prepared as Prepared);
      }),
  });
}

async function withProblems<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidXapi) throw new Problem('xapi_invalid', error.message);
    throw error;
  }
}

const json = 'application/json';
const multipart = 'multipart/mixed';

const statementBody = {
  types: [json, multipart],
  schemas: { [json]: StatementBody },
  description:
    'A statement or, in a POST, an array of up to 1,000; in multipart/mixed, followed by the contents of the attachments.',
  examples: { [json]: exampleStatement },
};

/** A content vendor's statement may complete a course by its ActivityID. */
const completing = { events: ['completion.recorded'], audits: ['completion.recorded'] } as const;

const statements = [
  resource('GET /xapi/statements', 'getStatements', {
    summary: 'Read statements',
    description:
      'Newest first. The response has the header X-Experience-API-Consistent-Through: everything stored up to that time is included.',
    query: statementQuery,
    parameters: [...listParameters, ...singleParameters, cursorParameter],
    responses: {
      200: {
        description: 'A page of statements, or the statement with the requested ID.',
        schema: StatementResponse,
        type: [json, multipart],
        example: { statements: [storedExample], more: '' },
      },
    },
    problems: ['statement_not_found'],
    begin: setConsistentThrough,
    handle: getStatements,
  }),
  resource('PUT /xapi/statements', 'putStatement', {
    summary: 'Store a statement with an ID that you choose',
    description: 'Repeating the request is safe: an identical statement that already exists is kept.',
    query: putQuery,
    parameters: ['statementId'],
    raw: statementBody,
    responses: { 204: { description: 'The statement is stored.' } },
    problems: ['statement_conflict', 'storage_limit'],
    ...completing,
    handle: putStatement,
  }),
  resource('POST /xapi/statements', 'postStatements', {
    summary: 'Store statements',
    description:
      'Stores all of the statements or none. Identical statements that already exist are skipped, so repeating the request is safe if the statements have IDs.',
    parameters: [],
    raw: statementBody,
    responses: {
      200: {
        description: 'The IDs of the statements, in order.',
        schema: StatementIDs,
        type: json,
        example: [exampleStatement.id],
      },
    },
    problems: ['statement_conflict', 'storage_limit'],
    ...completing,
    prepare: preparePost,
    handle: (ctx, _, prepared) => postStatements(ctx, prepared),
  }),
];

/** The same four operations for each kind of document. */
function documents(kind: DocumentKind, path: `/${string}`, noun: string, title: string): Route[] {
  const common = { query: documentQuery(kind, 'required'), parameters: documentParameters(kind) };
  const listable = { ...common, query: documentQuery(kind, 'optional') };
  const raw = {
    types: [json, 'application/octet-stream'],
    description: 'The document, of any content type.',
    examples: { [json]: exampleState },
  };
  return [
    resource(`GET ${path}`, `get${noun}`, {
      ...listable,
      summary: `Read ${title}, or list the IDs`,
      description:
        "If the query contains no ID, returns the list of IDs. The ETag identifies a document's version.",
      responses: {
        200: {
          description: 'The document with its ETag, or the IDs.',
          schema: DocumentResponse,
          type: [json, 'application/octet-stream'],
          example: ['resume'],
        },
      },
      problems: ['document_not_found'],
      handle: (ctx, request) => getDocument(ctx, kind, request),
    }),
    resource(`PUT ${path}`, `put${noun}`, {
      ...common,
      summary: `Store ${title}`,
      description: 'To replace the version that you have read, send its ETag in If-Match.',
      raw,
      responses: { 204: { description: 'The document is stored.' } },
      problems: ['precondition_failed', 'document_conflict', 'document_limit', 'storage_limit'],
      handle: (ctx, request) => putDocument(ctx, kind, request),
    }),
    resource(`POST ${path}`, `post${noun}`, {
      ...common,
      summary: `Merge a JSON object into ${title}`,
      description:
        'Properties of the object replace those of the stored object. All other properties are kept. If there is no document yet, the object is stored.',
      raw,
      responses: { 204: { description: 'The document is stored.' } },
      problems: ['precondition_failed', 'document_limit', 'storage_limit'],
      handle: (ctx, request) => postDocument(ctx, kind, request),
    }),
    resource(`DELETE ${path}`, `delete${noun}`, {
      ...(kind === 'state' ? listable : common),
      summary: `Delete ${title}`,
      description:
        kind === 'state'
          ? 'Without a stateId, all states of the agent and activity are deleted. Repeating the request is safe.'
          : 'Repeating the request is safe.',
      responses: { 204: { description: 'The document no longer exists.' } },
      problems: ['precondition_failed'],
      handle: (ctx, request) => removeDocument(ctx, kind, request),
    }),
  ];
}

const lookups = [
  resource('GET /xapi/agents', 'getAgents', {
    summary: 'Read what is known about an agent',
    description: "The identifier, and the agent's names in recent statements.",
    query: agentQuery,
    parameters: ['agent'],
    responses: {
      200: {
        description: 'The agent as a Person.',
        schema: Person,
        type: json,
        example: { objectType: 'Person', account: [exampleStatement.actor.account] },
      },
    },
    handle: getAgent,
  }),
  resource('GET /xapi/activities', 'getActivities', {
    summary: 'Read what is known about an activity',
    description: 'The definitions in all statements, merged. An unknown activity has only its ID.',
    query: activityQuery,
    parameters: ['activityId'],
    responses: {
      200: {
        description: 'The activity with its definition.',
        schema: Activity,
        type: json,
        example: exampleActivity,
      },
    },
    handle: getActivity,
  }),
  route('GET /xapi/about', 'getAbout', {
    summary: 'Read the supported versions of xAPI',
    description: 'Needs neither a key nor the version header.',
    tag: 'xAPI',
    access: 'anyone',
    scope: null,
    responses: { 200: { description: 'The versions, newest first.', schema: About, type: json } },
    handle: async () => getAbout(),
  }),
];

export const xapiRoutes: readonly Route[] = [
  ...statements,
  ...documents('state', '/xapi/activities/state', 'State', 'the state of an activity'),
  ...documents(
    'activity_profile',
    '/xapi/activities/profile',
    'ActivityProfile',
    'the profile of an activity',
  ),
  ...documents('agent_profile', '/xapi/agents/profile', 'AgentProfile', 'the profile of an agent'),
  ...lookups,
];
