import type { FastifyRequest } from 'fastify';
import { toProblem } from '../../http/problems.ts';
import type { RouteResponse } from '../../http/routes.ts';
import type { Context } from '../../infra/context/context.ts';
import type { Problem } from '../../lib/errors.ts';
import type { Resource } from './json.ts';

export const scimPath = '/scim/v2';
const messages = 'urn:ietf:params:scim:api:messages:2.0';
export const schemaIds = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  enterprise: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
} as const;

type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

/** RFC 7644 §3.12. The message says what to send. */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;
  constructor(status: number, message: string, scimType?: ScimType) {
    super(message);
    this.status = status;
    this.scimType = scimType;
  }
}

export const refuse = (scimType: ScimType, message: string): never => {
  throw new ScimError(400, message, scimType);
};

export const notFound = (what: string): ScimError =>
  new ScimError(404, `There is no ${what} with this id. Read it by a filter, or create it.`);

const typeOf = ({ status }: Problem): ScimType | undefined =>
  status === 409 ? 'uniqueness' : status === 422 || status === 400 ? 'invalidValue' : undefined;

export const contentType = 'application/scim+json; charset=utf-8';

const answer = (status: number, body?: Resource, headers: Record<string, string> = {}): RouteResponse => ({
  status,
  ...(body && { body: JSON.stringify(body) }),
  headers: { 'Content-Type': contentType, ...headers },
});

export const found = (resource: Resource) => answer(200, resource);
export const made = (resource: Resource) => {
  const { location } = resource.meta as { location: string };
  return answer(201, resource, { Location: location });
};
export const done: RouteResponse = { status: 204 };

/** The SCIM error body of anything that was thrown; null if the cause belongs into the log only. */
export function errorBody(error: unknown): { status: number; body: Resource } | null {
  const known = error instanceof ScimError ? error : null;
  const problem = known ? null : toProblem(error);
  const status = known?.status ?? (problem?.status === 422 ? 400 : problem?.status);
  if (status === undefined) return null;
  const scimType = known ? known.scimType : problem ? typeOf(problem) : undefined;
  const detail = known?.message ?? problem?.message;
  return {
    status,
    body: { schemas: [`${messages}:Error`], status: String(status), ...(scimType && { scimType }), detail },
  };
}

type Page = { startIndex: number; count: number; total: () => Promise<number> };

/** Counts only if the page does not show how many there are. */
export async function listOf(resources: Resource[], { startIndex, count, total }: Page): Promise<Resource> {
  const isWhole = startIndex === 1 && resources.length < count;
  return {
    schemas: [`${messages}:ListResponse`],
    totalResults: isWhole ? resources.length : await total(),
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  };
}

export const maxResults = 200;

/** RFC 7644 §3.4.2.4. Values below the minimum are raised to it. */
export function pageOf({ query }: FastifyRequest): { startIndex: number; count: number } {
  const { startIndex, count } = query as Record<string, unknown>;
  const whole = (value: unknown, preset: number) => {
    const number = Number(value ?? preset);
    return Number.isInteger(number)
      ? number
      : refuse('invalidValue', 'startIndex and count must be integers.');
  };
  return {
    startIndex: Math.max(1, whole(startIndex, 1)),
    count: Math.min(maxResults, Math.max(0, whole(count, 100))),
  };
}

export function metaOf(
  ctx: Context,
  type: 'User' | 'Group',
  { id, created, changed }: { id: string; created: Date; changed: Date },
): Resource {
  return {
    resourceType: type,
    created: created.toISOString(),
    lastModified: changed.toISOString(),
    location: `${ctx.config.baseUrl}${scimPath}/${type}s/${id}`,
  };
}

const namesIn = (text: unknown) =>
  typeof text === 'string' ? text.split(',').map((name) => name.trim().toLowerCase()) : null;

/** RFC 7644 §3.9: `attributes` and `excludedAttributes`, on the first level. */
export function selected({ query }: FastifyRequest, resource: Resource): Resource {
  const { attributes, excludedAttributes } = query as Record<string, unknown>;
  const [wanted, excluded] = [namesIn(attributes), namesIn(excludedAttributes)];
  if (!wanted && !excluded) return resource;
  const always = ['schemas', 'id'];
  const isNamed = (names: string[], name: string) =>
    names.some((one) => one === name || one.startsWith(`${name}.`) || one.startsWith(`${name}:`));
  const entries = Object.entries(resource).filter(([key]) => {
    const name = key.toLowerCase();
    if (always.includes(name)) return true;
    return wanted ? isNamed(wanted, name) : !excluded?.includes(name);
  });
  return Object.fromEntries(entries);
}

export function wantsMembers({ query }: FastifyRequest): boolean {
  const { attributes, excludedAttributes } = query as Record<string, unknown>;
  const [wanted, excluded] = [namesIn(attributes), namesIn(excludedAttributes)];
  return wanted ? wanted.some((name) => name.startsWith('members')) : !excluded?.includes('members');
}
