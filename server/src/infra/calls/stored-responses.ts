import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { databaseFunction } from '../../db/functions.ts';
import { forTenant, run } from '../../db/transaction.ts';
import { type ErrorCode, Problem, type ProblemExtras } from '../../lib/errors.ts';
import type { Context, TenantContext } from '../context/context.ts';
import { keyedHashKey } from '../keys/key-ring.ts';
import { deleteByTenant } from '../operations/delete-by-tenant.ts';
import { isServed } from '../operations/jobs.ts';
import { coalesceReads, wantedRows } from './queue.ts';

/** Maximum responses that one statement erases or removes. */
const batchSize = 500;

/** The number of hours for which a response can be replayed. */
const keptHours = 24;

/** The owner of responses to the operator. All other responses belong to tenants. */
export const operatorOwner = '';

/** Enough to distinguish a tenant's requests of a day. */
const hashBytes = 16;
const secretBytes = 32;

export type KeyedRequest = {
  /** The client's Idempotency-Key. */
  key: string;
  /** The content of the request. The same key with another request is rejected. */
  request: string;
  /** The LoginID in the request. An erasure of this user uses it to find the response. */
  about: string | null;
  /** The tenant in the operator's request. The tenant's deletion uses it to find the response. */
  aboutTenant?: string | null;
};

/** The outcome of an operation. */
export type Outcome<T> =
  | { value: T }
  | { problem: { code: ErrorCode; detail: string; extras: ProblemExtras } };

/** A request as stored in the table. Neither the client's key nor the request can be read from it. */
export type Name = { keyHash: string; requestHash: string; about: string | null; cipher: KeyObject };

/** The response is encrypted with the key and the request, so a copy of the database reveals nothing without both. */
export function nameOf(ctx: TenantContext, { key, request, about, aboutTenant = null }: KeyedRequest): Name {
  const [keyHash, secret] = derive(secretOf(ctx), `key\0${ctx.tenantId}\0${key}`);
  const [requestHash, cipher] = derive(secret, request);
  return {
    keyHash,
    requestHash,
    about: aboutTenant !== null ? aboutTenantMark(ctx, aboutTenant) : about && aboutUser(ctx, about),
    // Given as bytes, a key takes 8 µs more of each use.
    cipher: createSecretKey(cipher, 'hex'),
  };
}

const secretOf = (ctx: Context): string => keyedHashKey(ctx.keys, 'idempotency').export().toString('hex');

/**
 * A hash to store, and a secret that does not follow from it, both in hexadecimal. With the secret in front of the text,
 * SHA-512 is a keyed hash as long as it is not stored whole. It takes a third of the time of SHA-3, or of an HMAC.
 */
function derive(secret: string, text: string): [hash: string, secret: string] {
  const whole = hash('sha512', `${secret}${text}`);
  return [whole.slice(0, 2 * hashBytes), whole.slice(-2 * secretBytes)];
}

/** A keyed hash. Without the key, nobody can use a copy of the database to confirm a LoginID. */
const aboutUser = (ctx: TenantContext, loginId: string): string =>
  derive(secretOf(ctx), `user\0${ctx.tenantId}\0${loginId}`)[0];

const aboutTenantMark = (ctx: Context, tenantId: string): string =>
  derive(secretOf(ctx), `tenant\0${tenantId}`)[0];

/**
 * A function, because its plan looks rows up by an index. The table is almost empty at times, and a statement planned then
 * would scan it until the database has new statistics.
 */
export const readAnswers = databaseFunction({
  name: 'read_answers',
  parameters: 'text, jsonb, timestamptz',
  returns: 'table (n integer, answer bytea, request_hash text, expired boolean)',
  body: `
begin
  return query select wanted.n, known.answer, encode(known.request_hash, 'hex'), known.expires_at <= $3
  from ${wantedRows('key_hash text')}
  cross join lateral (
    select own.answer, own.request_hash, own.expires_at from stored_answer own
    where own.tenant_id = $1 and own.key_hash = decode(wanted.key_hash, 'hex') limit 1
  ) known;
end`,
});

type Stored = { answer: Buffer | null; request_hash: string; expired: boolean };

