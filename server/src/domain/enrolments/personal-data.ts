import { ownRows } from '../../db/own-rows.ts';
import {
  countTenantRows,
  countUpToSql,
  type Keyset,
  keysetSql,
  positionOf,
  type Row,
  rowsOf,
} from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import {
  batchRows,
  type EraseBatch,
  type Person,
  type PersonalData,
  type Subject,
} from '../../infra/context/personal-data.ts';
import { newId } from '../../lib/ids.ts';
import { eraseNewEvents } from '../events/personal-data.ts';
import { detailsSql } from './record/details.ts';
import { selectEnrolments, withoutLink } from './record/record.ts';
import { updateEnrolment } from './update.ts';

const anonymize = `
with gone as (
  delete from enrolment_group member where member.tenant_id = $1 and member.enroll_id = any($2::uuid[])
)
update enrolment set user_id = null, group_name = null, ${detailsSql.erase}, time_factor = null,
  override = jsonb_set(enrolment.override, '{Reason}', '""'), ended_at = coalesce(enrolment.ended_at, $3),
  changed_at = $3, revision = enrolment.revision + 1
where enrolment.tenant_id = $1 and enrolment.enroll_id = any($2::uuid[])`;

/**
 * Enrolments per call. Each withdrawal takes several statements. Other tenants wait until the
 * transaction ends, because it locks the options whose seats it frees.
 */
const enrolmentBatchSize = 10;

function selectOfUser(ctx: TenantContext, userId: string, max: number) {
  return ownRows(ctx, 'enrolment', { user_id: userId })
    .select(['enroll_id', 'course_id', 'duration_id', 'ended_at', 'status'])
    .orderBy('enroll_id')
    .limit(max)
    .execute();
}

const lockAll = `
select 1 from enrolment where enrolment.tenant_id = $1 and enrolment.enroll_id = any($2::uuid[])
order by enrolment.enroll_id for update`;

/** The order in which all transactions lock options. */
const byOption = (one: OptionKey, other: OptionKey) =>
  Buffer.compare(Buffer.from(keyOf(one)), Buffer.from(keyOf(other)));
const keyOf = ({ course_id, duration_id }: OptionKey) => `${course_id}\n${duration_id}`;
type OptionKey = { course_id: string; duration_id: string };

/**
 * Removes the person from up to 10 enrolments and returns their IDs. Withdraws enrolments that are not
 * completed in the same way as a client does, which frees their seats and writes events.
 */
export async function eraseEnrolments(ctx: TenantContext, subject: Subject): Promise<string[]> {
  const { userId, loginId } = subject;
  const some = await selectOfUser(ctx, userId, enrolmentBatchSize);
  if (some.length === 0) return [];
  const since = newId(tenantNow(ctx));
  const enrollIds = some.map(({ enroll_id }) => enroll_id);
  // Lock all enrolments before the audit trail and the options, which each withdrawal locks.
  await run(ctx, lockAll, [ctx.tenantId, enrollIds]);
  for (const { enroll_id: enrollId, ended_at, status } of some.toSorted(byOption))
    if (ended_at === null && status !== 'completed')
      await updateEnrolment(ctx, { loginId, enrollId, Withdrawn: true });
  await run(ctx, anonymize, [ctx.tenantId, enrollIds, tenantNow(ctx)]);
  await eraseNewEvents(ctx, { enrollIds, since });
  return enrollIds;
}

export async function enrolmentIdsOf(ctx: TenantContext, userId: string, max: number): Promise<string[]> {
  return (await selectOfUser(ctx, userId, max)).map(({ enroll_id }) => enroll_id);
}

export async function* enrolmentsOf(ctx: TenantContext, userId: string): AsyncGenerator<string> {
  const keyset = { table: 'enrolment', of: { user_id: userId }, key: ['enroll_id'], rows: 200 };
  for await (const { enroll_id } of rowsOf<{ enroll_id: string }>(ctx, keyset)) yield enroll_id;
}

async function* readEnrolments(ctx: TenantContext, person: Person) {
  for await (const enrollId of person.enrolments()) {
    const row = await selectEnrolments(ctx).where('enrolment.enroll_id', '=', enrollId).executeTakeFirst();
    if (row) yield withoutLink(ctx, row);
  }
}

export const enrolmentData: PersonalData = {
  name: 'Enrolments',
  tables: ['enrolment', 'enrolment_group'],
  erased:
    'Who was enrolled; Reference, Metadata and TimeFactor; the reasons for overridden results. Access has ended.',
  retained: {
    what: 'Course, option, times, status and result, without the user.',
    why: "They count towards the course's statistics and the number of enrolments sold.",
  },
  count: async (_ctx, { enrollIds }) => enrollIds.length,
  read: readEnrolments,
};

/** The columns of each primary key after `enroll_id`. `bytes` is SQL for the size of rows that may be large. */
const pages = {
  launch: { key: ['number'] },
  attempt: { key: [] },
  // Rows of early versions have no size.
  attempt_unit: { key: ['unit_id'], bytes: 'greatest(held.bytes, pg_column_size(held.data))' },
  earlier_attempt: { key: ['number'] },
  earlier_unit: { key: ['number', 'unit_id'], bytes: 'held.bytes' },
  run_time_commit: { key: ['launch', 'number'] },
  au_session: { key: ['session_id'] },
} as const;

type Table = keyof typeof pages;

const keysetOf = (table: Table, enrollId: string): Keyset => ({
  table,
  of: { enroll_id: enrollId },
  rows: 200,
  ...pages[table],
});

