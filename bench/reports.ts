// Measures the reports and the jobs that count them: npm run bench:reports -- [--enrolments 1000000] [--embedded]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../scripts/postgres-cluster.ts';
import { listAccess } from '../server/src/modules/reports/access.ts';
import { type ActivityQuery, listActivity } from '../server/src/modules/reports/activity.ts';
import { listCompletion } from '../server/src/modules/reports/completion.ts';
import { accessCounter } from '../server/src/modules/reports/count-access.ts';
import { countNextActivity } from '../server/src/modules/reports/count-activity.ts';
import { completionCounter } from '../server/src/modules/reports/count-completion.ts';
import { startCounting } from '../server/src/modules/reports/event-counter.ts';
import type { LinesQuery } from '../server/src/modules/reports/lines.ts';
import { readConfig } from '../server/src/platform/config.ts';
import type { TenantContext } from '../server/src/platform/context.ts';
import { forTenant } from '../server/src/platform/db/queues.ts';
import { openContext } from '../server/src/platform/open-context.ts';
import { openLog } from '../server/src/platform/operations/log.ts';

const { values } = parseArgs({
  options: {
    enrolments: { type: 'string', default: '1000000' },
    embedded: { type: 'boolean', default: false },
  },
});
const enrolments = Number(values.enrolments);
const [courses, groups] = [50, 200];
const tenant = 'reports';
const mark = '/* across tenants: data to measure with */';

