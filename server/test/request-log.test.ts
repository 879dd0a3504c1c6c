import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildApp } from '../src/app.ts';
import { startService } from './support/service.ts';
import { newTenant } from './support/tenant.ts';

const service = await startService();
after(service.close);

type Line = {
  route: string | null;
  status: number;
  key: string | null;
  address: string;
  tenant: string | null;
};

/** A node whose request log is recorded. */
async function loggedNode() {
  const lines: Line[] = [];
  const log = Object.assign(Object.create(service.ctx.log), {
    info: (line: Line) => void lines.push(line),
    isLevelEnabled: () => true,
  });
  const { api } = await buildApp({ ...service.ctx, log });
  after(() => api.close());
  const call = async (method: 'GET' | 'POST', url: string, key: string | null) => {
    await api.inject({ method, url, headers: key === null ? {} : { authorization: `Bearer ${key}` } });
    return lines.at(-1);
  };
  return { call };
}

test('the log names the caller and the address of rejected requests, and contains no secret', async () => {
  const { call } = await loggedNode();
  const tenant = await newTenant(service);
  const made = async (fields: object) =>
    (await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'x', ...fields })).body;
  const narrow = await made({ Scopes: ['users:read'] });
  const revoked = await made({});
  await service.api('DELETE', `/tenant/${tenant.TenantID}/key/${revoked.KeyID}`);
  const seen = [
    await call('GET', '/user', tenant.key),
    await call('GET', '/webhook', narrow.Secret),
    await call('GET', '/tenant', narrow.Secret),
    await call('GET', '/user', revoked.Secret),
    await call('GET', '/user', 'lectern_nobody-has-this-key-0123456789'),
    await call('GET', '/user', null),
  ];
  assert.deepEqual(
    seen.map((line) => line && [line.status, line.key, line.address]),
    [
      [200, tenant.keyId, '127.0.0.1'],
      [403, narrow.KeyID, '127.0.0.1'],
      [403, narrow.KeyID, '127.0.0.1'],
      [401, revoked.KeyID, '127.0.0.1'],
      [401, null, '127.0.0.1'],
      [401, null, '127.0.0.1'],
    ],
  );
  const text = JSON.stringify(seen);
  for (const secret of [tenant.key, narrow.Secret, revoked.Secret]) assert.ok(!text.includes(secret));
});