/** Reads all of a person's rows in one of the enrolments' tables, one enrolment and one page at a time. */
async function* readRows(ctx: TenantContext, person: Person, table: Table) {
  for await (const enrollId of person.enrolments())
    for await (const { tenant_id: _, token_hash: __, ...row } of rowsOf(ctx, keysetOf(table, enrollId)))
      yield fieldsOf(row);
}

const reading =
  (table: Table): PersonalData['read'] =>
  (ctx, person) =>
    readRows(ctx, person, table);

const counting =
  (table: Table): PersonalData['count'] =>
  (ctx, { enrollIds, max }) => {
    const key = pages[table].key[0] ?? 'enroll_id';
    return countTenantRows(ctx, countUpToSql({ table, column: 'enroll_id', key }), [enrollIds, max]);
  };

/** Erases columns of an enrolment's rows in batches. `set` is SQL for the assignments. */
const erasing =
  (table: Table, set: string, settingEnd = false): EraseBatch =>
  async (ctx, { enrollId, until }, after) => {
    const { key } = pages[table];
    const columns = ['enroll_id', ...key];
    const keyset = { ...keysetOf(table, enrollId), rows: batchRows };
    const selected = columns.map((name) => `held.${name}`).join(', ');
    const { text, values, add } = keysetSql(ctx.tenantId, keyset, after, selected);
    const same = columns.map((name) => `old.${name} = page.${name}`).join(' and ');
    // Given arrays, the planner expects few rows and looks up each of them.
    const arrays = columns.map((name) => `array(select ${name} from batch)`).join(', ');
    const end = settingEnd ? `, ended_at = coalesce(old.ended_at, ${add(until)})` : '';
    const rows = await run<Row>(
      ctx,
      `with batch as (${text}), erased as (
          update ${table} old set ${set}${end} from unnest(${arrays}) page (${columns.join(', ')})
          where old.tenant_id = $1 and ${same}
        ) select * from batch order by ${columns.join(', ')}`,
      values,
    );
    const isFull = key.length > 0 && rows.length === batchRows;
    return { records: rows.length, next: isFull ? positionOf(rows.at(-1), key) : null };
  };

/** Gives columns the names that they have in the API: `enroll_id` → `EnrollID`. */
function fieldsOf(row: object): object {
  const words: Record<string, string> = { id: 'ID', url: 'URL', enroll: 'Enroll' };
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column
        .split('_')
        .map((word) => words[word] ?? (word[0] ?? '').toUpperCase() + word.slice(1))
        .join(''),
      value,
    ]),
  );
}

export const launchData: PersonalData = {
  name: 'Launches',
  tables: ['launch'],
  erased: 'The browser (user agent) and the return URL. Sessions have ended.',
  retained: { what: 'When the course was opened and left.', why: 'They are part of the anonymous result.' },
  eraseForEnrolment: erasing('launch', 'user_agent = null, return_url = null', true),
  count: counting('launch'),
  read: reading('launch'),
};

export const auSessionData: PersonalData = {
  name: 'UnitSessions',
  tables: ['au_session'],
  erased: 'Their tokens. Sessions have ended.',
  retained: {
    what: 'When a unit was opened, and what kind of result it reported.',
    why: 'They are part of the anonymous result.',
  },
  eraseForEnrolment: erasing('au_session', 'token_hash = null', true),
  count: counting('au_session'),
  read: reading('au_session'),
};

const eraseAttempt = erasing('attempt', 'tree_state = null, shared = null, last_unit_id = null');
const eraseUnits = erasing('attempt_unit', "data = '{}', bytes = 0");

export const runTimeData: PersonalData = {
  name: 'RunTimeData',
  tables: ['attempt', 'attempt_unit'],
  erased: "Everything that the courses stored: bookmarks, answers, comments, the learner's name.",
  retained: { what: 'The result of each unit.', why: 'It is part of the anonymous result.' },
  eraseForEnrolment: async (ctx, subject, after) => {
    if (after === null) await eraseAttempt(ctx, subject, null);
    return eraseUnits(ctx, subject, after);
  },
  count: counting('attempt_unit'),
  read: async function* (ctx, person) {
    yield* readRows(ctx, person, 'attempt');
    yield* readRows(ctx, person, 'attempt_unit');
  },
};

export const earlierAttemptData: PersonalData = {
  name: 'EarlierAttempts',
  tables: ['earlier_attempt'],
  erased: 'The reasons for resets.',
  retained: { what: 'The result of each attempt.', why: 'It is part of the anonymous result.' },
  eraseForEnrolment: erasing('earlier_attempt', 'reason = null'),
  count: counting('earlier_attempt'),
  read: reading('earlier_attempt'),
};

export const earlierRunTimeData: PersonalData = {
  name: 'EarlierRunTimeData',
  tables: ['earlier_unit'],
  erased: 'Everything that the courses stored in earlier attempts.',
  retained: { what: 'The result of each unit.', why: 'It is part of the anonymous result.' },
  eraseForEnrolment: erasing('earlier_unit', "data = '{}', bytes = 0"),
  count: counting('earlier_unit'),
  read: reading('earlier_unit'),
};

export const commitData: PersonalData = {
  name: 'Commits',
  tables: ['run_time_commit'],
  erased: 'Hashes of the contents of commits.',
  retained: {
    what: 'When the result of a unit was stored, and what it was.',
    why: 'They are part of the anonymous result.',
  },
  eraseForEnrolment: erasing('run_time_commit', 'body_hash = null'),
  count: counting('run_time_commit'),
  read: reading('run_time_commit'),
};