const id = (kind: string, n: string) => `('${kind}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const day = `timestamptz '2025-01-01' + interval '1 day' * (n::bigint * 7919 % 360)`;
/** A twelfth of the enrolments end within 30 days. */
const end = `date_trunc('day', now()) + interval '1 day' * (n::bigint * 6577 % 360) + interval '12 hours'`;
/** Rows per statement, so that each finishes in time and fits into the memory of the embedded database. */
const chunk = 50_000;
const days = Array.from({ length: 13 }, (_, n) => n * 30);

/** A statement for each range of numbers. */
function inChunks(last: number, statement: (numbers: string) => string): string[] {
  const starts = Array.from({ length: Math.ceil((last + 1) / chunk) }, (_, n) => n * chunk);
  return starts.map((from) => statement(`generate_series(${from}, ${Math.min(last, from + chunk - 1)}) n`));
}

/** The events of 30 days. Their positions follow those of earlier events. */
const addEvents = (from: number) => `
insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data, position)
select '${tenant}', ${id('01920000', 'position')}, type, at, user_id, enroll_id, course_id, data, position from (
  select own.user_id, own.enroll_id, own.course_id, part.type, part.data, own.enrolled_at + part.later as at,
    row_number() over (order by own.enrolled_at + part.later, own.enroll_id)
      + (select coalesce(max(known.position), 0) from event known where known.tenant_id = '${tenant}') as position
  from enrolment own cross join lateral (values
    ('enrolment.created', '{"DurationID":"standard"}'::jsonb, interval '0', true),
    ('enrolment.launched', '{"Launch":1,"Status":"in_progress"}', '3 days', own.status <> 'enrolled'),
    ('enrolment.completed', '{"Status":"completed","Success":"unknown"}', '5 days', own.status = 'completed')
  ) part (type, data, later, happened)
  where part.happened and own.enrolled_at + part.later >= timestamptz '2025-01-01' + interval '1 day' * ${from}
    and own.enrolled_at + part.later < timestamptz '2025-01-01' + interval '1 day' * ${from + 30}) told`;

/**
 * Each user has five courses. Two out of three enrolments are started, and half of the started ones are
 * completed.
 */
const fill = [
  `insert into course (course_id, title, created_at, updated_at) select 'course-' || n, 'Course ' || n, now(), now() from generate_series(1, ${courses}) n`,
  `insert into enrol_option (course_id, duration_id, name, created_at, updated_at) select course_id, 'standard', 'Standard', now(), now() from course`,
  ...inChunks(
    Math.ceil(enrolments / 5),
    (numbers) =>
      `insert into "user" (tenant_id, user_id, login_id, group_name, password_hash, created_at, updated_at)
       select '${tenant}', ${id('01900000', 'n')}, 'A' || n, 'group ' || n % ${groups}, 'x', now(), now() from ${numbers}`,
  ),
  ...inChunks(
    enrolments - 1,
    (numbers) =>
      `insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at, expires_at, status, group_name)
       select '${tenant}', ${id('01910000', 'n')}, ${id('01900000', 'n / 5')}, 'course-' || n % 5 * 10 + n / 5 % 10 + 1, 'standard', 'enrolment', ${day}, ${day}, ${end},
         case when n % 3 = 0 then 'enrolled' when n % 3 = 1 then 'in_progress' else 'completed' end, 'group ' || n / 5 % ${groups}
       from ${numbers}`,
  ),
  ...days.map(addEvents),
  `insert into event_log (tenant_id, position) select '${tenant}', max(position) from event where tenant_id = '${tenant}'`,
];

const cluster = values.embedded ? null : await startCluster();
const dataDir = await mkdtemp(join(tmpdir(), 'lectern-reports-'));
const environment = { DATA_DIR: dataDir, LOG_LEVEL: 'error' };
const config = readConfig(cluster ? { ...environment, DATABASE_URL: cluster.url } : environment);
const context = await openContext(config, openLog(config.logLevel));
const ctx: TenantContext = forTenant(context, tenant);
const query = (text: string) =>
  context.engine.query<{ plan: string }>({ text: `${mark} ${text}`, values: [] });

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  await work();
  const taken: number[] = [];
  for (let n = 0; n < 20; n++) {
    const began = performance.now();
    await work();
    taken.push(performance.now() - began);
  }
  taken.sort((one, other) => one - other);
  console.log(`| ${name} | ${taken[10]?.toFixed(1)} | ${taken[19]?.toFixed(1)} |`);
}

async function readAll(input: LinesQuery, list: typeof listCompletion | typeof listAccess = listCompletion) {
  let lines = 0;
  for (let Cursor: string | null | undefined; Cursor !== null; ) {
    const page = await list(ctx, { Limit: 200, ...input, ...(Cursor ? { Cursor } : {}) });
    lines += page.Items.length;
    Cursor = page.NextCursor;
  }
  return lines;
}

async function readActivity(input: ActivityQuery): Promise<number> {
  let periods = 0;
  for (let Cursor: string | null | undefined; Cursor !== null; ) {
    const page = await listActivity(ctx, { Limit: 25, ...input, ...(Cursor ? { Cursor } : {}) });
    periods += page.Items.length;
    Cursor = page.NextCursor;
  }
  return periods;
}

try {
  const at = new Date();
  const row = { tenant_id: tenant, name: tenant, created_at: at, updated_at: at };
  await context.db.insertInto('tenant').values(row).execute();
  // Unlike statements, scripts have no time limit.
  for (const text of fill) await context.engine.script(text);
  for (const table of ['user', 'enrolment', 'event'])
    await context.engine.script(`vacuum analyze "${table}"`);
  const began = performance.now();
  for (let isComplete = false; !isComplete; ) isComplete = await startCounting(ctx, completionCounter);
  console.log(`\n${enrolments} enrolments: all events were counted in ${seconds(began)}.\n`);
  const accessBegan = performance.now();
  for (let isComplete = false; !isComplete; ) isComplete = await startCounting(ctx, accessCounter);
  console.log(`The ends were counted in ${seconds(accessBegan)}.\n`);
  const activityBegan = performance.now();
  for (let hasMore = true; hasMore; ) hasMore = await countNextActivity(ctx);
  console.log(`The activity was counted in ${seconds(activityBegan)}.\n`);
  console.log('| report | p50 (ms) | max (ms) |\n|---|---|---|');
  await timed('by course', () => readAll({ By: 'course' }));
  await timed('by group', () => readAll({ By: 'group' }));
  await timed('by course, at the end of a past day', () => readAll({ By: 'course', AsOf: '2025-07-01' }));
  await timed('the groups of a course', () => readAll({ By: 'group', CourseID: 'course-7' }));
  await timed('first 200 courses and groups', () =>
    listCompletion(ctx, { By: 'course_and_group', Limit: 200 }),
  );
  await timed('all courses and groups, in pages of 200', () => readAll({ By: 'course_and_group' }));
  await timed('access by course', () => readAll({ By: 'course' }, listAccess));
  await timed('access by group', () => readAll({ By: 'group' }, listAccess));
  await timed('overdue by course, at the end of a past day', () =>
    readAll({ By: 'course', AsOf: '2025-07-01' }, listAccess),
  );
  await timed('access of the first 200 courses and groups', () =>
    listAccess(ctx, { By: 'course_and_group', Limit: 200 }),
  );
  await timed('access of all courses and groups, in pages of 200', () =>
    readAll({ By: 'course_and_group' }, listAccess),
  );
  const year = { From: '2025-01-01', To: '2025-12-31' };
  await timed('activity of 30 days', () => readActivity({ From: '2025-06-01', To: '2025-06-30' }));
  await timed('activity of a year by month', () => readActivity({ Unit: 'month', ...year }));
  await timed('activity of a year by day, in chunks of 25', () => readActivity(year));
  await timed('activity of a course and group, a year by week', () =>
    readActivity({ Unit: 'week', CourseID: 'course-7', GroupName: 'group 7', ...year }),
  );
  await timed('for comparison: an aggregate over all enrolments', () =>
    query(`select course_id, status, count(*) from enrolment where tenant_id = '${tenant}' group by 1, 2`),
  );
  await timed('for comparison: an aggregate over the enrolments that end within 30 days', () =>
    query(`select course_id, group_name, count(*) from enrolment where tenant_id = '${tenant}' and ended_at is null
      and expires_at > now() and expires_at <= now() + interval '30 days' and status in ('enrolled', 'in_progress') group by 1, 2`),
  );
  const { rows } = await query(
    `select relname || ' ' || pg_size_pretty(pg_total_relation_size(oid)) as plan from pg_class where relname in ('completion_day', 'completion_line', 'counted_enrolment', 'counted_end', 'access_end', 'activity_day', 'event', 'enrolment')`,
  );
  console.log(`\n${rows.map(({ plan }) => plan).join(', ')}`);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await context.engine.close();
  await rm(dataDir, { recursive: true, force: true });
  await cluster?.remove();
}
