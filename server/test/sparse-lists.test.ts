import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fillLists } from './support/many-rows.ts';
import { startService } from './support/service.ts';
import { expectStatus, newTenant } from './support/tenant.ts';

// Tests lists in which few rows match. Pages must be full and contain each row once. The test finds the expected rows by
// reading the list without filters.

const service = await startService();
after(service.close);
const tenant = await newTenant(service);
const names = await fillLists(service, tenant.TenantID);
const rare = `/* across tenants: a test makes events of a rare type */
  update event set type = 'enrolment.completed' where enroll_id is not null and right(event_id::text, 3) in ('777', 'abc')`;
await service.ctx.engine.query({ text: rare, values: [] });

type Item = Record<string, unknown>;

const idOf = (item: Item) =>
  String(item.EventID ?? item.AuditID ?? item.DeliveryID ?? item.EnrollID ?? item.KeyID ?? item.LoginID);

async function pagesOf(path: string, limit: number): Promise<Item[][]> {
  const pages: Item[][] = [];
  const isLog = path.startsWith('/events') && !path.includes('newest');
  for (let cursor = ''; ; ) {
    const reply = await tenant.api('GET', `${path}&Limit=${limit}${cursor}`);
    expectStatus(reply, 200);
    const { Items, NextCursor } = reply.body;
    // The event log always returns a cursor, so a short page marks its end.
    if (isLog && Items.length < limit) return Items.length > 0 ? [...pages, Items] : pages;
    pages.push(Items);
    if (NextCursor === null) return pages;
    cursor = `&Cursor=${NextCursor}`;
  }
}

async function allOf(path: string): Promise<Item[]> {
  return (await pagesOf(path, 200)).flat();
}

const users = await allOf('/user?');
const enrolments = await allOf('/enrolment?');
const events = await allOf('/events?');
const audit = await allOf('/audit?');
const keys = await allOf('/enrolment/key?');
const groups = new Map(users.map(({ LoginID, GroupName }) => [LoginID, GroupName]));
const isOf = (group: string) => (item: Item) => groups.get(item.LoginID) === group;
const ends = ({ ExpiresAt, Status }: Item) =>
  typeof ExpiresAt === 'string' && ExpiresAt > '2030' && Status !== 'withdrawn';

