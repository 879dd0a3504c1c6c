import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../../test/support/service.ts';
import { newCourse, newTenant } from '../../../../test/support/tenant.ts';
import { run } from '../../../platform/db/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { step } from './actions.ts';
import { eventRows } from './events.ts';
import { fact, request } from './facts.ts';
import { former, holder, limited, unlimited } from './locks.ts';
import { isFull, seated } from './seats.ts';
import { ended, extended, inserted } from './writes.ts';

const now = new Date('2026-06-01T12:00:00Z');
const hours = (count: number) => new Date(now.getTime() + count * 3_600_000);
const service = await startService({ now: () => now });
after(service.close);
const tenant = await newTenant(service);
const ctx = { ...service.ctx, tenantId: tenant.TenantID };

type Given = Record<string, Record<string, unknown>[]>;

/** For each part, the columns that other parts read. */
const columns: Record<string, string> = {
  fact: `n integer, user_enabled boolean, course_status text, chosen text, if_enrolled text, current_id uuid,
    former_id uuid, lapsed boolean`,
  former: 'enroll_id uuid, lapsed boolean',
  step: `n integer, action text, user_id uuid, course_id text, chosen text, seats integer, former_id uuid, enroll_id uuid,
    first_event uuid, second_event uuid, reference text`,
  limited: 'course_id text, duration_id text, seats_left integer',
  unlimited: 'course_id text, duration_id text',
  seated: `n integer, action text, begins boolean, seats_left integer, user_id uuid, course_id text, chosen text,
    former_id uuid, enroll_id uuid, duration text, starts_on text, reference text, metadata jsonb`,
  holder: 'user_id uuid, group_name text',
  ended: 'n integer, enroll_id uuid, user_id uuid, course_id text, status text',
  inserted: 'enroll_id uuid, user_id uuid, course_id text, duration_id text, reference text',
  extended: 'enroll_id uuid, user_id uuid, course_id text, status text, expires_at timestamptz',
};

/** Runs parts of the statement on given rows instead of the other parts. */
function runParts<R>(given: Given, parts: string[], query: string, rows: object[] = []): Promise<R[]> {
  const stubs = Object.entries(given).map(([name, rows]) => {
    const json = JSON.stringify(rows).replaceAll("'", "''");
    return `${name} as (select * from jsonb_to_recordset('${json}'::jsonb) as r (${columns[name]}))`;
  });
  const types = 'parameters as (select $1::text, $2::jsonb, $3::timestamptz)';
  const text = `with ${[types, ...stubs, ...parts].join(', ')} ${query}`;
  return run<R>(ctx, { text, values: [ctx.tenantId, JSON.stringify(rows), now] });
}

/** A user with a one-year enrolment, and the IDs of both. */
async function enrolled(options: Record<string, object> = { standard: { Duration: 'P1Y' } }) {
  const course_id = await newCourse(service, {}, options);
  const login_id = await tenant.user();
  const [chosen = ''] = Object.keys(options);
  const { body } = await tenant.api('POST', `/enrol/${login_id}/${course_id}/${chosen}`);
  const enrolment = await ctx.db
    .selectFrom('enrolment')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', body.EnrollID)
    .executeTakeFirstOrThrow();
  return { course_id, login_id, chosen, enrolment };
}

const ask = (n: number, login_id: string, course_id: string, more: object = {}) => ({
  ...{ n, enroll_id: newId(now), first_event: newId(now), second_event: newId(now), if_enrolled: 'return' },
  ...{ login_id, course_id, duration_id: null, reference: null, metadata: null, ...more },
});

test('facts: the user, the course, the option and any existing enrolment', async () => {
  const { login_id, course_id, enrolment } = await enrolled({ first: { Duration: 'P1Y' }, second: {} });
  const otherUser = await tenant.user({ Enabled: false });
  const rows = [
    ask(0, login_id, course_id),
    ask(1, otherUser, course_id, { duration_id: 'second' }),
    ask(2, 'nobody', course_id, { duration_id: 'gone' }),
    ask(3, login_id, 'nothing'),
  ];
  const facts = await runParts(
    {},
    [request, fact],
    `select user_id is not null as found, user_enabled as enabled, course_status as status,
      jsonb_array_length(options) as options, chosen, current_id as current from fact order by n`,
    rows,
  );
  const offered = { status: 'published', options: 2 };
  assert.deepEqual(facts, [
    { found: true, enabled: true, ...offered, chosen: null, current: enrolment.enroll_id },
    { found: true, enabled: false, ...offered, chosen: 'second', current: null },
    { found: false, enabled: null, ...offered, chosen: null, current: null },
    { found: true, enabled: true, status: null, options: 0, chosen: null, current: null },
  ]);
});

