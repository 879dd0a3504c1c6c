import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { launchDataId } from '../../../../standards/cmi5/vocabulary.ts';
import { storageLimits } from '../../../../standards/storage-limits.ts';
import { identityOf } from '../../../../standards/xapi/actors.ts';
import { invalid } from '../../../../standards/xapi/invalid.ts';
import type { Agent } from '../../../../standards/xapi/types.ts';
import { isObject } from '../../../../standards/xapi/values.ts';
import { inBatches } from '../../db/batches.ts';
import { deleteOwn, ownRows } from '../../db/own-rows.ts';
import { run, transaction } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { exactMembers } from '../../lib/exact-json.ts';
import type { DocumentUse } from './au-session.ts';
import { checkPreconditions, type Preconditions } from './concurrency.ts';
import {
  agentParameter,
  iriParameter,
  type LrsRequest,
  mediaTypeOf,
  parseDocument,
  requiredParameter,
  uuidParameter,
} from './lrs-request.ts';
import { searchKey } from './stored-statement.ts';

export type DocumentKind = DocumentUse['kind'];

/** Identifies one document, or all documents of a context. */
export type DocumentAddress = {
  kind: DocumentKind;
  agent_key: string;
  activity_key: string;
  /** Null lists states with any registration and states without one. */
  registration: string | null;
  /** Null for all documents of the context. */
  documentId: string | null;
  /** The parts that `checkDocument` of an AU's session needs. */
  use: Omit<DocumentUse, 'action'>;
};

/** The parameters of each resource (Communication 2.3, 2.6, 2.7). */
const resources = {
  state: { id: 'stateId', names: ['activityId', 'agent', 'registration', 'stateId'] },
  activity_profile: { id: 'profileId', names: ['activityId', 'profileId'] },
  agent_profile: { id: 'profileId', names: ['agent', 'profileId'] },
} as const satisfies Record<DocumentKind, { id: string; names: readonly string[] }>;

/** The key of a missing registration, agent or activity, because a primary key has no nulls. */
export const noKey = '00000000-0000-0000-0000-000000000000';

export function documentParameters(kind: DocumentKind): string[] {
  return [...resources[kind].names, 'since'];
}

/** Reads the address from the parameters. If `needsId` is true, they must include the ID of a document. */
export function readAddress(
  kind: DocumentKind,
  { parameters }: LrsRequest,
  needsId: boolean,
): DocumentAddress {
  const { id, names } = resources[kind];
  for (const name of names)
    if (name === 'activityId' || name === 'agent') requiredParameter(parameters, name);
  const agent = agentParameter(parameters);
  const activityId = iriParameter(parameters, 'activityId');
  const registration = uuidParameter(parameters, 'registration');
  const documentId = needsId || parameters[id] !== undefined ? requiredParameter(parameters, id) : null;
  const identity = agent === null ? null : identityOf(agent);
  return {
    kind,
    agent_key: identity === null ? noKey : searchKey('agent', identity),
    activity_key: activityId === null ? noKey : searchKey('activity', activityId),
    registration: registration ?? (documentId === null && kind === 'state' ? null : noKey),
    documentId,
    use: { kind, agent: parameters.agent ?? null, activityId, registration, documentId },
  };
}

type Document = {
  content_type: string;
  content: Buffer;
  etag: string;
  updated_at: Date;
  document_id: string;
  about: string;
};

/** Maximum number of documents per context: of an agent, of an activity, or of both. */
const maxDocuments = 1_000;

const documentKey = (documentId: string) => searchKey('document', documentId);

function selectOne(ctx: TenantContext, address: DocumentAddress & { documentId: string }) {
  return ownRows(ctx, 'xapi_document', {
    kind: address.kind,
    agent_key: address.agent_key,
    activity_key: address.activity_key,
    document_key: documentKey(address.documentId),
    registration: address.registration ?? noKey,
  }).select(['content_type', 'etag', 'updated_at', 'document_id', 'about']);
}

/** The approximate size of a row in the database without its texts, including its index entry. */
const rowBytes = 400;

type Stored = Pick<Document, 'content_type' | 'document_id' | 'about'> & { contentBytes: number };

function bytesOf(row: Stored | null): number {
  if (row === null) return 0;
  return rowBytes + row.contentBytes + Buffer.byteLength(row.document_id + row.about + row.content_type);
}

