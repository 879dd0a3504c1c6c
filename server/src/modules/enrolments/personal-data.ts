import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import type { Person, PersonalData } from '../../platform/personal-data.ts';
import { selectEnrolments, toEnrolment } from './record.ts';
import { updateEnrolment } from './update.ts';

const anonymize = `
update enrolment held set user_id = null, group_name = null, reference = null, metadata = '{}',
  override = jsonb_set(held.override, '{Reason}', '""'), ended_at = coalesce(held.ended_at, $3),
  changed_at = $3, revision = held.revision + 1
where held.tenant_id = $1 and held.user_id = $2 returning 1`;

const anonymizeLaunches = `
update launch played set user_agent = null, return_url = null, ended_at = coalesce(played.ended_at, $3)
where played.tenant_id = $1 and played.enroll_id = any($2::uuid[]) returning 1`;

/**
 * Enrolments that are not completed are withdrawn as a client would do it, so that their seats are freed and
 * readers of the event log are notified.
 */
async function eraseEnrolments(ctx: TenantContext, person: Person): Promise<number> {
  const open = await ctx.db
    .selectFrom('enrolment')
    .select('enroll_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', person.userId)
    .where('ended_at', 'is', null)
    .where('status', '<>', 'completed')
    .execute();
  for (const { enroll_id } of open)
    await updateEnrolment(ctx, { loginId: person.loginId, enrollId: enroll_id, Withdrawn: true });
  const values = [ctx.tenantId, person.userId, ctx.now()];
  return (await run(ctx, { name: 'anonymize_enrolments', text: anonymize, values })).length;
}

async function* readEnrolments(ctx: TenantContext, person: Person) {
  for (const enrollId of person.enrollIds) {
    const row = await selectEnrolments(ctx).where('enrolment.enroll_id', '=', enrollId).executeTakeFirst();
    if (row) yield toEnrolment(ctx, row);
  }
}

export const enrolmentData: PersonalData = {
  name: 'Enrolments',
  tables: ['enrolment'],
  erased: 'Who was enrolled; Reference and Metadata; the reasons for overridden results. Access has ended.',
  kept: {
    what: 'Course, option, times, status and result, without a user.',
    why: "They are part of the course's figures and of the number of enrolments sold.",
  },
  erase: eraseEnrolments,
  read: readEnrolments,
};

type Row = Record<string, unknown>;

/**
 * The rest of each primary key, and how many rows to read at a time: rows with run-time data can have 1 MiB
 * each.
 */
const pages = {
  launch: { key: ['number'], rows: 200 },
  attempt: { key: [], rows: 1 },
  attempt_unit: { key: ['unit_id'], rows: 4 },
  run_time_commit: { key: ['launch', 'number'], rows: 200 },
} as const;

/** All rows of one of the enrolments' tables, one enrolment and one page at a time. */
async function* rowsOf(ctx: TenantContext, person: Person, table: keyof typeof pages) {
  for (const enrollId of person.enrollIds) {
    let last: Row | undefined;
    do {
      const page: Row[] = await readPage(ctx, table, enrollId, last);
      for (const { tenant_id: _, ...row } of page) yield fieldsOf(row);
      last = page.length === pages[table].rows ? page.at(-1) : undefined;
    } while (last && pages[table].key.length > 0);
  }
}

function readPage(ctx: TenantContext, table: keyof typeof pages, enrollId: string, after: Row | undefined) {
  const { key, rows } = pages[table];
  const columns = ['enroll_id', ...key].map((name) => `held.${name}`).join(', ');
  const places = key.map((_, at) => `$${at + 3}`).join(', ');
  const beyond = after ? `and (${key.map((name) => `held.${name}`).join(', ')}) > (${places})` : '';
  return run<Row>(ctx, {
    text: `select held.* from ${table} held where held.tenant_id = $1 and held.enroll_id = $2 ${beyond}
      order by ${columns} limit ${rows}`,
    values: [ctx.tenantId, enrollId, ...(after ? key.map((name) => after[name]) : [])],
  });
}

/** `enroll_id` → `EnrollID`: columns under the names that the API would use. */
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
  kept: { what: 'When the course was opened and left.', why: 'They are part of the anonymous result.' },
  erase: async (ctx, person) => {
    const values = [ctx.tenantId, person.enrollIds, ctx.now()];
    return (await run(ctx, { name: 'anonymize_launches', text: anonymizeLaunches, values })).length;
  },
  read: (ctx, person) => rowsOf(ctx, person, 'launch'),
};

export const runTimeData: PersonalData = {
  name: 'RunTimeData',
  tables: ['attempt', 'attempt_unit'],
  erased: 'Everything that the courses stored: bookmarks, answers, comments, the name they were given.',
  kept: { what: 'The result of each unit.', why: 'They are part of the anonymous result.' },
  erase: async (ctx, person) => {
    await ctx.db
      .updateTable('attempt')
      .set({ tree_state: null, last_unit_id: null })
      .where('tenant_id', '=', ctx.tenantId)
      .where((where) => where('enroll_id', '=', where.fn.any(where.val(person.enrollIds))))
      .execute();
    const { numUpdatedRows } = await ctx.db
      .updateTable('attempt_unit')
      .set({ data: '{}', bytes: 0 })
      .where('tenant_id', '=', ctx.tenantId)
      .where((where) => where('enroll_id', '=', where.fn.any(where.val(person.enrollIds))))
      .executeTakeFirst();
    return Number(numUpdatedRows);
  },
  read: async function* (ctx, person) {
    yield* rowsOf(ctx, person, 'attempt');
    yield* rowsOf(ctx, person, 'attempt_unit');
  },
};

export const commitData: PersonalData = {
  name: 'Commits',
  tables: ['run_time_commit'],
  erased: 'Hashes of the contents of commits.',
  kept: {
    what: 'When a result of a unit was stored, and which result.',
    why: 'They are part of the anonymous result.',
  },
  erase: async (ctx, person) => {
    const { numUpdatedRows } = await ctx.db
      .updateTable('run_time_commit')
      .set({ body_hash: null })
      .where('tenant_id', '=', ctx.tenantId)
      .where((where) => where('enroll_id', '=', where.fn.any(where.val(person.enrollIds))))
      .executeTakeFirst();
    return Number(numUpdatedRows);
  },
  read: (ctx, person) => rowsOf(ctx, person, 'run_time_commit'),
};