const read = coalesceReads<string, Stored>({
  name: 'read_answer',
  text: `select * from ${readAnswers.name}($1, $2, $3)`,
  item: (keyHash) => ({ key_hash: keyHash }),
  more: (ctx) => [ctx.now()],
});

const deleteExpiredSql = `
delete from stored_answer where tenant_id = $1 and key_hash = decode($2, 'hex') and expires_at <= $3`;

/**
 * The stored outcome of this request; null if there is none. An expired one is deleted here, and not in the transaction
 * that replaces it, because an erasure may have locked it and may be waiting for the event log.
 */
export async function readStoredOutcome<T>(ctx: TenantContext, name: Name): Promise<Outcome<T> | null> {
  const stored = await read(ctx, name.keyHash);
  if (stored?.expired) await run(ctx, deleteExpiredSql, [ctx.tenantId, name.keyHash, ctx.now()]);
  if (!stored || stored.expired) return null;
  if (stored.request_hash !== name.requestHash)
    throw new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key was used for another request. Use a new key for each request.',
      { param: 'Idempotency-Key' },
    );
  if (!stored.answer) throw erasedProblem(ctx);
  return JSON.parse(decrypt(name.cipher, stored.answer));
}

function erasedProblem({ tenantId }: TenantContext): Problem {
  const again = 'To repeat the request, use a new Idempotency-Key.';
  return tenantId === operatorOwner
    ? new Problem('tenant_not_found', `The tenant that this request was about has been deleted. ${again}`)
    : new Problem(
        'user_not_found',
        `The user that this request was about has been erased, together with the stored response. ${again}`,
      );
}

/** Outcomes that a later attempt could change are not stored. */
export function isFinal(outcome: Outcome<unknown>): boolean {
  return 'value' in outcome || outcome.problem.extras.retryAfter === undefined;
}

/**
 * $1 has each row's hashes, mark and answer, one after the other; as JSON or texts they would double the server's time. $2
 * and $3 say where each row begins, and the size of its answer. The form for one tenant lets Citus send the statement to
 * the tenant's node. It would report a duplicate key as an internal error, so the stored rows are counted instead.
 */
const insertOf = (tenant: string, more = '') => `
insert into stored_answer (tenant_id, key_hash, request_hash, about, answer, expires_at)
select ${tenant}, substring($1::bytea, r.start, ${hashBytes}), substring($1::bytea, r.start + ${hashBytes}, ${hashBytes}),
  nullif(substring($1::bytea, r.start + ${2 * hashBytes}, ${hashBytes}), '\\x${'00'.repeat(hashBytes)}'),
  substring($1::bytea, r.start + ${3 * hashBytes}, r.size), $4
from unnest($2::integer[], $3::integer[]${more && ', $5::text[]'}) as r (start, size${more})
on conflict do nothing returning 1`;

const insertForOne = insertOf('$5');
const insertForSeveral = `/* across tenants: the responses to a batch of calls */ ${insertOf('r.tenant_id', ', tenant_id')}`;

const noAbout = '00'.repeat(hashBytes);

/**
 * Stores outcomes in the transaction of `ctx`. Fails if another node stored a response for one of the keys first. Inserts
 * in a fixed order, so that nodes storing the same keys wait for each other instead of deadlocking.
 */
export async function storeOutcomes(
  ctx: Pick<Context, 'db' | 'now'>,
  answers: { tenantId: string; name: Name; outcome: Outcome<unknown> }[],
): Promise<void> {
  const [first] = answers;
  if (!first) return;
  answers.sort((a, b) => (a.name.keyHash < b.name.keyHash ? -1 : 1));
  // Each answer has a key of its own, so they can share the nonce.
  const nonce = randomBytes(nonceBytes);
  const parts: Buffer[] = [];
  const starts: number[] = [];
  const sizes: number[] = [];
  let start = 1;
  for (const { name, outcome } of answers) {
    const encrypted = encrypt(name.cipher, nonce, JSON.stringify(outcome));
    const size = encrypted.reduce((sum, { length }) => sum + length, 0);
    parts.push(Buffer.from(name.keyHash + name.requestHash + (name.about ?? noAbout), 'hex'), ...encrypted);
    starts.push(start);
    sizes.push(size);
    start += 3 * hashBytes + size;
  }
  const until = new Date(ctx.now().getTime() + keptHours * 3_600_000);
  const values = [Buffer.concat(parts), starts, sizes, until];
  const stored = await (answers.every(({ tenantId }) => tenantId === first.tenantId)
    ? run(ctx, insertForOne, [...values, first.tenantId])
    : run(ctx, insertForSeveral, [...values, answers.map(({ tenantId }) => tenantId)]));
  if (stored.length < answers.length)
    throw Object.assign(new Error('Another node stored a response for one of the keys.'), { code: '23505' });
}

