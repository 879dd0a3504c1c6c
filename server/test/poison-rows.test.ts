import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { routes } from '../src/app/app.ts';
import { isInstant } from '../src/lib/instants.ts';
import { movableClock } from './support/clock.ts';
import { play } from './support/player.ts';
import { startService } from './support/service.ts';
import { expectStatus, newCourse, newTenant, unique } from './support/tenant.ts';

// A single stored row must never make a list unreadable.

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(service.close);
const { engine } = service.ctx;
const tenant = await newTenant(service);

const longest = 'P999Y9999M9999W99999DT99999H99999M99999S';
const CourseID = await newCourse(
  service,
  {},
  {
    'at launch': { Duration: longest, StartsOn: 'launch' },
    'at once': { Duration: longest },
    short: { Duration: 'PT1S', StartsOn: 'launch' },
    unlimited: {},
  },
);
const options = ['at launch', 'at once', 'short', 'unlimited'];

type Names = { LoginID: string; EnrollID: string; WebhookID: string; Key: string; CourseID: string };

const reads = routes.filter(({ method, scope }) => method === 'GET' && scope !== null);

/** Reads everything that can be read, with each order of the enrolment list. */
async function readAll(names: Names): Promise<void> {
  const all = { ...names, TenantID: tenant.TenantID };
  const headers = { tenant: tenant.TenantID };
  for (const { path, name } of reads) {
    const address = path.replaceAll(/\{(\w+)\}/g, (_, part: keyof typeof all) =>
      encodeURIComponent(all[part] ?? 'x'),
    );
    const orders = [
      '',
      'Order=newest',
      'ExpiresAfter=2020-01-01T00:00:00Z',
      'ChangedAfter=2020-01-01T00:00:00Z',
    ];
    for (const query of name === 'listEnrolments' ? orders : ['']) {
      const reply = await service.api('GET', `${address}?${query}`, undefined, undefined, headers);
      assert.ok(reply.status < 500, `${address}?${query}: ${JSON.stringify(reply.body)}`);
    }
  }
}

/** Reads the list of enrolments page by page, and checks that every client can parse its times. */
async function readList(filter = ''): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const more: string = cursor && `&Cursor=${encodeURIComponent(cursor)}`;
    const reply = await tenant.api('GET', `/enrolment?Limit=50${filter}${more}`);
    expectStatus(reply, 200);
    for (const { EnrollID, ExpiresAt, CompletedAt, StartedAt } of reply.body.Items) {
      for (const time of [ExpiresAt, CompletedAt, StartedAt])
        assert.ok(time === null || isInstant(time), String(time));
      found.push(EnrollID);
    }
    assert.equal(new Set(found).size, found.length, 'a page repeats an item of an earlier page');
    cursor = reply.body.NextCursor;
  }
  return found;
}

const enrolPath = (LoginID: string, option: string) =>
  `/enrol/${LoginID}/${CourseID}/${encodeURIComponent(option)}`;

test('an enrolment with an absurdly long duration does not break any list after 121 extensions and a launch', async () => {
  const LoginID = await tenant.user();
  const { body } = await tenant.api('POST', enrolPath(LoginID, 'at launch'));
  for (let time = 0; time < 121; time++)
    expectStatus(await tenant.api('POST', enrolPath(LoginID, 'at launch'), { IfEnrolled: 'extend' }), 200);
  await play(service, body.LaunchURL);
  expectStatus(await tenant.api('POST', enrolPath(LoginID, 'at launch'), { IfEnrolled: 'extend' }), 200);
  const read = await tenant.api('GET', `/enrolment/${LoginID}/${body.EnrollID}`);
  assert.equal(read.body.ExpiresAt, '9999-12-31T00:00:00.000Z');
  assert.ok((await readList()).includes(body.EnrollID));
  assert.ok((await readList('&ExpiresAfter=2020-01-01T00:00:00Z')).includes(body.EnrollID));
});

