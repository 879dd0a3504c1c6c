import { comparable, isSame } from '../../../../standards/xapi/equality.ts';
import { invalid } from '../../../../standards/xapi/invalid.ts';
import type { Agent, Edition, Statement } from '../../../../standards/xapi/types.ts';
import { ownRows } from '../../db/own-rows.ts';
import { isInTransaction, run, transaction } from '../../db/transaction.ts';
import { byTenant, type Call, contextOf, openQueue } from '../../infra/calls/queue.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { addDefinitions, checkDefinitions, rememberDefinitions } from './activity-definitions.ts';
import { insertAttachments, type NewAttachment } from './attachments.ts';
import type { AuSession } from './au-session.ts';
import {
  type ConflictingStatement,
  maxComparedBytes,
  maxFollowed,
  type Outcome,
  type StatementRow,
  storeForTenants,
  storeValues,
} from './store-function.ts';
import { type CompleteStatement, complete, rowOf } from './stored-statement.ts';

/** Statements that are stored together or not at all. */
export type NewStatements = {
  statements: readonly Statement[];
  /** The same statements as sent, which may lack IDs. */
  sent?: readonly Statement[];
  authority: Agent;
  edition: Edition;
  attachments?: readonly NewAttachment[];
  /** The AU that sends them; absent for a key and for the LMS's own statements. */
  session?: AuSession;
};

/** Valid statements with their rows, for `storePrepared`. */
export type PreparedStatements = { input: NewStatements; entries: readonly Entry[] };

/** Completes and checks valid statements. This takes most of the time and needs no transaction. */
export function prepareStatements(ctx: TenantContext, input: NewStatements): PreparedStatements {
  const { authority, edition, statements } = input;
  const all = statements.map((statement) =>
    complete(statement, { id: statement.id?.toLowerCase() ?? newId(ctx.now()), authority, edition }),
  );
  checkAttachments(input.attachments ?? []);
  const entries = all.map((statement) => ({ statement, row: rowOf(statement, input.attachments) }));
  checkKeys(entries);
  checkDefinitions(all);
  return { input, entries };
}

/**
 * Stores the statements and returns their IDs, in order (Communication 2.1.1 and 2.1.2). If a statement with
 * the ID already exists, an identical statement is skipped, and a different one is rejected with a 409. In a
 * transaction, this must be the last step, because it blocks all other writers of the tenant's statements.
 */
export async function storePrepared(
  ctx: TenantContext,
  { input, entries }: PreparedStatements,
): Promise<string[]> {
  const isPlain = !input.session && !input.attachments?.length;
  if (entries.length === 0) return [];
  if (isPlain && !isInTransaction(ctx)) await storePlain(ctx, entries);
  else await storeWithMore(ctx, input, entries);
  return entries.map(({ statement }) => statement.id);
}

/** Prepares and stores statements in one step, for example the LMS's own. */
export async function storeStatements(ctx: TenantContext, input: NewStatements): Promise<string[]> {
  return storePrepared(ctx, await prepareStatements(ctx, input));
}

/** A statement and its row. Creating the row is half the cost of a statement, so it is done only once. */
type Entry = { statement: CompleteStatement; row: StatementRow };

/** Maximum number of keys per statement and per request. Each agent and activity is a separate row. */
const maxKeysOfStatement = 2_000;
const maxKeys = 10_000;
/** Maximum number of attachments in a request. A part can be an attachment of many statements, and each takes a row. */
const maxAttachments = 1_000;
const maxAttachmentBytes = 8 * 1024 ** 2;

function checkAttachments(attachments: readonly NewAttachment[]): void {
  if (attachments.length > maxAttachments)
    invalid('The body', `contains more than ${maxAttachments} attachments. Split it into several requests.`);
  if (attachments.reduce((sum, { content }) => sum + content.length, 0) > maxAttachmentBytes)
    invalid(
      'The body',
      'contains attachments of more than 8 MiB, counted once for each statement. Split it into several requests.',
    );
}

