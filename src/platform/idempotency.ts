import { createCipheriv, createDecipheriv, createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { coalesce } from './batch.ts';
import type { Context, TenantContext } from './context.ts';
import { run } from './db/transaction.ts';
import { type ErrorCode, Problem, type ProblemExtras } from './errors.ts';
import { newId } from './ids.ts';
import type { Answer } from './routes.ts';
import { markingKey } from './signing.ts';

/** How long an answer is replayed. */
const keptHours = 24;
/** A claim that nobody renewed for so long is of a process that died. */
const claimSeconds = 30;
const renewalMilliseconds = 10_000;

type Claim = { key_hash: string; claim_id: string; request_hash: string };
type Stored = { answer: Buffer | null; request_hash: string };

const claimText = `
insert into stored_answer as known (tenant_id, key_hash, claim_id, request_hash, claimed_at, expires_at)
select $1, decode(r.key_hash, 'hex'), r.claim_id, decode(r.request_hash, 'hex'), $3, $4
from jsonb_to_recordset($2::jsonb) as r (key_hash text, claim_id uuid, request_hash text)
on conflict (tenant_id, key_hash) do update set claim_id = excluded.claim_id, request_hash = excluded.request_hash,
  claimed_at = excluded.claimed_at, expires_at = excluded.expires_at, answer = null
where known.expires_at <= $3
  or (known.answer is null and known.claimed_at <= $5 and known.request_hash = excluded.request_hash)
returning encode(key_hash, 'hex') as key_hash`;

const claim = coalesce<TenantContext, Claim, boolean>({
  group: (ctx) => ctx.tenantId,
  key: (row) => row.key_hash,
  run: async (ctx, rows) => {
    const now = ctx.now();
    const values = [
      ctx.tenantId,
      JSON.stringify(rows),
      now,
      new Date(now.getTime() + keptHours * 3_600_000),
      new Date(now.getTime() - claimSeconds * 1000),
    ];
    const won = await run<{ key_hash: string }>(ctx, { name: 'claim_key', text: claimText, values });
    const hashes = new Set(won.map((row) => row.key_hash));
    return rows.map((row) => hashes.has(row.key_hash));
  },
});

const settleText = `
update stored_answer known set answer = decode(r.answer, 'base64')
from jsonb_to_recordset($2::jsonb) as r (key_hash text, claim_id uuid, answer text)
where known.tenant_id = $1 and known.key_hash = decode(r.key_hash, 'hex') and known.claim_id = r.claim_id`;

const settle = coalesce<TenantContext, Claim & { answer: string }, void>({
  group: (ctx) => ctx.tenantId,
  key: (row) => row.key_hash,
  run: async (ctx, rows) => {
    const values = [ctx.tenantId, JSON.stringify(rows)];
    await run(ctx, { name: 'settle_key', text: settleText, values });
    return rows.map(() => undefined);
  },
});

const readText = `
select answer, encode(request_hash, 'hex') as request_hash from stored_answer
where tenant_id = $1 and key_hash = decode($2, 'hex')`;

const renewText = `
update stored_answer set claimed_at = $4
where tenant_id = $1 and key_hash = decode($2, 'hex') and claim_id = $3 and answer is null`;

const releaseText = `
delete from stored_answer
where tenant_id = $1 and key_hash = decode($2, 'hex') and claim_id = $3 and answer is null`;

export type Once = {
  /** What the client calls this request. */
  key: string;
  /** What it asks for; the same key with another request is refused. */
  request: string;
};

/**
 * Does `work` once for each key of a tenant, on any number of nodes, and remembers what it answered when `keep` says so.
 * Neither the key nor the request is stored, and the answer is encrypted by both: whoever reads the database learns nothing.
 */
export async function once<T>(
  ctx: TenantContext,
  { key, request }: Once,
  work: () => Promise<T>,
  keep: (value: T) => boolean,
): Promise<{ value: T; replayed: boolean }> {
  const secret = createSecretKey(
    createHmac('sha256', markingKey(ctx.keys, 'idempotency'))
      .update(`idempotency\0${ctx.tenantId}\0${key}`)
      .digest(),
  );
  const derive = (text: string) => createHmac('sha256', secret).update(text).digest();
  const own: Claim = {
    key_hash: derive('name').toString('hex'),
    claim_id: newId(ctx.now()),
    request_hash: derive(`request\0${request}`).toString('hex'),
  };
  const cipher = derive(`answer\0${request}`);
  if (!(await claim(ctx, own))) return { value: await recall<T>(ctx, own, cipher), replayed: true };
  const values = [ctx.tenantId, own.key_hash, own.claim_id];
  const renewal = setInterval(() => {
    run(ctx, { name: 'renew_key', text: renewText, values: [...values, ctx.now()] }).catch(noted);
  }, renewalMilliseconds).unref();
  const noted = (error: unknown) => ctx.log.warn({ err: error }, 'a retry may not be recognised');
  let kept = false;
  try {
    const value = await work();
    if (keep(value)) {
      kept = true;
      await settle(ctx, { ...own, answer: encrypt(cipher, JSON.stringify(value)) }).catch(noted);
    }
    return { value, replayed: false };
  } finally {
    clearInterval(renewal);
    if (!kept) await run(ctx, { name: 'release_key', text: releaseText, values }).catch(noted);
  }
}

async function recall<T>(ctx: TenantContext, own: Claim, cipher: Buffer): Promise<T> {
  const values = [ctx.tenantId, own.key_hash];
  const [stored] = await run<Stored>(ctx, { name: 'recall_key', text: readText, values });
  if (stored && stored.request_hash !== own.request_hash)
    throw new Problem(
      'idempotency_key_reused',
      'Another request had this Idempotency-Key. Send each request with a key of its own.',
      { param: 'Idempotency-Key' },
    );
  if (!stored?.answer)
    throw new Problem(
      'in_progress',
      'The request with this Idempotency-Key is still in progress. Send it again shortly.',
      { retryAfter: 1 },
    );
  return JSON.parse(decrypt(cipher, stored.answer)) as T;
}

function encrypt(key: Buffer, text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
}

function decrypt(key: Buffer, bytes: Buffer): string {
  const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  cipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([cipher.update(bytes.subarray(28)), cipher.final()]).toString('utf8');
}

export const idempotencyHeader = 'Idempotency-Key';

/** The header of a request; null when it has none. */
export function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw new Problem('validation_failed', `${idempotencyHeader} must be 1–255 printable ASCII characters.`, {
    param: idempotencyHeader,
  });
}