const nonceBytes = 12;
const tagBytes = 16;

function encrypt(key: KeyObject, nonce: Buffer, text: string): Buffer[] {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = [cipher.update(text, 'utf8'), cipher.final()];
  return [nonce, cipher.getAuthTag(), ...body];
}

function decrypt(key: KeyObject, bytes: Buffer): string {
  const bodyAt = nonceBytes + tagBytes;
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
  cipher.setAuthTag(bytes.subarray(nonceBytes, bodyAt));
  return Buffer.concat([cipher.update(bytes.subarray(bodyAt)), cipher.final()]).toString('utf8');
}

/**
 * Erases up to `max` responses about a person. The rows stay until they expire. Otherwise, a late
 * retry could create the person again.
 */
export function eraseStoredResponses(
  ctx: TenantContext,
  { loginId, max }: { loginId: string; max: number },
): Promise<number> {
  return erase(ctx, [aboutUser(ctx, loginId)], max);
}

export function countStoredResponses(
  ctx: TenantContext,
  { loginId, max }: { loginId: string; max: number },
): Promise<number> {
  return count(ctx, [aboutUser(ctx, loginId)], max);
}

/**
 * Erases responses to the operator about a tenant. The rows stay, so a late retry cannot create the
 * tenant again.
 */
export async function eraseResponsesAboutTenant(ctx: Context, tenantId: string): Promise<void> {
  const marks = [aboutTenantMark(ctx, tenantId)];
  while ((await erase(forTenant(ctx, operatorOwner), marks, batchSize)) === batchSize);
}

export function countResponsesAboutTenant(
  ctx: Context,
  { tenantId, max }: { tenantId: string; max: number },
): Promise<number> {
  return count(forTenant(ctx, operatorOwner), [aboutTenantMark(ctx, tenantId)], max);
}

const selectAboutText = `
select known.key_hash from stored_answer known
where known.tenant_id = $1 and known.about = any($2::bytea[]) and known.answer is not null limit $3`;

const bytesOf = (marks: string[]) => marks.map((mark) => Buffer.from(mark, 'hex'));

async function count(ctx: TenantContext, abouts: string[], max: number): Promise<number> {
  const [row] = await run<{ answers: number }>(
    ctx,
    `select count(*)::integer as answers from (${selectAboutText}) found`,
    [ctx.tenantId, bytesOf(abouts), max],
  );
  return row?.answers ?? 0;
}

async function erase(ctx: TenantContext, abouts: string[], max: number): Promise<number> {
  const erased = await run(
    ctx,
    `update stored_answer old set answer = null, about = null
      where old.tenant_id = $1 and old.key_hash = any(array(${selectAboutText})) returning 1`,
    [ctx.tenantId, bytesOf(abouts), max],
  );
  return erased.length;
}

const findExpired = `/* across tenants: stored responses expire in all tenants */
select tenant_id, jsonb_build_object('key_hash', key_hash) as key from stored_answer
where expires_at <= $1 and tenant_id <> all($3::text[]) and ${isServed('tenant_id', '$4')} order by expires_at limit $2`;

const forgetText = `
delete from stored_answer where tenant_id = $1 and key_hash in (
  select held.key_hash from stored_answer held join jsonb_to_recordset($2) as old (key_hash bytea) on held.key_hash = old.key_hash
  where held.tenant_id = $1 and held.expires_at <= $3 for update of held skip locked
) returning 1`;

/**
 * Removes responses that can no longer be replayed. This job is idempotent and can run on several
 * nodes.
 */
export async function deleteExpiredResponses(ctx: Context): Promise<void> {
  const texts = { find: findExpired, remove: forgetText };
  await deleteByTenant(ctx, { ...texts, until: ctx.now(), max: batchSize });
}
