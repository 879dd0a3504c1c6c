import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../infra/context/config.ts';
import { sessionCookie } from './cookie.ts';

test('the cookie is Secure behind a proxy, with or without BASE_URL', () => {
  for (const env of [{}, { BASE_URL: 'https://lectern.example' }]) {
    const config = readConfig({ HOST: '0.0.0.0', TRUST_PROXY: 'true', ...env });
    assert.match(sessionCookie({ config }, 'token', 60), /^__Host-lectern_session=token; .*; Secure$/);
  }
  assert.doesNotMatch(sessionCookie({ config: readConfig({}) }, 'token', 60), /Secure/);
});