type OneAddress = DocumentAddress & { documentId: string };

export async function readDocument(ctx: TenantContext, address: OneAddress): Promise<Document | null> {
  const row = await selectOne(ctx, address).select('content').executeTakeFirst();
  return row ? { ...row, content: Buffer.from(row.content) } : null;
}

/** Reads the document without its content, which can be up to 4 MiB in size. */
async function readSummary(ctx: TenantContext, address: OneAddress) {
  const contentBytes = sql<number>`octet_length(content)`.as('contentBytes');
  return (await selectOne(ctx, address).select(contentBytes).executeTakeFirst()) ?? null;
}

const context = `held.tenant_id = $1 and held.kind = $2 and held.agent_key = $3::uuid and held.activity_key = $4::uuid`;

/** The order of the primary key, which lets PostgreSQL use its index. */
const contextOrder = 'held.kind, held.agent_key, held.activity_key, held.document_key, held.registration';

const list = `
select distinct page.document_id, page.updated_at from (
  select held.document_id, held.updated_at from xapi_document held
  where ${context} and ($5::uuid is null or held.registration = $5)
  order by ${contextOrder} limit ${maxDocuments}
) page where $6::timestamptz is null or page.updated_at > $6 order by page.document_id limit ${maxDocuments}`;

const contextOf = ({ kind, agent_key, activity_key }: DocumentAddress) => [kind, agent_key, activity_key];

/**
 * Returns the IDs of the context's documents, and the time of the latest change to any of them. `since` is in
 * microseconds.
 */
export async function listDocuments(
  ctx: TenantContext,
  address: DocumentAddress,
  since: number | null,
): Promise<{ ids: string[]; updatedAt: Date | null }> {
  const after = since === null ? null : new Date(since / 1000);
  const registration = address.kind === 'state' ? address.registration : null;
  const rows = await run<{ document_id: string; updated_at: Date }>(ctx, list, [
    ctx.tenantId,
    ...contextOf(address),
    registration,
    after,
  ]);
  const newest = rows.reduce((latest, { updated_at }) => Math.max(latest, updated_at.getTime()), 0);
  return {
    ids: [...new Set(rows.map(({ document_id }) => document_id))],
    updatedAt: newest === 0 ? null : new Date(newest),
  };
}

const write = `
insert into xapi_document as held (tenant_id, kind, agent_key, activity_key, registration, document_key, document_id,
  content_type, content, etag, updated_at, about)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
on conflict (tenant_id, kind, agent_key, activity_key, document_key, registration) do update set
  content_type = excluded.content_type, content = excluded.content, etag = excluded.etag,
  updated_at = excluded.updated_at`;

const count = `select count(*)::integer as documents from (
  select from xapi_document held where ${context} order by ${contextOrder} limit ${maxDocuments}
) page`;

const lock = `select pg_advisory_xact_lock(hashtextextended($1, 0))`;

/**
 * Only one transaction at a time writes or deletes documents of a context. A row lock would not
 * suffice, because the document may not exist yet, and the number of documents is limited.
 */
async function lockDocuments(ctx: TenantContext, address: DocumentAddress): Promise<void> {
  const name = [ctx.tenantId, ...contextOf(address)].join(' ');
  await run(ctx, lock, [name]);
}

/** `check` runs first and takes the locks that it needs. `countStorage` receives the number of added bytes. */
type Rules = {
  check: (ctx: TenantContext) => Promise<void>;
  countStorage: (ctx: TenantContext, bytes: number) => Promise<void>;
};

type NewContent = { contentType: string; content: Buffer };

/** Writes a document in a transaction. With `merges`, merges JSON objects one level deep (Communication 2.2). */
export function writeDocument(
  ctx: TenantContext,
  address: OneAddress,
  input: NewContent & Rules & { merges: boolean; preconditions: Preconditions },
): Promise<void> {
  return transaction(ctx, async (ctx) => {
    await input.check(ctx);
    await lockDocuments(ctx, address);
    const before = await readSummary(ctx, address);
    checkPreconditions(before, input.preconditions);
    if (before === null) await rejectTooMany(ctx, address);
    const former = before && input.merges && (await readDocument(ctx, address));
    const { contentType, content } = former ? merged(former, input) : input;
    const about = JSON.stringify(address.use);
    const row = {
      document_id: address.documentId,
      about,
      content_type: contentType,
      contentBytes: content.length,
    };
    await input.countStorage(ctx, bytesOf(row) - bytesOf(before));
    const values = [
      ctx.tenantId,
      ...contextOf(address),
      address.registration ?? noKey,
      documentKey(address.documentId),
      address.documentId,
      contentType,
      content,
      hash('sha1', content),
      ctx.now(),
      about,
    ];
    await run(ctx, write, values);
  });
}

