import { type ErrorCode, errorCodes } from '../../lib/errors.ts';
import type { Route } from '../routes.ts';
import { ProblemDocument } from '../validation/schema.ts';

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
  /**
   * The response stored for the Idempotency-Key was about a user or tenant that has since been
   * erased.
   */
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
export function openProblemResponses() {
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