function checkKeys(entries: readonly Entry[]): void {
  const counts = entries.map(({ row }) => row.keys.length);
  if (counts.some((count) => count > maxKeysOfStatement))
    invalid('The statement', `mentions more than ${maxKeysOfStatement} agents and activities.`);
  if (counts.reduce((sum, count) => sum + count, 0) > maxKeys)
    invalid(
      'The body',
      `mentions more than ${maxKeys} agents and activities. Split it into several requests.`,
    );
}

/** Concurrent requests of a tenant share a call of the database function. */
async function storePlain(ctx: TenantContext, entries: readonly Entry[]): Promise<void> {
  let left = entries;
  while (left.length > 0) {
    const conflicts = await storeRequest(ctx, left);
    if (conflicts.length === 0) break;
    const existing = conflicts.flatMap(({ payload, ...conflict }) =>
      payload === null ? [] : [{ ...conflict, payload }],
    );
    const isComplete = existing.length === conflicts.length;
    left = withoutSame(left, isComplete ? existing : await findExisting(ctx, left));
  }
  // Add definitions afterwards, because rejected statements define nothing.
  const statements = entries.map(({ statement }) => statement);
  rememberDefinitions(ctx, await addDefinitions(ctx, statements));
}

/** Retries are needed because two requests may add the same statement at the same time. */
const maxAttempts = 3;

class StoredMeanwhile extends Error {}

async function storeWithMore(
  ctx: TenantContext,
  input: NewStatements,
  entries: readonly Entry[],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const added = await transaction(ctx, (ctx) => storeInTransaction(ctx, input, entries));
      // An outer transaction may still be rolled back.
      if (!isInTransaction(ctx)) rememberDefinitions(ctx, added);
      return;
    } catch (error) {
      if (!(error instanceof StoredMeanwhile) || attempt === maxAttempts) throw error;
    }
  }
}

/** The approximate size of a row in the database without its texts, including its index entry. */
const rowBytes = 200;
/** A request of an AU may inherit this many keys per statement from the statements that it refers to. */
const maxFollowedOfAu = 50;

const bytesOf = ({ bytes, keys }: StatementRow) => bytes + rowBytes * (2 + keys.length);

async function storeInTransaction(
  ctx: TenantContext,
  { statements, session, sent = statements, attachments = [] }: NewStatements,
  entries: readonly Entry[],
): Promise<{ names: readonly string[] }> {
  const fresh = withoutSame(entries, await findExisting(ctx, entries));
  if (fresh.length === 0) return { names: [] };
  const ids = new Set(fresh.map(({ row }) => row.id));
  const asSent = sent.filter((_, at) => ids.has(entries[at]?.row.id ?? ''));
  const taken = await session?.processStatements(ctx, asSent);
  const following = (taken?.following ?? []).map((statement) =>
    complete(statement, { ...statement, edition: '1.0.3' }),
  );
  const rows = [...fresh.map(({ row }) => row), ...following.map((statement) => rowOf(statement))];
  const own = attachments.filter(({ statementId }) => ids.has(statementId));
  await session?.countStorage(
    ctx,
    rows.reduce((sum, row) => sum + bytesOf(row), rowBytes * own.length),
    taken?.isResult,
  );
  // Use one SQL statement. Transactions that add definitions in different orders would block each other.
  const statementsToStore = [...fresh.map(({ statement }) => statement), ...following];
  const definitions = await addDefinitions(ctx, statementsToStore, taken?.defines);
  await insertAttachments(ctx, own);
  const followed = session ? Math.min(maxFollowed, maxFollowedOfAu * rows.length) : maxFollowed;
  const outcome = await callFunction(ctx, rows, followed);
  if (outcome.hasConflicts) throw new StoredMeanwhile();
  const more = definitions.bytes + rowBytes * (definitions.added + outcome.followed);
  if (more > 0) await session?.countStorage(ctx, more, taken?.isResult);
  return definitions;
}

const existingBytes = `
select coalesce(sum(octet_length(statement.payload)), 0)::float8 as bytes from statement
where statement.tenant_id = $1 and statement.statement_id = any ($2::uuid[])`;