test('actions: each row gets the right action', async () => {
  const [ongoing, past] = [newId(now), newId(now)];
  const known = { user_enabled: true, course_status: 'published', chosen: 'standard', if_enrolled: 'return' };
  const isNew = { ...known, current_id: null, former_id: null, lapsed: false };
  const current = { ...known, current_id: ongoing, former_id: ongoing, lapsed: false };
  const locked = { enroll_id: ongoing, lapsed: false };
  for (const [given, lock, action] of [
    [isNew, null, 'create'],
    [{ ...isNew, user_enabled: null }, null, 'refuse'],
    [{ ...isNew, user_enabled: false }, null, 'refuse'],
    [{ ...isNew, course_status: 'retired' }, null, 'refuse'],
    [{ ...current, chosen: null }, locked, 'refuse'],
    [current, null, 'keep'],
    [{ ...current, if_enrolled: 'fail' }, null, 'keep'],
    [{ ...current, lapsed: true }, { ...locked, lapsed: true }, 'replace'],
    [{ ...current, lapsed: true }, locked, 'again'],
    [{ ...current, lapsed: true }, null, 'again'],
    [{ ...current, if_enrolled: 'renew' }, locked, 'renew'],
    [{ ...current, if_enrolled: 'renew' }, null, 'again'],
    [{ ...current, if_enrolled: 'extend' }, locked, 'extend'],
    [{ ...isNew, if_enrolled: 'extend', former_id: past }, { enroll_id: past, lapsed: true }, 'extend'],
  ] as const)
    assert.deepEqual(
      await runParts({ fact: [given], former: lock ? [lock] : [] }, [step], 'select action from step'),
      [{ action }],
      JSON.stringify([given, lock]),
    );
});

test('locks: the former enrolment in its latest version, unless another request has ended it', async () => {
  const { enrolment } = await enrolled();
  const { enroll_id } = enrolment;
  const known = { user_enabled: true, course_status: 'published', chosen: 'standard', lapsed: false };
  const found = (more: object) =>
    runParts({ fact: [{ ...known, former_id: enroll_id, ...more }] }, [former], 'select * from former');
  const lock = { enroll_id, lapsed: false };
  assert.deepEqual(await found({ if_enrolled: 'renew', current_id: enroll_id }), [lock]);
  assert.deepEqual(await found({ if_enrolled: 'return', current_id: enroll_id, lapsed: true }), [lock]);
  assert.deepEqual(await found({ if_enrolled: 'return', current_id: enroll_id }), []);
  assert.deepEqual(await found({ if_enrolled: 'extend', current_id: null }), [], 'it was restored meanwhile');
  assert.deepEqual(await found({ if_enrolled: 'renew', current_id: enroll_id, chosen: null }), []);
});

test('locks: options by their limit, and the users of rows that create enrolments', async () => {
  const { course_id, enrolment } = await enrolled({ free: {}, few: { Seats: 3 } });
  const row = { course_id, action: 'create' };
  const rows = [
    { ...row, n: 0, chosen: 'free', seats: null },
    { ...row, n: 1, chosen: 'few', seats: 3 },
    { ...row, n: 2, chosen: 'few', seats: 3 },
    { ...row, n: 3, chosen: 'few', seats: 3, action: 'keep' },
  ];
  const locked = (part: string, name: string, more = '') =>
    runParts({ step: rows }, [part], `select duration_id${more} from ${name}`);
  assert.deepEqual(await locked(limited, 'limited', ', seats_left'), [{ duration_id: 'few', seats_left: 3 }]);
  assert.deepEqual(await locked(unlimited, 'unlimited'), [{ duration_id: 'free' }]);
  const { user_id } = enrolment;
  const given = (begins: boolean) => ({ seated: [{ n: 0, user_id, begins }] });
  assert.equal((await runParts(given(true), [holder], 'select * from holder')).length, 1);
  assert.equal((await runParts(given(false), [holder], 'select * from holder')).length, 0);
});

