import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { movableClock } from '../../../test/support/clock.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant } from '../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
after(service.close);

test('many failures do not hide an attack on one account: the first failure of a known user is always recorded', async () => {
  const { TenantID, api, user } = await newTenant(service);
  const Password = 'a'.repeat(64);
  const [bob, eve] = [await user({ Password }), await user({ Password })];
  const fail = async (LoginID: string) =>
    expectStatus(await service.api('POST', '/session', { TenantID, LoginID, Password: 'b'.repeat(64) }), 401);
  const recorded = async () => {
    const { body } = await api('GET', '/audit?Action=sign_in.failed');
    return body.Items.length as number;
  };
  await fail('nobody');
  assert.equal(await recorded(), 1);
  await service.ctx.db
    .updateTable('audit_chain')
    .set({ failures: 200 })
    .where('tenant_id', '=', TenantID)
    .execute();
  await fail('nobody');
  assert.equal(await recorded(), 1, 'another failure for an unknown user is only counted');
  for (const LoginID of [bob, bob, eve, bob]) await fail(LoginID);
  assert.equal(await recorded(), 3, 'one for each account');
  clock.advance({ minutes: 16 });
  await fail(bob);
  assert.equal(await recorded(), 4);
});

test('a wrong password in POST /user/check is also recorded, with the API key used for the call', async () => {
  const { keyId, api, user } = await newTenant(service);
  const LoginID = await user({ Password: 'a'.repeat(64) });
  await api('POST', `/user/check/${LoginID}`, { Password: 'a'.repeat(64) });
  await api('POST', `/user/check/${LoginID}`, { Password: 'b'.repeat(64) });
  const { body } = await api('GET', '/audit?Action=sign_in.failed');
  const found = body.Items.map((entry: Record<string, unknown>) => [entry.Actor, entry.ActorID, entry.Data]);
  assert.deepEqual(found, [['key', keyId, { Method: 'check' }]]);
});
