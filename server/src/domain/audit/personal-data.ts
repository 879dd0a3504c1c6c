import {
  countPages,
  countTenantRows,
  type KeyPosition,
  type Keyset,
  keysetSql,
  positionOf,
  rowsOf,
} from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { type Batch, batchRows, type PersonalData, type Subject } from '../../infra/context/personal-data.ts';
import type { Entry } from './chain.ts';

const key = ['audit_id'];
const byUser = (userId: string, rows: number): Keyset => ({
  table: 'audit_entry',
  of: { actor_user_id: userId },
  key,
  rows,
});
const about = (id: string, rows: number): Keyset => ({
  table: 'audit_entry',
  of: { target_id: id },
  key,
  rows,
});

type Found = { audit_id: string; counts: boolean };

/**
 * Counts one page of entries. An action by a person on themselves is counted once. Entries written by the
 * erasure are not counted.
 */
async function countPage(
  ctx: TenantContext,
  { userId, until }: Subject,
  keyset: Keyset,
  after: KeyPosition | null,
) {
  const { text, values, add } = keysetSql(
    ctx.tenantId,
    keyset,
    after,
    'held.audit_id, held.at, held.actor_user_id',
  );
  const isTwice = keyset.of && 'target_id' in keyset.of;
  const once = isTwice ? `and page.actor_user_id is distinct from ${add(userId)}::uuid` : '';
  const rows = await run<Found>(
    ctx,
    `select page.audit_id, page.at < ${add(until)} ${once} as counts from (${text}) page order by page.audit_id`,
    values,
  );
  const records = rows.filter(({ counts }) => counts).length;
  return { records, next: rows.length < keyset.rows ? null : positionOf(rows.at(-1), key) };
}

/** Counts the person's own actions first, and then other people's actions that concern the person. */
async function countForUser(ctx: TenantContext, subject: Subject, after: KeyPosition | null): Promise<Batch> {
  const [role = 'by', id = null] = after ?? [];
  const keyset = role === 'by' ? byUser(subject.userId, batchRows) : about(subject.userId, batchRows);
  const { records, next } = await countPage(ctx, subject, keyset, id === null ? null : [id]);
  if (next) return { records, next: [role, ...next] };
  return { records, next: role === 'by' ? ['about', null] : null };
}

/** A range makes PostgreSQL use the index of targets, the only index in this order. */
const aboutText = `
select 1 from unnest($3::text[]) own (id) cross join lateral (
  select audit_entry.actor_user_id from audit_entry
  where audit_entry.tenant_id = $1 and audit_entry.target_id between own.id and own.id
  order by audit_entry.target_id, audit_entry.audit_id limit $4
) one where one.actor_user_id is distinct from $2::uuid limit $4`;

/** The only data that an erasure leaves unchanged, because any change would break the chain. It contains no names. */
export const auditData: PersonalData = {
  name: 'AuditTrail',
  tables: ['audit_entry'],
  erased: null,
  retained: {
    what: "Entries about the person's access and results, with an ID that no longer identifies anyone.",
    why: "Removing entries would break the proof that the trail was never changed. The trail never contained learners' names or addresses.",
  },
  countForUser,
  eraseForEnrolment: (ctx, subject, after) =>
    countPage(ctx, subject, about(subject.enrollId, batchRows), after),
  count: async (ctx, { userId, enrollIds, max }) =>
    (await countPages(ctx, byUser(userId, 200), max)) +
    (await countTenantRows(ctx, aboutText, [userId, [userId, ...enrollIds], max])),
  read: async function* (ctx, person) {
    for await (const entry of rowsOf<Entry>(ctx, byUser(person.userId, 200))) yield recordOf(entry);
    for await (const id of allOf(person.userId, person.enrolments()))
      for await (const entry of rowsOf<Entry>(ctx, about(id, 200)))
        if (entry.actor_user_id !== person.userId) yield recordOf(entry);
  },
};

async function* allOf(first: string, others: AsyncIterable<string>) {
  yield first;
  yield* others;
}

const recordOf = ({ audit_id, at, action, actor, data }: Entry) => ({
  AuditID: audit_id,
  At: at,
  Action: action,
  Actor: actor,
  Data: data,
});
