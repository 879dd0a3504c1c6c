import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from './support/service.ts';
import { newTenant } from './support/tenant.ts';

const service = await startService();
const tenant = await newTenant(service);
const send = (method: string, path: string, type: string, body?: string) =>
  fetch(service.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': type },
    ...(body !== undefined && { body }),
  });

test('an empty body is accepted with any content type, and another one only as JSON', async () => {
  const LoginID = await tenant.user();
  for (const type of ['text/plain', 'application/x-unknown', 'application/json'])
    assert.equal((await send('POST', `/user/session/${LoginID}`, type, '')).status, 201, type);
  assert.equal((await send('POST', `/user/session/${LoginID}`, 'text/plain', '{}')).status, 415);
});

test('a slash at the end of a path changes nothing, and an encoded one belongs to the identifier', async () => {
  const LoginID = await tenant.user();
  const read = (path: string) => send('GET', path, 'application/json');
  assert.equal((await read(`/user/${LoginID}/`)).status, 200);
  assert.equal((await read('/user/?Limit=1')).status, 200);
  assert.equal((await read(`/user/${LoginID}%2F`)).status, 404);
});
