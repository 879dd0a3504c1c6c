import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import type { JsonShape } from '../../../../standards/json-shape.ts';
import { readAgent } from '../../../../standards/xapi/actors.ts';
import { invalid } from '../../../../standards/xapi/invalid.ts';
import { readInstant } from '../../../../standards/xapi/times.ts';
import type { Actor, Agent, Edition, Json } from '../../../../standards/xapi/types.ts';
import { isIri, isUuid } from '../../../../standards/xapi/values.ts';
import type { Authenticate } from '../../http/serve/dispatch.ts';
import { checkShape } from '../../http/validation/validation.ts';
import type { Context } from '../../infra/context/context.ts';
import { parseExact } from '../../lib/exact-json.ts';
import { isStorable } from '../../lib/unicode.ts';
import { basicKeyCaller } from '../identity/authenticate.ts';
import type { AuSession, FindAuSession, LrsCaller } from './au-session.ts';

declare module 'fastify' {
  interface FastifyRequest {
    auSession: AuSession | null;
  }
}

/** Communication 4.0: accepts an AU's token, a key sent by HTTP Basic, or any credentials that the API accepts. */
export function lrsAuthenticate(other: Authenticate, findAuSession: FindAuSession): Authenticate {
  return async (ctx, request) => {
    const [, token] = /^(?:Basic|Bearer) +(\S{1,4096})$/i.exec(request.headers.authorization ?? '') ?? [];
    const au = token === undefined ? null : await findAuSession(ctx, token);
    request.auSession = au?.session ?? null;
    return au?.caller ?? (await basicKeyCaller(ctx, request)) ?? (await other(ctx, request));
  };
}

function lrsCallerOf({ auSession, caller }: FastifyRequest): LrsCaller {
  return auSession ? { kind: 'au', session: auSession } : { kind: 'key', keyId: caller?.keyId ?? '' };
}

/**
 * Data 2.4.9: returns the authority of a statement. For a statement sent with an API key, the authority is
 * that key, even if the statement names another authority.
 */
export function authorityOf(ctx: Context, caller: LrsCaller): Agent {
  if (caller.kind === 'au') return caller.session.authority;
  return { objectType: 'Agent', account: { homePage: ctx.homePage, name: caller.keyId } };
}

/** A request to the LRS, whose body is not parsed yet. */
export type LrsRequest = {
  edition: Edition;
  caller: LrsCaller;
  /** The query. Each parameter occurs once. */
  parameters: Readonly<Record<string, string>>;
  contentType: string;
  body: Buffer;
  acceptLanguage: string | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
};

/** Communication 3.3: accepts every patch version. The response uses the latest patch version. */
export function editionOf(header: unknown): Edition | null {
  if (typeof header !== 'string') return null;
  if (/^1\.0(?:\.\d+)?$/.test(header)) return '1.0.3';
  return /^2\.0(?:\.\d+)?$/.test(header) ? '2.0.0' : null;
}

const versionHeader = 'x-experience-api-version';

/** Returns the version header of a response. A request without the header is treated as version 0.9 and rejected. */
export function answeredVersion({ headers, url }: FastifyRequest): string {
  const header = headers[versionHeader];
  if (header === undefined) return /\/about\/?(?:\?|$)/.test(url) ? '2.0.0' : '0.9';
  return editionOf(header) ?? '2.0.0';
}

/** Reads the parts that are common to all requests. `known` lists the parameters of the resource. */
export async function readRequest(request: FastifyRequest, known: readonly string[]): Promise<LrsRequest> {
  const { headers, body } = request;
  const edition = editionOf(headers[versionHeader]);
  if (!edition)
    invalid('X-Experience-API-Version', 'must be 1.0.x or 2.0.x. Send this header with every request.');
  const caller = lrsCallerOf(request);
  return {
    edition,
    caller,
    parameters: readParameters(await withoutLaunch(caller, request.query, known), known),
    contentType: headers['content-type'] ?? '',
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
    acceptLanguage: headers['accept-language'],
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
  };
}

/** Removes the parameters of an AU's own launch URL, because TinCanJS repeats them in every call. */
async function withoutLaunch(
  caller: LrsCaller,
  query: unknown,
  known: readonly string[],
): Promise<Record<string, unknown>> {
  const entries = Object.entries((query ?? {}) as Record<string, unknown>);
  if (caller.kind !== 'au' || entries.every(([name]) => known.includes(name)))
    return Object.fromEntries(entries);
  const launch = await caller.session.launchParameters();
  return Object.fromEntries(entries.filter(([name]) => known.includes(name) || !launch.has(name)));
}

/** Communication 3.2: rejects unknown parameters, including known ones with different capitalisation. */
function readParameters(query: Record<string, unknown>, known: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      if (!known.includes(name)) invalid(name, `is not a parameter here. Use one of ${known.join(', ')}.`);
      if (typeof value !== 'string') invalid(name, 'must be sent only once.');
      if (!isStorable(value)) invalid(name, 'contains characters that cannot be stored.');
      return [name, value];
    }),
  );
}

type Parameters = LrsRequest['parameters'];

export function requiredParameter(parameters: Parameters, name: string): string {
  return parameters[name] || invalid(name, 'is missing. Send this parameter.');
}

export function iriParameter(parameters: Parameters, name: string): string | null {
  const value = parameters[name];
  if (value === undefined) return null;
  return isIri(value) ? value : invalid(name, 'must be an absolute IRI.');
}

export function uuidParameter(parameters: Parameters, name: string): string | null {
  const value = parameters[name];
  if (value === undefined) return null;
  return isUuid(value) ? value.toLowerCase() : invalid(name, 'must be a UUID.');
}

/** Microseconds since 1970. */
export function instantParameter(parameters: Parameters, name: string): number | null {
  const value = parameters[name];
  if (value === undefined) return null;
  // In a query, + means a space, but clients send it unescaped in time zone offsets.
  return (
    readInstant(value.replace(/ (?=\d\d:?\d\d$)/, '+')) ??
    invalid(name, 'must be a timestamp such as 2026-01-31T09:00:00Z.')
  );
}

export function agentParameter(parameters: Parameters, name = 'agent'): Actor | null {
  const value = parameters[name];
  return value === undefined ? null : readAgent(parseJson(value, name), name);
}

export function truthParameter(parameters: Parameters, name: string): boolean {
  const value = parameters[name] ?? 'false';
  if (value !== 'true' && value !== 'false') invalid(name, 'must be true or false.');
  return value === 'true';
}

/** Large enough for a batch of 1,000 statements. */
const jsonShape: JsonShape = { depth: 100, values: 200_000 };
/** Smaller, because other requests wait while a document is merged. */
const documentShape: JsonShape = { ...jsonShape, values: 20_000 };

function parseJson(text: string, what: string, shape = jsonShape): Json {
  checkShape(text, shape);
  try {
    return parseExact(text) as Json;
  } catch {
    return invalid(what, 'is not valid JSON.');
  }
}

/** Communication 1.4: the body must be UTF-8. */
export function parseBody(body: Buffer, what = 'The body', shape = jsonShape): Json {
  if (!isUtf8(body)) invalid(what, 'is not UTF-8.');
  return parseJson(body.toString(), what, shape);
}

export function parseDocument(content: Buffer, what = 'The body'): Json {
  return parseBody(content, what, documentShape);
}

/** The media type without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}