async function rejectTooMany(ctx: TenantContext, address: DocumentAddress): Promise<void> {
  const [row] = await run<{ documents: number }>(ctx, count, [ctx.tenantId, ...contextOf(address)]);
  if ((row?.documents ?? 0) < maxDocuments) return;
  throw new Problem(
    'document_limit',
    `This agent and activity already have ${maxDocuments} documents. Delete some first.`,
  );
}

/** Communication 2.2: only JSON objects can be merged. Anything else is rejected. */
function merged(before: Document, { contentType, content: added }: NewContent): NewContent {
  const [older = {}, newer = {}] = [before, { content_type: contentType, content: added }].map((document) => {
    const isJson = mediaTypeOf(document.content_type) === 'application/json';
    const value = isJson ? parseDocument(document.content, 'The stored document') : null;
    return isObject(value)
      ? value
      : invalid(
          'The document',
          'and the stored document must both be JSON objects to be merged. Use PUT to replace the stored document.',
        );
  });
  const content = Buffer.from(JSON.stringify({ ...exactMembers(older), ...exactMembers(newer) }));
  if (content.length > storageLimits.documentBytes)
    invalid('The document', 'would be larger than 4 MiB after merging. Use PUT to replace it.');
  return { contentType, content };
}

export function deleteDocument(
  ctx: TenantContext,
  address: OneAddress,
  input: Rules & { preconditions: Preconditions },
): Promise<void> {
  return transaction(ctx, async (ctx) => {
    await input.check(ctx);
    await lockDocuments(ctx, address);
    const before = await readSummary(ctx, address);
    checkPreconditions(before, input.preconditions);
    await input.countStorage(ctx, -bytesOf(before));
    await deleteOwn(ctx, 'xapi_document', {
      kind: address.kind,
      agent_key: address.agent_key,
      activity_key: address.activity_key,
      document_key: documentKey(address.documentId),
      registration: address.registration ?? noKey,
    }).execute();
  });
}

// Given arrays, the planner expects few rows and looks up each of them.
const deleteSome = `
with old as (
  select held.document_key, held.registration from xapi_document held
  where ${context} and ($5::uuid is null or held.registration = $5) and held.document_key <> $7::uuid
  order by ${contextOrder} limit $6
)
delete from xapi_document held
using unnest(array(select document_key from old), array(select registration from old)) as page (document_key, registration)
where ${context} and held.document_key = page.document_key and held.registration = page.registration
returning 1`;

/** Maximum number of documents deleted in one transaction. */
const deletedRows = 200;

/** Communication 2.3: deletes all states of the context, except the launch data, which only the LMS may delete. */
export async function deleteDocuments(ctx: TenantContext, address: DocumentAddress): Promise<void> {
  await inBatches(ctx, deletedRows, async (ctx, rows) => {
    const kept = documentKey(launchDataId);
    const values = [ctx.tenantId, ...contextOf(address), address.registration, rows, kept];
    return (await run(ctx, deleteSome, values)).length;
  });
}

type OwnState = {
  agent: Agent;
  activityId: string;
  registration: string;
  stateId: string;
  content: object;
};

/** Writes a state document of the service itself in the caller's transaction. Replaces the document if it exists. */
export function writeState(ctx: TenantContext, own: OwnState): Promise<void> {
  const { agent, activityId, registration, stateId } = own;
  const use = { kind: 'state' as const, agent: JSON.stringify(agent), activityId, registration };
  const address = {
    kind: use.kind,
    agent_key: searchKey('agent', identityOf(agent) ?? ''),
    activity_key: searchKey('activity', activityId),
    registration,
    documentId: stateId,
    use: { ...use, documentId: stateId },
  };
  return writeDocument(ctx, address, {
    contentType: 'application/json',
    content: Buffer.from(JSON.stringify(own.content)),
    merges: false,
    preconditions: { ifMatch: undefined, ifNoneMatch: undefined, areRequired: 'never' },
    check: async () => {},
    countStorage: async () => {},
  });
}
