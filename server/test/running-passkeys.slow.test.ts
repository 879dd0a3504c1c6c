import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newAuthenticator } from './support/passkeys.ts';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  freePorts,
  startProcess,
  stopProcess,
} from './support/process.ts';

after(cleanUp);

test('the built service verifies passkeys', async () => {
  const [PORT = '', CONTENT_PORT = ''] = (await freePorts(2)).map(String);
  const baseUrl = `http://localhost:${PORT}`;
  const settings = await databaseSettings();
  const service = await startProcess({ ...settings, PORT, CONTENT_PORT, BASE_URL: baseUrl });
  let headers: Record<string, string> = { authorization: `Bearer ${bootstrapKey}`, tenant: 'acme' };
  const post = async (path: string, body: object = {}) => {
    const response = await fetch(service.baseUrl + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...headers, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.ok(response.status < 400, `${path}: ${response.status} ${text}`);
    const cookie = response.headers.get('set-cookie')?.split(';')[0];
    if (cookie) headers = { cookie };
    return text.startsWith('{') ? JSON.parse(text) : null;
  };
  await post('/tenant', { TenantID: 'acme' });
  await post('/user', { LoginID: 'ada', IsAdmin: true });
  const { SignInURL } = await post('/user/session/ada');
  await post('/session/sign-in', { token: new URL(SignInURL).searchParams.get('token') });

  const key = newAuthenticator({ ctx: { config: { baseUrl } } });
  const challenge = async (Purpose: string): Promise<string> =>
    (await post('/session/passkey/challenge', { Purpose })).Challenge;
  const added = await post('/session/passkey', key.create(await challenge('add')));
  assert.equal(added.Name, 'Laptop');
  await stopProcess(service);
});
