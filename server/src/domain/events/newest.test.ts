import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { allPages, expectProblem, expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);

type Shown = { EventID: string; Type: string; LoginID: string | null; EnrollID: string | null };

const CourseID = await newCourse(service);

/** Two users, the first with two enrolments: six events. */
async function filled() {
  const tenant = await newTenant(service);
  const [ann, bob] = [await tenant.user(), await tenant.user()];
  const enrol = async (LoginID: string, body = {}) =>
    (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`, body)).body.EnrollID as string;
  const first = await enrol(ann);
  const other = await enrol(bob);
  const second = await enrol(ann, { IfEnrolled: 'renew' });
  expectStatus(await tenant.api('PUT', `/user/${ann}`, { FirstName: 'Ann' }), 200);
  const read = async (query: string): Promise<Shown[]> => {
    const reply = await tenant.api('GET', `/events?Limit=200&${query}`);
    expectStatus(reply, 200);
    return reply.body.Items;
  };
  return { tenant, ann, bob, first, second, other, read };
}

test('newest-first order is the reverse of oldest-first order, and its pages end', async () => {
  const { tenant, read } = await filled();
  const oldest = await read('');
  assert.equal(oldest.length, 7);
  const get = (path: string) => tenant.api('GET', path);
  const { items, pages } = await allPages(get, '/events?Order=newest', 3);
  assert.deepEqual(items, oldest.toReversed());
  assert.equal(pages, 3);
  assert.deepEqual(await read('Order=oldest'), oldest);
});

test('filters by user, enrolment and type apply in both orders', async () => {
  const { ann, bob, first, other, read } = await filled();
  const all = await read('');
  for (const order of ['oldest', 'newest'] as const) {
    const found = async (query: string) => {
      const items = await read(`Order=${order}&${query}`);
      return order === 'newest' ? items.toReversed() : items;
    };
    const of = (keep: (event: Shown) => boolean) => all.filter(keep);
    assert.deepEqual(
      await found(`LoginID=${ann}`),
      of((event) => event.LoginID === ann),
    );
    assert.deepEqual(
      (await found(`LoginID=${bob}`)).map(({ Type }) => Type),
      ['user.created', 'enrolment.created'],
    );
    assert.deepEqual(
      await found(`EnrollID=${first}`),
      of((event) => event.EnrollID === first),
    );
    assert.deepEqual(
      await found(`LoginID=${ann}&Types=enrolment.created`),
      of((event) => event.LoginID === ann && event.Type === 'enrolment.created'),
    );
    assert.deepEqual(
      await found(`LoginID=${ann}&EnrollID=${first}`),
      of((event) => event.EnrollID === first),
    );
    assert.deepEqual(await found(`LoginID=${ann}&EnrollID=${other}`), []);
    assert.deepEqual(await found('LoginID=nobody'), []);
  }
});

test("pages of a user's events continue where the previous one ended, in both orders", async () => {
  const { tenant, ann, read } = await filled();
  const all = await read(`LoginID=${ann}`);
  assert.equal(all.length, 5);
  const get = (path: string) => tenant.api('GET', path);
  assert.deepEqual((await allPages(get, `/events?Order=newest&LoginID=${ann}`)).items.toReversed(), all);
  const items: Shown[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await get(`/events?LoginID=${ann}&Limit=2${cursor}`);
    if (body.Items.length === 0) break;
    items.push(...body.Items);
    cursor = `&Cursor=${body.NextCursor}`;
  }
  assert.deepEqual(items, all);
});

test('a cursor from the other order is rejected, and so is an invalid filter', async () => {
  const { tenant } = await filled();
  for (const [from, to] of [
    ['oldest', 'newest'],
    ['newest', 'oldest'],
  ]) {
    const { NextCursor } = (await tenant.api('GET', `/events?Order=${from}&Limit=1`)).body;
    const reply = await tenant.api('GET', `/events?Order=${to}&Cursor=${NextCursor}`);
    expectProblem(reply, 422, 'validation_failed', 'Cursor');
  }
  for (const [query, param] of [
    ['Order=latest', 'Order'],
    ['LoginID=', 'LoginID'],
    ['Order=newest&Cursor=bm9uc2Vuc2U', 'Cursor'],
    ['Order=newest&EnrollID=x', 'EnrollID'],
  ])
    expectProblem(await tenant.api('GET', `/events?${query}`), 422, 'validation_failed', param);
});

test("another tenant's user has no events in this tenant's log", async () => {
  const [{ ann }, { tenant }] = [await filled(), await filled()];
  for (const order of ['oldest', 'newest'])
    assert.deepEqual((await tenant.api('GET', `/events?Order=${order}&LoginID=${ann}`)).body.Items, []);
});

test('an NDJSON export of the event log ends, although pages in ascending order always have a next cursor', async () => {
  const { tenant, read } = await filled();
  for (const order of ['oldest', 'newest']) {
    const accept = { accept: 'application/x-ndjson' };
    const reply = await tenant.api('GET', `/events?Order=${order}`, undefined, accept);
    expectStatus(reply, 200);
    const lines = String(reply.body).trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      await read(`Order=${order}`),
    );
  }
});
