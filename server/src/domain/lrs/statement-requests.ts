import type { FastifyReply } from 'fastify';
import { invalid } from '../../../../standards/xapi/invalid.ts';
import { readStatement } from '../../../../standards/xapi/statements.ts';
import { writeInstant } from '../../../../standards/xapi/times.ts';
import type { Json, Statement } from '../../../../standards/xapi/types.ts';
import type { RouteResponse } from '../../http/routes.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { matchAttachments, partsBySha2, readAttachments } from './attachments.ts';
import {
  consistentThrough,
  cursorParameter,
  type FoundStatement,
  listStatements,
  readCursor,
  readFilter,
  readFormat,
  readStatementById,
  showStatements,
  singleParameters,
  writeCursor,
} from './list-statements.ts';
import {
  authorityOf,
  type LrsRequest,
  mediaTypeOf,
  parseBody,
  requiredParameter,
  truthParameter,
  uuidParameter,
} from './lrs-request.ts';
import { boundaryOf, type Part, readParts, writeParts } from './multipart.ts';
import { checkSignatures } from './signatures.ts';
import { type PreparedStatements, prepareStatements } from './store-statements.ts';
import { storeWithCompletions } from './vendor-completions.ts';

/** Communication 1.5: reads JSON, either alone or followed by the contents of attachments. */
function readBody({ body, contentType }: LrsRequest): { json: Json; parts: Map<string, Part> } {
  const type = mediaTypeOf(contentType);
  if (type === 'application/json') return { json: parseBody(body), parts: new Map() };
  if (type !== 'multipart/mixed')
    invalid('Content-Type', 'must be application/json, or multipart/mixed with attachments.');
  const [first, ...others] = readParts(body, boundaryOf(contentType));
  if (!first || mediaTypeOf(first.headers['content-type'] ?? '') !== 'application/json')
    invalid('The body', 'must begin with a part of the type application/json.');
  return { json: parseBody(first.content), parts: partsBySha2(others) };
}

/** Maximum number of statements in a request. */
const maxStatements = 1_000;

function readBatch(json: Json, edition: LrsRequest['edition']): Statement[] {
  if (!Array.isArray(json)) return [readStatement(json, edition)];
  if (json.length > maxStatements)
    invalid('The body', `has more than ${maxStatements} statements. Split it into several requests.`);
  const statements = json.map((item, at) => readStatement(item, edition, `[${at}]`));
  const ids = statements.flatMap(({ id }) => (id === undefined ? [] : [id.toLowerCase()]));
  if (new Set(ids).size < ids.length) invalid('The body', 'has two statements with the same id.');
  return statements;
}

async function prepare(
  ctx: TenantContext,
  request: LrsRequest,
  statements: readonly Statement[],
  parts: Map<string, Part>,
) {
  const { edition, caller } = request;
  await checkSignatures(statements, parts, edition);
  const identified = statements.map((statement) => ({
    ...statement,
    id: statement.id?.toLowerCase() ?? newId(ctx.now()),
  }));
  return prepareStatements(ctx, {
    statements: identified,
    sent: statements,
    authority: authorityOf(ctx, caller),
    edition,
    attachments: matchAttachments(identified, parts),
    ...(caller.kind === 'au' ? { session: caller.session } : {}),
  });
}

/** Reads the body before a transaction begins. */
export async function preparePost(ctx: TenantContext, request: LrsRequest): Promise<PreparedStatements> {
  const { json, parts } = readBody(request);
  return prepare(ctx, request, readBatch(json, request.edition), parts);
}

/** Communication 2.1.2. */
export async function postStatements(
  ctx: TenantContext,
  prepared: PreparedStatements,
): Promise<RouteResponse> {
  const ids = await storeWithCompletions(ctx, prepared);
  return { status: 200, body: JSON.stringify(ids), headers: { 'Content-Type': 'application/json' } };
}

/** Communication 2.1.1. */
export async function putStatement(ctx: TenantContext, request: LrsRequest): Promise<RouteResponse> {
  requiredParameter(request.parameters, 'statementId');
  const id = uuidParameter(request.parameters, 'statementId') ?? '';
  const { json, parts } = readBody(request);
  const statement = readStatement(json, request.edition);
  if (statement.id !== undefined && statement.id.toLowerCase() !== id)
    invalid('statementId', 'differs from the id of the statement.');
  await storeWithCompletions(ctx, await prepare(ctx, request, [{ ...statement, id }], parts));
  return { status: 204 };
}

