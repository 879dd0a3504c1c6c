import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../test/support/service.ts';
import { expectStatus, newTenant } from '../../test/support/tenant.ts';
import { openHomePage } from './home-page.ts';

const service = await startService();
after(service.close);

test('commands do not change the home page, and the service changes it only until there are learning records', async () => {
  const openWith = (baseUrl: string, isService: boolean) => openHomePage(service.ctx, { baseUrl, isService });
  assert.equal(await openWith('https://shell.example', false), service.baseUrl);
  assert.equal(await openWith('https://first.example', true), 'https://first.example');
  const tenant = await newTenant(service);
  const statement = {
    actor: { mbox: 'mailto:ann@example.com' },
    verb: { id: 'http://adlnet.gov/expapi/verbs/attempted' },
    object: { id: 'https://courses.example/fire' },
  };
  const version = { 'x-experience-api-version': '2.0.0' };
  expectStatus(await tenant.api('POST', '/xapi/statements', statement, version), 200);
  assert.equal(await openWith('https://second.example', true), 'https://first.example');
});
