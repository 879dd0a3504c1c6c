// Measures user searches on PostgreSQL, by kind: npm run bench:search -- [--users 1000000] [--enrolments] [--embedded]
//   [--database URL] [--only KIND]… [--samples 150]
// With --enrolments, each user has an enrolment, and the searches are those of the list of enrolments, newest first.
// With --embedded, the embedded database is measured. With --database, the data is kept for another run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '../scripts/postgres-cluster.ts';
import { listEnrolments } from '../server/src/modules/enrolments/list.ts';
import { listUsers } from '../server/src/modules/users/list-users.ts';
import { readConfig } from '../server/src/platform/config.ts';
import type { TenantContext } from '../server/src/platform/context.ts';
import { forTenant } from '../server/src/platform/db/queues.ts';
import { openContext } from '../server/src/platform/open-context.ts';
import { openLog } from '../server/src/platform/operations/log.ts';

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000' },
    enrolments: { type: 'boolean', default: false },
    embedded: { type: 'boolean', default: false },
    database: { type: 'string' },
    only: { type: 'string', multiple: true },
    samples: { type: 'string', default: '150' },
  },
});
const users = Number(values.users);
const tenant = 'search';

/** A few names are common and most are rare, as in a real population. */
const nameText = (count: number, seed: string) =>
  `initcap(translate(reverse((1000 + floor(${count} * power(${seed}, 3)))::bigint::text), '0123456789', 'aeiourlntk'))`;

const fillText = `/* across tenants: data to measure with */
insert into "user" (tenant_id, user_id, login_id, first_name, last_name, group_name, email, folded_email, sort_name, password_hash, created_at, updated_at, words)
select $1, ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, login_id, first_name, last_name, 'group ' || n % 200,
  email, email, lower(last_name || ' ' || first_name), 'random', now(), now(), user_words(last_name, first_name, login_id, email)
from (
  select *, 'A' || n as login_id, lower(first_name || '.' || last_name) || n || '@company' || n % 500 || '.example' as email from (
  select n, ${nameText(2_000, '((hashint4(n) & 65535) / 65536.0)')} as first_name,
    ${nameText(50_000, '((hashint4(n + 7) & 1048575) / 1048576.0)')} as last_name
  from generate_series($2::int, $3::int) n
  ) named
) people on conflict do nothing`;