/** Whose keys are whose: a tenant's are its own, and so are those of each key of the operator. */
export function keySpace(ctx: Context, request: FastifyRequest, key: string): [TenantContext, string] {
  const { tenantId, caller } = request;
  return tenantId === null
    ? [{ ...ctx, tenantId: '' }, `${caller?.keyId}\0${key}`]
    : [{ ...ctx, tenantId }, key];
}

/** Part of what is asked: an answer shows what these scopes allow, and is not for a key with others. */
export function scopesOf({ caller }: FastifyRequest): string {
  return [...(caller?.scopes ?? [])].sort().join(' ');
}

export type StoredOutcome =
  | { answer: Answer }
  | { problem: { code: ErrorCode; detail: string; extras: ProblemExtras } };

/** Answers a POST that has a key: the stored answer, or that of `act`. */
export async function answerOnce(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  key: string,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const [space, name] = keySpace(ctx, request, key);
  const asked = `${request.method} ${request.url}\n${scopesOf(request)}\n${JSON.stringify(request.body)}`;
  const { value, replayed } = await once(space, { key: name, request: asked }, () => outcomeOf(act), isFinal);
  if (replayed) void reply.header('Idempotency-Replayed', 'true');
  if ('answer' in value) return value.answer;
  const { code, detail, extras } = value.problem;
  throw new Problem(code, detail, extras);
}

async function outcomeOf(act: () => Promise<Answer>): Promise<StoredOutcome> {
  try {
    return { answer: await act() };
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return { problem: { code: error.code, detail: error.message, extras: error.extras } };
  }
}

/** What a later try could change is not kept. */
function isFinal(outcome: StoredOutcome): boolean {
  if ('answer' in outcome) return outcome.answer.status < 500;
  return outcome.problem.extras.retryAfter === undefined;
}

const forgetText = `
/* across tenants: what is older than a day is of no use to any of them */
delete from stored_answer where (tenant_id, key_hash) in (
  select tenant_id, key_hash from stored_answer where expires_at <= $1 order by expires_at limit 5000
)`;

/** Removes the answers that are no longer replayed. A job; safe to repeat and to run on several nodes. */
export async function forgetOldAnswers(ctx: Context): Promise<void> {
  for (;;) {
    const { affected } = await ctx.engine.query({ text: forgetText, values: [ctx.now()] });
    if (affected < 5000) return;
  }
}
