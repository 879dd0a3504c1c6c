import type { Connection, Statement } from '../server/src/db/engine/engine.ts';

export type Sizes = {
  /** The number of tenants in addition to `bench`, the tenant whose users and enrolments the requests use. */
  tenants: number;
  /** The total for all tenants. */
  users: number;
  enrolments: number;
};

/** The number of courses for single enrolments. Bulk enrolments use the same number of other courses. */
export const courses = 200;
export const benchUsers = 20_000;
export const benchEnrolments = 20_000;

const batchSize = 100_000;

const id = (space: string, n: string) => `('${space}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

const mark = '/* across tenants: data to measure with */ ';
const plain = (text: string, values: unknown[] = []): Statement => ({ text: mark + text, values });

/** Users u0, u1 … of a tenant. Their numbers, and therefore their IDs, continue across all tenants. */
const usersText = `
insert into "user" (tenant_id, user_id, login_id, first_name, last_name, group_name, email, folded_email, sort_name,
  folded, password_hash, created_at, updated_at)
select $1, ${id('01920000', '$2 + n')}, 'u' || n, 'Lee', 'Learner ' || n, 'group ' || n % 20, 'u' || n || '@mail.example',
  'u' || n || '@mail.example', 'learner ' || n || ' lee',
  'learner ' || n || ' lee u' || n || ' u' || n || '@mail.example', 'random:' || md5(n::text), $4::timestamptz, $4::timestamptz
from generate_series($5::bigint, $3::bigint - 1) n on conflict do nothing`;

/** Enrolment n belongs to user n % users, on courses r0, r1 … */
const enrolmentsText = `
insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at, group_name)
select $1, ${id('01930000', '$2 + n')}, ${id('01920000', '$7 + n % $3::bigint')}, 'r' || n / $3::bigint, 'year', 'enrolment',
  $4::timestamptz + n * interval '1 ms', $4::timestamptz + n * interval '1 ms',
  'group ' || n % $3::bigint % 20
from generate_series($5::bigint, $6::bigint - 1) n`;

const eventsText = `
insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data, position)
select $1, ${id('01940000', '$2 + n')}, 'enrolment.created', $4::timestamptz, ${id('01920000', '$7 + n % $3::bigint')},
  ${id('01930000', '$2 + n')}, 'r' || n / $3::bigint, '{"DurationID": "year", "Reference": null}', n + 1
from generate_series($5::bigint, $6::bigint - 1) n`;

const logText = `insert into event_log (tenant_id, position) values ($1, $2)`;

async function fillCourses(connection: Connection, reads: number): Promise<void> {
  const at = new Date();
  for (const [letter, count] of [
    ['c', courses],
    ['b', courses],
    ['r', reads],
    ['limit', 2_000],
  ] as const) {
    const numbers = 'from generate_series(0, $2::int - 1) n on conflict do nothing';
    await connection.query(
      plain(
        `insert into course (course_id, title, url, created_at, updated_at)
        select $1::text || n, 'Course ' || n, 'https://course.example/', $3::timestamptz, $3::timestamptz ${numbers}`,
        [letter, count, at],
      ),
    );
    await connection.query(
      plain(
        `insert into enrol_option (course_id, duration_id, name, created_at, updated_at)
        select $1::text || n, 'year', 'A year', $3::timestamptz, $3::timestamptz ${numbers}`,
        [letter, count, at],
      ),
    );
  }
}

/**
 * Inserts large batches of rows, so that the disk is the limit and not memory. Each connection fills a
 * different tenant. The data is consistent by construction, so foreign keys are not checked.
 */
export async function fill(
  connections: [Connection, ...Connection[]],
  sizes: Sizes,
  report: (line: string) => void,
): Promise<void> {
  const [first] = connections;
  const { tenants } = sizes;
  const others = tenants === 0 ? 0 : Math.ceil(Math.max(0, sizes.users - benchUsers) / tenants);
  const enrolmentsOfOthers =
    tenants === 0 ? 0 : Math.ceil(Math.max(0, sizes.enrolments - benchEnrolments) / tenants);
  const perUser = others === 0 ? 1 : Math.ceil(enrolmentsOfOthers / others);
  await fillCourses(first, Math.max(10, perUser));
  const at = new Date(Date.now() - 30 * 86_400_000);

  async function fillTenant(connection: Connection, index: number): Promise<void> {
    const isBench = index === 0;
    const [tenant, users, enrolments] = isBench
      ? ['bench', benchUsers, benchEnrolments]
      : [`tenant-${index - 1}`, others, enrolmentsOfOthers];
    const [user, enrolment] = isBench
      ? [0, 0]
      : [benchUsers + (index - 1) * others, benchEnrolments + (index - 1) * enrolmentsOfOthers];
    await connection.query(
      plain(
        'insert into tenant (tenant_id, name, created_at, updated_at) values ($1, $1, $2, $2) on conflict do nothing',
        [tenant, at],
      ),
    );
    for (let from = 0; from < users; from += batchSize)
      await connection.query(plain(usersText, [tenant, user, Math.min(users, from + batchSize), at, from]));
    for (let from = 0; from < enrolments; from += batchSize) {
      const values = [tenant, enrolment, users, at, from, Math.min(enrolments, from + batchSize), user];
      await connection.query(plain(enrolmentsText, values));
      await connection.query(plain(eventsText, values));
    }
    await connection.query(plain(logText, [tenant, enrolments]));
    if (index > 0 && index % 100 === 0) report(`filled ${index} of ${tenants} tenants`);
  }

  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (next <= tenants) await fillTenant(connection, next++);
    }),
  );
}
