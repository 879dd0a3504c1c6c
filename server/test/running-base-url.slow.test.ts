import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  type Running,
  startProcess,
  stopProcess,
} from './support/process.ts';

after(cleanUp);

const verb = { id: 'http://adlnet.gov/expapi/verbs/attempted' };
const object = { id: 'https://courses.example/fire' };

async function call({ baseUrl }: Running, method: string, path: string, body?: unknown) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${bootstrapKey}`,
      tenant: 'acme',
      'x-experience-api-version': '2.0.0',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text && JSON.parse(text) };
}

test('after BASE_URL has changed, the learning records of a person are found and erased', async () => {
  const from = await databaseSettings();
  const first = await startProcess({ ...from, BASE_URL: 'https://old.example' });
  assert.equal((await call(first, 'POST', '/tenant', { TenantID: 'acme' })).status, 201);
  assert.equal((await call(first, 'POST', '/user', { LoginID: 'ann' })).status, 201);
  const actor = { account: { homePage: 'https://old.example', name: 'ann' } };
  assert.equal((await call(first, 'POST', '/xapi/statements', { actor, verb, object })).status, 200);
  const query = new URLSearchParams({ agent: JSON.stringify(actor), activityId: object.id, stateId: 'a' });
  const state = `/xapi/activities/state?${query}`;
  assert.equal((await call(first, 'PUT', state, { page: 3 })).status, 204);
  await stopProcess(first);

  const second = await startProcess({ ...from, BASE_URL: 'https://new.example' });
  const exported = (await call(second, 'GET', '/user/ann/export')).body;
  assert.deepEqual([exported.Statements.length, exported.Documents.length], [1, 1]);
  assert.equal((await call(second, 'DELETE', '/user/ann')).status, 200);
  assert.deepEqual((await call(second, 'GET', '/xapi/statements')).body.statements, []);
  assert.equal((await call(second, 'GET', state)).status, 404);
  await stopProcess(second);
});
