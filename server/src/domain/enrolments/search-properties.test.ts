import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { startService } from '../../../test/support/service.ts';
import { allPages, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { searchedText } from '../../db/search.ts';

// Compares searches for enrolments with a search through all of them in memory.

const service = await startService();
after(service.close);
const tenant = await newTenant(service);
const courses = [await newCourse(service), await newCourse(service), await newCourse(service)];
const groups = ['north', 'south'];
const statuses = ['enrolled', 'in_progress', 'completed', 'withdrawn'];

/** The same people and searches each time, so that only a change can cause a failure. */
const seed = 20_261_128;
const users = 500;
const often = <T>(weight: number, value: T) => ({ weight, arbitrary: fc.constant(value) });
const rare = [
  'Łukasz',
  "O'Brien",
  'Иван',
  'Straße',
  'Ñandú',
  'Zoltán',
  'Ana María',
  'Sørensen',
  '張',
  'Annabel',
];

const person = fc.record({
  first: fc.oneof(
    often(45, 'Zoe'),
    often(35, 'Zoé'),
    often(10, 'Émile'),
    { weight: 1, arbitrary: fc.constantFrom(...rare) },
    often(1, null),
  ),
  last: fc.oneof(
    often(2, 'Anders'),
    { weight: 3, arbitrary: fc.constantFrom(...rare) },
    fc.string({ unit: fc.constantFrom('a', 'n', 'ö', 'Z'), minLength: 1, maxLength: 5 }),
  ),
  company: fc.oneof(often(6, 'acme'), often(1, 'beta'), often(1, 'zé')),
  group: fc.constantFrom(...groups),
  enrolments: fc.subarray(courses.flatMap((course) => statuses.map((status) => ({ course, status })))),
});

const id = (kind: string, n: number) => `${kind}-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;
const people = fc.sample(person, { seed, numRuns: users }).map(({ enrolments, ...one }, n) => {
  const login = `L-${n}`;
  const email = `${n}@${one.company}.example`;
  const held = courses.flatMap((course) => enrolments.find((each) => each.course === course) ?? []);
  const folded = searchedText(one.last, one.first, login, email);
  return { ...one, user: id('01900000', n), login, email, held, folded };
});
/** The IDs of enrolments do not have the order of their users. */
const rows = people.flatMap((owner, n) =>
  owner.held.map((held, at) => ({
    ...held,
    owner,
    enrolment: id('01910000', ((3 * n + at) * 7_919) % 1_048_576),
  })),
);

async function insert(text: string, values: object[]): Promise<void> {
  const all = JSON.stringify(values);
  await service.ctx.engine.query({
    text: `/* across tenants: a test fills tables */ ${text}`,
    values: [tenant.TenantID, all],
  });
}
await insert(
  `insert into "user" (tenant_id, user_id, login_id, first_name, last_name, email, group_name, folded, password_hash, created_at, updated_at)
   select $1, "user", login, first, last, email, "group", folded, 'x', now(), now()
   from jsonb_to_recordset($2::jsonb) given ("user" uuid, login text, first text, last text, email text, "group" text, folded text)`,
  people.map(({ held, ...one }) => one),
);
await insert(
  `insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, starts_on, enrolled_at, changed_at, ended_at, status, group_name)
   select $1, enrolment, "user", course, 'standard', 'enrolment', now(), now(), case status when 'withdrawn' then now() end, status, "group"
   from jsonb_to_recordset($2::jsonb) given (enrolment uuid, "user" uuid, course text, status text, "group" text)`,
  rows.map(({ owner, ...row }) => ({ ...row, user: owner.user, group: owner.group })),
);

const isFound = (folded: string, search: string) =>
  searchedText(search)
    .split(' ')
    .every((word) => folded.includes(word));

const word = fc.oneof(
  fc.constantFrom('zoe', 'z', 'acme', 'example', 'l', 'emile', 'beta', 'an'),
  fc.constantFrom(...rare),
  fc.constantFrom(...people.map(({ last }) => last)),
  fc.integer({ min: 1, max: users }).map((n) => `l ${n}`),
  fc.constantFrom(...rare, 'zoe', 'emile').map((name) => Array.from(name).slice(0, 2).join('')),
);
const query = fc.record(
  {
    Search: fc.oneof(
      word,
      fc.tuple(word, word).map((both) => both.join(' ')),
    ),
    CourseID: fc.constantFrom(...courses),
    Status: fc.constantFrom(...statuses),
    GroupName: fc.constantFrom(...groups),
    Order: fc.constantFrom('oldest', 'newest', 'status', 'status_descending'),
  },
  { requiredKeys: ['Search'] },
);
type Query = { Search: string; CourseID?: string; Status?: string; GroupName?: string; Order?: string };

function expectedOf({ Search, CourseID, Status, GroupName, Order = 'oldest' }: Query): string[] {
  const key = (row: (typeof rows)[number]) =>
    Order.startsWith('status') ? `${row.status} ${row.enrolment}` : row.enrolment;
  const found = rows
    .filter(
      ({ owner, course, status }) =>
        (CourseID ?? course) === course &&
        (Status ?? status) === status &&
        (GroupName ?? owner.group) === owner.group &&
        isFound(owner.folded, Search),
    )
    .sort((one, other) => (key(one) < key(other) ? -1 : 1));
  return (Order === 'newest' || Order === 'status_descending' ? found.reverse() : found).map(
    ({ enrolment }) => enrolment,
  );
}

test('a search finds the same enrolments in the same order as a search in memory, over all pages', async () => {
  const isEach = async (asked: Query, limit: number) => {
    const path = `/enrolment?${new URLSearchParams(asked)}`;
    const { items } = await allPages((address) => tenant.api('GET', address), path, limit);
    const expected = expectedOf(asked);
    assert.deepEqual(
      items.map(({ EnrollID }) => EnrollID),
      expected,
    );
    const { Count } = (await tenant.api('GET', `${path}&Limit=1&Count=true`)).body;
    assert.ok(Count.More ? Count.Records <= expected.length : Count.Records === expected.length, path);
  };
  for (const Search of ['acme', 'zoe', 'an', 'emile', 'l 17', 'an zoe', 'acme beta', 'nobody'])
    await isEach({ Search }, 200);
  await fc.assert(fc.asyncProperty(query, fc.integer({ min: 60, max: 200 }), isEach), { seed, numRuns: 15 });
});