test('seats: the first rows get the seats, and the rest are told that the option is full', async () => {
  const row = { course_id: 'c', chosen: 'few', action: 'create' };
  const rows = [
    { ...row, n: 0, action: 'keep' },
    ...[1, 2, 3].map((n) => ({ ...row, n })),
    { ...row, n: 4, chosen: 'free' },
    { ...row, n: 5, chosen: 'changed meanwhile' },
  ];
  const given: Given = {
    step: rows,
    limited: [{ course_id: 'c', duration_id: 'few', seats_left: 2 }],
    unlimited: [{ course_id: 'c', duration_id: 'free' }],
    inserted: [1, 2].map(() => ({ course_id: 'c', duration_id: 'few' })),
  };
  const answers = await runParts<{ begins: boolean; is_full: boolean | null }>(
    given,
    [seated],
    `select begins, ${isFull} as is_full from seated order by n`,
  );
  assert.deepEqual(
    answers.map(({ begins }) => begins),
    [false, true, true, false, true, false],
  );
  assert.deepEqual(
    answers.map(({ is_full }) => is_full === true),
    [false, false, false, true, false, false],
  );
});

test("writes: a renewal ends the former enrolment and creates one with the user's group", async () => {
  const { course_id, chosen, enrolment } = await enrolled();
  const { user_id, enroll_id: former_id } = enrolment;
  const action = { n: 0, action: 'renew', user_id, course_id, chosen, former_id, enroll_id: newId(now) };
  const time = { duration: 'P10D', starts_on: 'enrolment' };
  const given: Given = {
    step: [action],
    seated: [{ ...action, ...time, begins: true, metadata: { a: 'b' } }],
    holder: [{ user_id, group_name: 'nurses' }],
  };
  const [row] = await runParts(
    given,
    [ended, inserted],
    'select inserted.*, ended.status as former_status from inserted, ended',
  );
  const { enroll_id, expires_at, group_name, metadata, former_status } = Object(row);
  assert.deepEqual(
    { enroll_id, expires_at, group_name, metadata, former_status },
    {
      ...{ enroll_id: action.enroll_id, expires_at: hours(240), group_name: 'nurses' },
      ...{ metadata: { a: 'b' }, former_status: 'expired' },
    },
  );
});

test('writes: an extension moves the end, or lengthens a duration that has not started', async () => {
  for (const [option, expected] of [
    [{ Duration: 'P1D' }, { expires_at: hours(24 + 240), days: 1 }],
    [
      { Duration: 'P1D', StartsOn: 'launch' },
      { expires_at: null, days: 11 },
    ],
  ] as const) {
    const { course_id, chosen, enrolment } = await enrolled({ standard: option });
    const { user_id, enroll_id: former_id } = enrolment;
    const action = { n: 0, action: 'extend', user_id, course_id, chosen, former_id };
    const given = { step: [action], seated: [{ ...action, duration: 'P10D', reference: 'more' }] };
    const query = `
      select expires_at, extract(day from duration::interval)::integer as days, reference, revision from extended`;
    const [row] = await runParts(given, [extended], query);
    assert.deepEqual(row, { ...expected, reference: 'more', revision: 1 });
  }
});

test('events: one for each change', async () => {
  const ids = Array.from({ length: 8 }, () => newId(now));
  const [expired, renewed, longer, made] = ids;
  const base = {
    user_id: ids[4],
    course_id: 'c',
    first_event: ids[5],
    second_event: ids[6],
    chosen: 'standard',
  };
  const rows = await runParts<{ type: string; data: object }>(
    {
      step: [
        { ...base, n: 0, action: 'replace', enroll_id: ids[7] },
        { ...base, n: 1, action: 'renew', enroll_id: ids[7] },
        { ...base, n: 2, action: 'extend', former_id: longer, reference: 'more' },
        { ...base, n: 3, action: 'create', enroll_id: made },
      ],
      ended: [
        { ...base, n: 0, enroll_id: expired, status: 'expired' },
        { ...base, n: 1, enroll_id: renewed, status: 'completed' },
      ],
      extended: [{ ...base, enroll_id: longer, status: 'enrolled', expires_at: hours(24) }],
      inserted: [{ ...base, enroll_id: made, duration_id: 'standard', reference: null }],
    },
    [],
    `select event.type, event.data from (${eventRows}) event
      (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data) order by event.type`,
  );
  assert.deepEqual(rows, [
    { type: 'enrolment.created', data: { DurationID: 'standard', Reference: null } },
    { type: 'enrolment.expired', data: { Status: 'expired' } },
    {
      type: 'enrolment.extended',
      data: {
        ...{ DurationID: 'standard', ExpiresAt: '2026-06-02T12:00:00.000Z' },
        ...{ Status: 'enrolled', Reference: 'more' },
      },
    },
    { type: 'enrolment.renewed', data: { NewEnrollID: ids[7], Status: 'completed' } },
  ]);
});
