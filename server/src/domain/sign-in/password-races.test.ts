import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { startService } from '../../../test/support/service.ts';
import { browser, ownPage } from '../../../test/support/sign-in.ts';
import { expectStatus, newTenant } from '../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const tenant = await newTenant(service);
const hashOf = (password: string) => createHash('sha256').update(password).digest('hex');

test('a new password ends all sessions opened with the old one, even if they are opened during the change', async () => {
  const LoginID = await tenant.user();
  let password = hashOf('0');
  const set = (Password: string) => tenant.api('PUT', `/user/password/${LoginID}`, { Password });
  expectStatus(await set(password), 204);
  const signIn = (Password: string) =>
    service.api('POST', '/session', { TenantID: tenant.TenantID, LoginID, Password }, '', ownPage);
  for (let round = 1; round <= 8; round++) {
    const old = password;
    password = hashOf(String(round));
    const opening = Array.from({ length: 6 }, () => signIn(old));
    const [changed, ...opened] = await Promise.all([set(password), ...opening]);
    expectStatus(changed, 204);
    for (const { status, headers } of opened) {
      if (status !== 200) continue;
      const page = browser(service, headers.get('set-cookie')?.split(';')[0] ?? '');
      assert.equal((await page('GET', '/session')).status, 401, `round ${round}`);
    }
    expectStatus(await signIn(password), 200);
  }
});
