import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(() => service.close());

test('the list for a learning suite has the offered courses, also as CSV', async () => {
  const tenant = await newTenant(service);
  const other = await newTenant(service);
  const Tenants = [tenant.TenantID];
  const ID = await newCourse(service, { Tenants, Language: 'de', Description: 'Lifts, safely' });
  const retired = await newCourse(service, { Tenants, Status: 'retired' });
  await newCourse(service, { Tenants: [other.TenantID] });
  const reply = await tenant.api('GET', '/catalogue/content');
  expectStatus(reply, 200);
  const { LastModifiedUTC, ...item } = reply.body.Items.find((one: { ID: string }) => one.ID === ID);
  assert.deepEqual(item, {
    ID,
    Title: ID,
    Description: 'Lifts, safely',
    URL: `${service.baseUrl}/console/?course=${ID}`,
    IsActive: true,
    Thumbnail: null,
    Languages: 'de',
  });
  assert.ok(Date.parse(LastModifiedUTC) > 0);
  const { body } = await tenant.api('GET', '/catalogue/content?Limit=1', undefined, { accept: 'text/csv' });
  const [header, ...rows] = String(body).trim().split('\r\n');
  assert.equal(header, 'ID,Title,Description,URL,IsActive,Thumbnail,Languages,LastModifiedUTC');
  assert.deepEqual(rows.length, 2);
  assert.ok(rows.some((row) => row.startsWith(`${ID},${ID},"Lifts, safely",`)));
  assert.ok(rows.some((row) => row.includes(`?course=${retired},false,`)));
});