/** Communication 2.1.3: sets the header that every response needs. Its value must be read before the statements. */
export async function setConsistentThrough(ctx: TenantContext, reply: FastifyReply): Promise<void> {
  void reply.header('X-Experience-API-Consistent-Through', await consistentThrough(ctx));
}

/** Communication 2.1.3. */
export async function getStatements(ctx: TenantContext, request: LrsRequest): Promise<RouteResponse> {
  const { parameters } = request;
  const isSingle = parameters.statementId !== undefined || parameters.voidedStatementId !== undefined;
  return isSingle ? getSingle(ctx, request) : getList(ctx, request);
}

async function getSingle(ctx: TenantContext, request: LrsRequest): Promise<RouteResponse> {
  const { parameters, caller } = request;
  const other = Object.keys(parameters).find((name) => !singleParameters.includes(name));
  if (other !== undefined) invalid(other, 'cannot be combined with statementId or voidedStatementId.');
  const id = uuidParameter(parameters, 'statementId');
  const voided = uuidParameter(parameters, 'voidedStatementId');
  if (id !== null && voided !== null) invalid('statementId', 'cannot be combined with voidedStatementId.');
  const format = readFormat(parameters.format);
  const withAttachments = truthParameter(parameters, 'attachments');
  const found = await readStatementById(ctx, {
    id: id ?? voided ?? '',
    voided: id === null,
    registration: caller.kind === 'au' ? caller.session.registration : null,
  });
  if (!found)
    throw new Problem('statement_not_found', `The statement ${id ?? voided} does not exist. Check its ID.`);
  const [text = ''] = await showStatements(ctx, [found], { format, acceptLanguage: request.acceptLanguage });
  return answer(ctx, text, [found], withAttachments);
}

async function getList(ctx: TenantContext, request: LrsRequest): Promise<RouteResponse> {
  const filter = readFilter(request);
  const { rows, next } = await listStatements(ctx, filter, readCursor(request.parameters[cursorParameter]));
  const shown = await showStatements(ctx, rows, {
    format: filter.format,
    acceptLanguage: request.acceptLanguage,
  });
  const more = next === null ? '' : moreLink(request.parameters, next);
  const text = `{"statements":[${shown.join(',')}],"more":${JSON.stringify(more)}}`;
  return answer(ctx, text, rows, filter.attachments);
}

/**
 * Returns a link to the next page: the same query with a position. Statements stored in the
 * meantime do not affect it.
 */
function moreLink(parameters: LrsRequest['parameters'], next: number): string {
  const query = new URLSearchParams({ ...parameters, [cursorParameter]: writeCursor(next) });
  return `/xapi/statements?${query}`;
}

/** IEEE 9274.1.1: Last-Modified is the time of the newest statement in the response. */
async function answer(
  ctx: TenantContext,
  text: string,
  rows: readonly FoundStatement[],
  withAttachments: boolean,
): Promise<RouteResponse> {
  const newest = rows.reduce((latest, { position }) => Math.max(latest, position), 0);
  const modified = newest === 0 ? {} : { 'Last-Modified': writeHttpDate(newest) };
  if (!withAttachments)
    return { status: 200, body: text, headers: { 'Content-Type': 'application/json', ...modified } };
  const attachments = await readAttachments(
    ctx,
    rows.map(({ statement_id }) => statement_id),
  );
  const { contentType, body } = writeParts([
    { headers: { 'Content-Type': 'application/json' }, content: Buffer.from(text) },
    ...attachments.map(({ sha2, content_type, content }) => ({
      headers: {
        'Content-Type': content_type,
        'Content-Transfer-Encoding': 'binary',
        'X-Experience-API-Hash': sha2,
      },
      content,
    })),
  ]);
  return { status: 200, body, headers: { 'Content-Type': contentType, ...modified } };
}

function writeHttpDate(micros: number): string {
  return new Date(writeInstant(micros)).toUTCString();
}