const someone = audit[40]?.ActorID;
const cases: Record<string, [Item[], (item: Item) => boolean]> = {
  '/user?GroupName=large&Enabled=false': [users, () => false],
  '/user?GroupName=late&Enabled=false': [users, (item) => item.GroupName === 'late' && !item.Enabled],
  '/user?GroupName=large&Enabled=true': [users, (item) => item.GroupName === 'large'],
  '/user?Search=zoe&GroupName=large': [users, () => false],
  '/user?Search=last8&GroupName=large': [
    users,
    (item) => item.GroupName === 'large' && String(item.LastName).startsWith('Last8'),
  ],
  '/user?Search=mail&GroupName=small': [users, (item) => item.GroupName === 'small'],
  '/user?Search=user-1&GroupName=late': [
    users,
    (item) => item.GroupName === 'late' && String(item.LoginID).startsWith('user-1'),
  ],
  '/enrolment?GroupName=large&Status=withdrawn': [
    enrolments,
    (item) => isOf('large')(item) && item.Status === 'withdrawn',
  ],
  '/enrolment?CourseID=lists-0&GroupName=large': [
    enrolments,
    (item) => isOf('large')(item) && item.CourseID === 'lists-0',
  ],
  '/enrolment?CourseID=lists-1&GroupName=small&Status=completed': [
    enrolments,
    (item) => isOf('small')(item) && item.CourseID === 'lists-1' && item.Status === 'completed',
  ],
  '/enrolment?Status=expired&GroupName=late': [
    enrolments,
    (item) => isOf('late')(item) && item.Status === 'expired',
  ],
  '/enrolment?ChangedAfter=2024-01-01T00:00:00Z&Status=withdrawn': [
    enrolments,
    (item) => item.Status === 'withdrawn',
  ],
  '/enrolment?ChangedAfter=2024-01-01T00:00:00Z&GroupName=small': [enrolments, isOf('small')],
  '/enrolment?ChangedAfter=2024-01-01T00:00:00Z&LoginID=user-9': [
    enrolments,
    (item) => item.LoginID === 'user-9',
  ],
  '/enrolment?ExpiresAfter=2030-01-01T00:00:00Z&GroupName=late': [
    enrolments,
    (item) => isOf('late')(item) && ends(item),
  ],
  '/enrolment?Search=user-1&GroupName=late': [
    enrolments,
    (item) => isOf('late')(item) && String(item.LoginID).startsWith('user-1'),
  ],
  '/enrolment?Search=last77': [enrolments, (item) => String(item.LoginID).endsWith('77')],
  '/enrolment?Search=zoe&Status=withdrawn': [
    enrolments,
    (item) => item.Status === 'withdrawn' && /[13579]$/.test(String(item.LoginID)),
  ],
  '/enrolment?Search=zoe&GroupName=large': [enrolments, () => false],
  '/events?Types=enrolment.completed': [events, (item) => item.Type === 'enrolment.completed'],
  '/events?Types=user.erased': [events, () => false],
  '/events?LoginID=user-9': [events, (item) => item.LoginID === 'user-9'],
  '/events?LoginID=user-9&Types=enrolment.completed': [events, () => false],
  [`/events?EnrollID=${names.EnrollID}`]: [events, (item) => item.EnrollID === names.EnrollID],
  '/audit?Action=user.exported': [audit, (item) => item.Action === 'user.exported'],
  [`/audit?ActorID=${someone}&Action=user.exported`]: [audit, () => false],
  '/audit?LoginID=user-7&Action=enrolment.withdrawn': [
    audit,
    // Every hundredth entry has user-7 as its actor. Two more entries concern enrolments of user-7.
    (item) =>
      item.Action === 'enrolment.withdrawn' &&
      (Number(item.Number) % 100 === 6 || item.TargetName === 'user-7'),
  ],
  '/enrolment/key?PurchaseOrder=order-3&Status=available': [
    keys,
    (item) => item.PurchaseOrder === 'order-3' && item.Status === 'available',
  ],
  '/enrolment/key?Status=scheduled': [keys, (item) => item.Status === 'scheduled'],
};

for (const [path, [all, isWanted]] of Object.entries(cases))
  for (const order of path.startsWith('/user') ? [''] : ['&Order=oldest', '&Order=newest'])
    test(`GET ${path}${order} returns each row once, on full pages`, async () => {
      const pages = await pagesOf(path + order, 7);
      const expected = all.filter(isWanted).map(idOf);
      const found = pages.flat().map(idOf);
      assert.equal(new Set(found).size, found.length);
      assert.deepEqual(found.toSorted(), expected.toSorted());
      for (const page of pages.slice(0, -1)) assert.equal(page.length, 7);
      if (pages.length > 1) assert.notEqual(pages.at(-1)?.length, 0);
    });

test('deliveries with a rare status are found, newest first', async () => {
  const pages = await pagesOf(`/webhook/${names.WebhookID}/delivery?Status=failed`, 7);
  assert.deepEqual(
    pages.map(({ length }) => length),
    [7, 7, 1],
  );
});

test('the overview counts each event once, even if there are more events than one statement reads', async () => {
  for (const table of ['activity_log', 'activity_day'])
    await service.ctx.engine.query({
      text: `/* across tenants: a test counts from the beginning */ delete from ${table}`,
      values: [],
    });
  const created = events.filter(({ Type }) => Type === 'enrolment.created').length;
  for (let n = 0; n < 2; n++) {
    const reply = await tenant.api('GET', '/overview?Days=2');
    expectStatus(reply, 200);
    const counted = reply.body.Days.map(({ Enrolments }: { Enrolments: number }) => Enrolments);
    assert.equal(counted[0] + counted[1], created);
  }
});