type Existing = { statement_id: string; payload: string };

async function findExisting(ctx: TenantContext, entries: readonly Entry[]): Promise<Existing[]> {
  const ids = entries.map(({ row }) => row.id);
  const [sum] = await run<{ bytes: number }>(ctx, existingBytes, [ctx.tenantId, ids]);
  if ((sum?.bytes ?? 0) > maxComparedBytes)
    invalid(
      'The body',
      'repeats existing statements of more than 8 MiB in total. Split it into several requests.',
    );
  return ownRows(ctx, 'statement')
    .select(['statement_id', 'payload'])
    .where('statement_id', 'in', ids)
    .execute();
}

/** Data 2.3.1: a statement never changes, so a different statement with the same ID is rejected. */
function withoutSame(entries: readonly Entry[], stored: readonly Existing[]): Entry[] {
  const existing = new Map(stored.map(({ statement_id, payload }) => [statement_id, payload]));
  return entries.flatMap((entry) => {
    const { statement } = entry;
    const payload = existing.get(statement.id);
    if (payload === undefined) return [entry];
    if (!isSame(comparable(JSON.parse(payload) as Statement), comparable(statement)))
      throw new Problem(
        'statement_conflict',
        `A different statement with the ID ${statement.id} already exists. Statements cannot change: send yours with a new ID.`,
      );
    return [];
  });
}

type Request = { rows: StatementRow[]; bytes: number };

/** Maximum bytes per call: roughly what the database can parse in 20 ms. */
const maxBytes = 1024 ** 2;
/** Storing a key takes as long as storing this many bytes. */
const bytesOfKey = 100;

const queue = openQueue<TenantContext, Request, ConflictingStatement[]>({
  name: 'store_statements',
  isShared: true,
  key: ({ rows }) => rows[0]?.id ?? '',
  run: storeRequests,
  max: 100,
  bytes: { of: ({ bytes }) => bytes, max: maxBytes },
});

function storeRequest(ctx: TenantContext, entries: readonly Entry[]): Promise<ConflictingStatement[]> {
  const rows = entries.map(({ row }) => row);
  const sizes = rows.map(({ bytes, keys }) => bytes + bytesOfKey * keys.length);
  return queue.add(ctx, { rows, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) });
}

/** Leaves out requests with a statement ID of an earlier one, which must see its outcome. */
async function storeRequests(
  calls: readonly Call<TenantContext, Request>[],
): Promise<(ConflictingStatement[] | undefined)[]> {
  const ids = new Set<string>();
  const taken = calls.flatMap(({ ctx, row: { rows } }, request) => {
    const own = rows.map(({ id }) => `${ctx.tenantId}\n${id}`);
    if (own.some((id) => ids.has(id))) return [];
    for (const id of own) ids.add(id);
    return [{ ctx, request, rows: rows.map((row) => ({ ...row, request })) }];
  });
  const tenants = byTenant(taken).map((own) => ({
    ctx: (own[0] as (typeof own)[0]).ctx,
    values: storeValues(
      own.flatMap(({ rows }) => rows),
      maxFollowed,
    ),
  }));
  const { rows, isLeftOut } = await storeForTenants.call<Outcome>(contextOf(calls), tenants);
  const outcomes: (ConflictingStatement[] | undefined)[] = calls.map(() => undefined);
  for (const { ctx, request } of taken) if (!isLeftOut(ctx.tenantId)) outcomes[request] = [];
  for (const one of rows) if (one.followed === null) outcomes[one.n]?.push(one);
  return outcomes;
}

/** Stores statements in the transaction of `ctx`. */
async function callFunction(
  ctx: TenantContext,
  rows: readonly StatementRow[],
  followed: number,
): Promise<{ hasConflicts: boolean; followed: number }> {
  const values = storeValues(rows, followed);
  const outcomes = (await storeForTenants.call<Outcome>(ctx, [{ ctx, values }])).rows;
  return {
    hasConflicts: outcomes.some((one) => one.followed === null),
    followed: outcomes.reduce((sum, one) => sum + (one.followed ?? 0), 0),
  };
}