test('the list stays readable after any enrolments, extensions, changes and launches', async () => {
  const ends = ['9999-12-31T23:59:59.999Z', '0001-01-01T00:00:00Z', '2999-01-01T00:00:00+23:59', null];
  const step = fc.oneof(
    fc.record({
      option: fc.constantFrom(...options),
      IfEnrolled: fc.constantFrom('return', 'extend', 'renew'),
    }),
    fc.record({ ExpiresAt: fc.constantFrom(...ends) }),
    fc.constant({ launch: true as const }),
    fc.record({ Withdrawn: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const LoginID = await tenant.user();
      let { body } = await tenant.api('POST', enrolPath(LoginID, 'at launch'));
      for (const one of steps) {
        if ('launch' in one) await play(service, body.LaunchURL).catch(() => {});
        else if ('option' in one) {
          const reply = await tenant.api('POST', enrolPath(LoginID, one.option), {
            IfEnrolled: one.IfEnrolled,
          });
          assert.ok(reply.status < 500, JSON.stringify(reply.body));
          if (reply.status < 400) body = reply.body;
        } else {
          const reply = await tenant.api('PUT', `/enrolment/${LoginID}/${body.EnrollID}`, one);
          assert.ok(reply.status < 500, JSON.stringify(reply.body));
        }
      }
      await readList();
      await readList('&ExpiresAfter=2020-01-01T00:00:00Z');
    }),
    { numRuns: 25 },
  );
});

test('an enrolment key valid from the last supported year has a readable end date', async () => {
  const made = await tenant.api('POST', '/enrolment/key', {
    CourseIDs: [CourseID],
    DurationIDs: ['unlimited'],
    ValidFrom: '9999-06-01T00:00:00Z',
  });
  expectStatus(made, 201);
  assert.equal(made.body.Items[0].ValidUntil, '9999-12-31T23:59:59.999Z');
  expectStatus(await tenant.api('GET', '/enrolment/key'), 200);
});

async function world(): Promise<Names> {
  const LoginID = unique('poisoned');
  expectStatus(await tenant.api('POST', '/user', { LoginID }), 201);
  const { body } = await tenant.api('POST', enrolPath(LoginID, 'unlimited'));
  await play(service, body.LaunchURL);
  const { EnrollID } = body;
  await tenant.api('PUT', `/enrolment/${LoginID}/${EnrollID}`, { Override: { Score: 5, Reason: 'x' } });
  const hook = await tenant.api('POST', '/webhook', { URL: 'http://127.0.0.1:9/', Status: 'disabled' });
  const keys = await tenant.api('POST', '/enrolment/key', {
    CourseIDs: [CourseID],
    DurationIDs: ['unlimited'],
  });
  return { LoginID, EnrollID, WebhookID: hook.body.WebhookID, Key: keys.body.Items[0].KeyID, CourseID };
}

const poisons: Record<string, string[]> = {
  'timestamp with time zone': [
    'infinity',
    '-infinity',
    '294276-12-31 23:59:59+00',
    '10000-01-01 00:00:00+00',
    '4713-01-01 00:00:00+00 BC',
  ],
  'double precision': ['NaN', 'Infinity', '-Infinity', '1e308', '-1e308'],
};

test('times and numbers beyond the range of JSON are shown as the nearest valid value', async () => {
  const names = await world();
  const { rows: columns } = await engine.query<{
    table_name: string;
    column_name: string;
    data_type: string;
  }>({
    text: `select column_name, table_name, data_type from information_schema.columns
      where table_schema = 'public' and data_type = any($1)`,
    values: [Object.keys(poisons)],
  });
  assert.ok(columns.length > 30);
  // The test needs its own key, and the audit trail's hash chain does not allow changed times.
  const spared = ['api_key', 'setting', 'audit_entry', 'audit_chain'];
  for (const [type, values] of Object.entries(poisons))
    for (const value of values) {
      for (const { table_name, column_name, data_type } of columns) {
        if (data_type !== type || spared.includes(table_name)) continue;
        // If a constraint rejects the value, it cannot be stored at all.
        const text = `/* across tenants: a test spoils rows */ update "${table_name}" set "${column_name}" = '${value}'`;
        await engine.query({ text, values: [] }).catch(() => {});
      }
      await readAll(names);
      const read = await tenant.api('GET', `/enrolment/${names.LoginID}/${names.EnrollID}`);
      expectStatus(read, 200);
      assert.ok(isInstant(read.body.EnrolledAt), `${value} is shown as ${read.body.EnrolledAt}`);
    }
});
