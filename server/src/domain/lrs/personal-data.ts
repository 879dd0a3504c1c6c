import { isUtf8 } from 'node:buffer';
import { identityOf } from '../../../../standards/xapi/actors.ts';
import type { Agent } from '../../../../standards/xapi/types.ts';
import { ownRows } from '../../db/own-rows.ts';
import { countTenantRows, pageBytes, pagesOf, sumBefore } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { type Batch, batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';
import { eraseText } from './erase-function.ts';
import { accountOf } from './identity.ts';
import { redacted } from './refusals.ts';
import { type StoredRow, searchKey, toStatement } from './stored-statement.ts';

/** The agent that represents a user in statements about their enrolments. */
export function agentOf(ctx: Pick<Context, 'homePage'>, loginId: string): Agent {
  return { objectType: 'Agent', account: accountOf(ctx, loginId) };
}

const identityIn = (ctx: Context, loginId: string) => identityOf(agentOf(ctx, loginId)) ?? '';

async function loginOf(ctx: TenantContext, userId: string): Promise<string> {
  const row = await ownRows(ctx, 'user', { user_id: userId }).select('login_id').executeTakeFirst();
  return row?.login_id ?? '';
}

type Match = { position: number; source: number };

const find = `select own.position, own.source from statement_match own
where own.tenant_id = $1 and own.key = $2::uuid order by own.position, own.source limit $3`;

const forget = `delete from statement_match held using unnest($3::bigint[], $4::bigint[]) as page (position, source)
where held.tenant_id = $1 and held.key = $2::uuid and held.position = page.position and held.source = page.source`;

/**
 * Returns the positions of the first statements with the key. Removes the key from statements that have it
 * only because they refer to others.
 */
async function takeFound(ctx: TenantContext, key: string, rows: number) {
  const found = await run<Match>(ctx, find, [ctx.tenantId, key, rows]);
  const own = found.filter(({ position, source }) => position === source);
  const inherited = found.filter(({ position, source }) => position !== source);
  if (inherited.length > 0) {
    const positions = inherited.map(({ position }) => position);
    const sources = inherited.map(({ source }) => source);
    await run(ctx, forget, [ctx.tenantId, key, positions, sources]);
  }
  return { positions: own.map(({ position }) => position), isLast: found.length < rows };
}

/**
 * Smaller than other batches, because a statement can have thousands of keys: its own, and those of
 * statements that it refers to.
 */
const erasedRows = Math.floor(batchRows / 5);

/** Maximum number of keys of the statements deleted in one batch. Each key is a row. */
const erasedKeys = 2_000;

const withFewKeys = `select own.position from (
  select held.position, ${sumBefore('cardinality(held.keys)', 'held.position')} as keys_before
  from statement held where held.tenant_id = $1 and held.position = any($2::bigint[])
) own where own.keys_before < ${erasedKeys}`;

async function eraseFound(ctx: TenantContext, key: string): Promise<Batch> {
  const { positions, isLast } = await takeFound(ctx, key, erasedRows);
  if (positions.length === 0) return { records: 0, next: isLast ? null : [] };
  const some = await run<{ position: number }>(ctx, withFewKeys, [ctx.tenantId, positions]);
  const erased = some.map(({ position }) => position);
  await run(ctx, eraseText, [ctx.tenantId, erased]);
  return { records: erased.length, next: isLast && erased.length === positions.length ? null : [] };
}

/** Small, because a statement can have the maximum body size. */
const redactedRows = 4;

/** Removes the person from other people's statements that mention them, and keeps these statements. */
async function redactFound(ctx: TenantContext, identity: string): Promise<Batch> {
  const key = searchKey('related agent', identity);
  const { positions, isLast } = await takeFound(ctx, key, redactedRows);
  for (const position of positions) await redact(ctx, { position, identity, key });
  return { records: positions.length, next: isLast ? null : [] };
}

const redactText = `
with changed as (
  update statement old set payload = $3, keys = array_remove(old.keys, $4::uuid)
  where old.tenant_id = $1 and old.position = $2
)
delete from statement_match own where own.tenant_id = $1 and own.key = $4::uuid and own.position = $2`;

async function redact(
  ctx: TenantContext,
  { position, identity, key }: { position: number; identity: string; key: string },
): Promise<void> {
  const row = await ownRows(ctx, 'statement', { position }).select('payload').executeTakeFirst();
  const payload = row === undefined ? '' : redacted(row.payload, identity);
  if (payload === null) {
    ctx.log.warn(
      { tenant: ctx.tenantId, position },
      'deleted a statement from which a person could not be removed',
    );
    await run(ctx, eraseText, [ctx.tenantId, [position]]);
    return;
  }
  await run(ctx, redactText, [ctx.tenantId, position, payload, key]);
}

async function* statementsWith(ctx: TenantContext, key: string) {
  const keyset = { table: 'statement_match', of: { key }, key: ['position', 'source'], rows: 200 };
  type Row = { position: number; source: number };
  for await (const page of pagesOf<Row>(ctx, keyset)) {
    const own = page.filter(({ position, source }) => position === source);
    const positions = own.map(({ position }) => position);
    yield* statementsAt(ctx, positions);
  }
}

type FoundStatement = { payload: string; position: number; keys: string[] };

const statementsText = `select own.payload, own.position, own.keys from (
  select held.*, ${sumBefore('held.bytes', 'held.position')} as bytes_before
  from statement held where held.tenant_id = $1 and held.position = any($2::bigint[])
) own where own.bytes_before < ${pageBytes} order by own.position`;

async function* statementsAt(ctx: TenantContext, positions: readonly number[]) {
  for (let rest = positions; rest.length > 0; ) {
    const found = await run<FoundStatement>(ctx, statementsText, [ctx.tenantId, rest]);
    yield* found;
    const last = found.at(-1)?.position;
    rest = last === undefined ? [] : rest.filter((position) => position > last);
  }
}

const shown = ({ payload, position }: StoredRow) => toStatement({ payload, position });

const countText = `select 1 from unnest($2::uuid[]) as wanted (key) cross join lateral (
  select 1 from statement_match own
  where own.tenant_id = $1 and own.key = wanted.key order by own.position limit $3
) one limit $3`;

export const statementData: PersonalData = {
  name: 'Statements',
  tables: ['statement', 'statement_match', 'voided_statement', 'statement_attachment'],
  erased:
    "xAPI statements by or about the person and about their enrolments, with attachments; their identifier and name in other people's statements.",
  retained: {
    what: "Other people's statements that mentioned the person, with the person removed.",
    why: "They are other people's results.",
  },
  eraseForUser: async (ctx, { loginId }) => {
    const identity = identityIn(ctx, loginId);
    const erased = await eraseFound(ctx, searchKey('agent', identity));
    if (erased.next !== null) return erased;
    const redacted = await redactFound(ctx, identity);
    return { records: erased.records + redacted.records, next: redacted.next };
  },
  eraseForEnrolment: (ctx, { enrollId }) => eraseFound(ctx, searchKey('registration', enrollId)),
  count: async (ctx, { userId, enrollIds, max }) => {
    const identity = identityIn(ctx, await loginOf(ctx, userId));
    const keys = [
      searchKey('related agent', identity),
      searchKey('agent', identity),
      ...enrollIds.map((enrollId) => searchKey('registration', enrollId)),
    ];
    return countTenantRows(ctx, countText, [keys, max]);
  },
  read: async function* (ctx, { loginId, enrolments }) {
    const own = searchKey('agent', identityIn(ctx, loginId));
    for await (const row of statementsWith(ctx, own)) yield shown(row);
    for await (const enrollId of enrolments())
      for await (const row of statementsWith(ctx, searchKey('registration', enrollId)))
        if (!row.keys.includes(own)) yield shown(row);
  },
};

const kinds = ['state', 'agent_profile'] as const;

// Given arrays, the planner expects few rows and looks up each of them.
const eraseDocuments = `
with old as (
  select held.kind, held.activity_key, held.document_key, held.registration from xapi_document held
  where held.tenant_id = $1 and held.kind = any ($2) and held.agent_key = $3::uuid
  order by held.kind, held.agent_key, held.activity_key, held.document_key, held.registration limit ${batchRows}
)
delete from xapi_document held using unnest(array(select kind from old), array(select activity_key from old),
  array(select document_key from old), array(select registration from old))
  as page (kind, activity_key, document_key, registration)
where held.tenant_id = $1 and held.kind = page.kind and held.agent_key = $3::uuid
  and held.activity_key = page.activity_key and held.document_key = page.document_key
  and held.registration = page.registration
returning 1`;

const countDocuments = `select 1 from xapi_document held
where held.tenant_id = $1 and held.kind = any ($2) and held.agent_key = $3::uuid limit $4`;

const keyOf = (ctx: Context, loginId: string) => searchKey('agent', identityIn(ctx, loginId));

/** A PUT keeps any bytes, even if the content type says JSON. */
const isText = (type: string, content: Uint8Array) => /json|^text/.test(type) && isUtf8(content);

export const documentData: PersonalData = {
  name: 'Documents',
  tables: ['xapi_document'],
  erased: 'Data that courses stored about the person in xAPI states and profiles.',
  retained: null,
  eraseForUser: async (ctx, { loginId }) => {
    return batchOf((await run(ctx, eraseDocuments, [ctx.tenantId, kinds, keyOf(ctx, loginId)])).length);
  },
  count: async (ctx, { userId, max }) =>
    countTenantRows(ctx, countDocuments, [kinds, keyOf(ctx, await loginOf(ctx, userId)), max]),
  read: async function* (ctx, { loginId }) {
    for (const kind of kinds) {
      const of = { kind, agent_key: keyOf(ctx, loginId) };
      const key = ['activity_key', 'document_key', 'registration'];
      const keyset = { table: 'xapi_document', of, key, rows: 200, bytes: 'octet_length(held.content)' };
      type Row = { about: string; content_type: string; content: Buffer; updated_at: Date };
      for await (const page of pagesOf<Row>(ctx, keyset))
        yield* page.map(({ about, content_type, content, updated_at }) => ({
          ...(JSON.parse(about) as object),
          contentType: content_type,
          content: Buffer.from(content).toString(isText(content_type, content) ? 'utf8' : 'base64'),
          updatedAt: updated_at.toISOString(),
        }));
    }
  },
};