/** Users per statement, so that each fits into the memory of the embedded database. */
const chunk = 50_000;
const idOf = (n: number) => `01920000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** Inserts the rows in index order, which is faster than inserting them user by user. */
const wordsText = `insert into user_word (tenant_id, word, user_id, words)
select tenant_id, word, user_id, words from "user" cross join unnest(indexed_words(words)) word
where tenant_id = $1 and user_id between $2 and $3 order by word, user_id on conflict do nothing`;

const courseTexts = [
  `insert into course (course_id, title, created_at, updated_at) values ('course', 'Course', now(), now())
   on conflict do nothing`,
  `insert into enrol_option (course_id, duration_id, name, created_at, updated_at)
   values ('course', 'standard', 'Standard', now(), now()) on conflict do nothing`,
];
const enrolmentsText = `insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at, status, group_name)
select tenant_id, user_id, user_id, 'course', 'standard', 'enrolment', created_at, created_at, 'enrolled', group_name
from "user" where tenant_id = $1 on conflict do nothing`;

const cluster = values.database === undefined && !values.embedded ? await startCluster() : null;
/** The folder contains the signing keys that belong to the database. */
const isKept = values.database !== undefined;
const dataDir = isKept ? join(tmpdir(), 'lectern-search') : await mkdtemp(join(tmpdir(), 'lectern-search-'));
const config = readConfig({
  DATABASE_URL: values.database ?? cluster?.url,
  DATA_DIR: dataDir,
  LOG_LEVEL: 'error',
});
const context = await openContext(config, openLog(config.logLevel));
const ctx: TenantContext = forTenant(context, tenant);

async function fill(): Promise<void> {
  const query = (text: string, values: unknown[] = []) => context.engine.query({ text, values });
  const at = new Date();
  await context.db
    .insertInto('tenant')
    .values({ tenant_id: tenant, name: tenant, created_at: at, updated_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const mark = '/* across tenants: data to measure with */';
  await query(`${mark} alter table "user" disable trigger user`);
  await query(`${mark} set statement_timeout = 0`);
  for (let from = 1; from <= users; from += chunk)
    await query(fillText, [tenant, from, Math.min(users, from + chunk - 1)]);
  await query(`${mark} alter table "user" enable trigger user`);
  for (let from = 1; from <= users; from += chunk)
    await query(`${mark} ${wordsText}`, [tenant, idOf(from), idOf(from + chunk - 1)]);
  await query(`${mark} vacuum analyze "user"`);
  await query(`${mark} vacuum analyze user_word`);
  if (!values.enrolments) return;
  for (const text of courseTexts) await query(`${mark} ${text}`);
  await query(`${mark} ${enrolmentsText}`, [tenant]);
  await query(`${mark} vacuum analyze enrolment`);
}

const list = (query: { Search: string; GroupName?: string; Limit: number; Cursor?: string }) =>
  values.enrolments ? listEnrolments(ctx, { ...query, Order: 'newest' }) : listUsers(ctx, query);

/** Continues after a statement that has visited its maximum of rows, as the service does. */
async function readPage(query: { Search: string; GroupName?: string }): Promise<void> {
  let wanted = 50;
  for (let page = await list({ ...query, Limit: wanted }); page.isPartial && page.NextCursor !== null; ) {
    wanted -= page.Items.length;
    if (wanted === 0) return;
    page = await list({ ...query, Limit: wanted, Cursor: page.NextCursor });
  }
}

type Person = { login: string; first: string; last: string; email: string };

async function samples(count: number): Promise<Person[]> {
  const numbers = Array.from({ length: count }, (_, n) => `A${1 + ((n * 7_919_777) % users)}`);
  const rows = await ctx.db
    .selectFrom('user')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('login_id', 'in', numbers)
    .execute();
  return rows.map(({ login_id, first_name, last_name, email }) => ({
    login: login_id,
    first: first_name ?? '',
    last: last_name ?? '',
    email: email ?? '',
  }));
}

const kinds: Record<string, (person: Person, other: Person) => string> = {
  'one letter': ({ last }) => last.slice(0, 1),
  'three letters': ({ first }) => first.slice(0, 3),
  'first name': ({ first }) => first,
  'last name': ({ last }) => last.toUpperCase(),
  'last name, first name': ({ first, last }) => `${last} ${first}`,
  'the first letters of both names': ({ first, last }) => `${first.slice(0, 3)} ${last.slice(0, 3)}`,
  "a first name and another user's last name": ({ first }, { last }) => `${first} ${last}`,
  LoginID: ({ login }) => login,
  'company and first name': ({ first, email }) => `${first} ${email.split('@')[1]}`,
  'a group and a name': ({ first }) => first,
  nothing: ({ last }) => `${last} zzz`,
};

const at = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(1) ?? '';

try {
  const filled = await ctx.db
    .selectFrom('user')
    .select('user_id')
    .where('tenant_id', '=', tenant)
    .limit(1)
    .execute();
  if (filled.length === 0) await fill();
  const people = await samples(Number(values.samples));
  const all: number[] = [];
  console.log('\nMilliseconds for the first page of 50:\n\n| search | p50 | p95 | max |\n|---|---|---|---|');
  const report = (name: string, taken: number[]) => {
    const sorted = taken.toSorted((one, other) => one - other);
    console.log(`| ${name} | ${at(sorted, 0.5)} | ${at(sorted, 0.95)} | ${sorted.at(-1)?.toFixed(1)} |`);
  };
  for (const [name, searchOf] of Object.entries(kinds)) {
    if (values.only && !values.only.includes(name)) continue;
    const taken: number[] = [];
    for (const [n, person] of people.entries()) {
      const Search = searchOf(person, people[(n + Math.floor(people.length / 2)) % people.length] ?? person);
      const began = performance.now();
      const filter = name === 'a group and a name' ? { GroupName: `group ${n % 200}` } : {};
      await readPage({ Search, ...filter });
      taken.push(performance.now() - began);
    }
    report(name, taken);
    all.push(...taken);
  }
  report('all', all);
} finally {
  await context.engine.close();
  if (!isKept) await rm(dataDir, { recursive: true, force: true });
  await cluster?.remove();
}
