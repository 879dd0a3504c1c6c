import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from './support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from './support/tenant.ts';

const service = await startService();
after(service.close);
const tenant = await newTenant(service);
const CourseID = await newCourse(service);

test('a page on another site cannot control our windows, except for a course that it opened', async () => {
  const policyOf = async (address: string) => {
    const response = await fetch(address, { redirect: 'manual' });
    await response.arrayBuffer();
    return response.headers.get('cross-origin-opener-policy');
  };
  for (const path of [
    '/',
    '/console/',
    '/docs',
    '/docs/errors',
    '/user',
    '/session/sign-in',
    '/openapi.json',
    '/openapi-console.json',
  ])
    assert.equal(await policyOf(service.baseUrl + path), 'same-origin', path);
  const { body } = await tenant.api('POST', `/enrol/${await tenant.user()}/${CourseID}`);
  for (const link of [body.LaunchURL, `${service.baseUrl}/launch?enrolment=x&key=y`])
    assert.equal(await policyOf(link), 'unsafe-none', link);
});

const named = (name: string) => `{"LoginID":"LOGIN","CourseID":"${CourseID}","Metadata":{${name}}}`;
const poisoned = ['"__proto__":"x"', '"\\u005f_proto__":"x"', '"constructor":{"prototype":{"x":"y"}}'];

test('a field name that would change a prototype is rejected in single calls, bulk calls and CSV, and nobody is enrolled', async () => {
  const LoginID = await tenant.user();
  const bulk = async (path: string, body: string, type: string) => {
    const reply = await tenant.api('POST', path, body, { 'content-type': type });
    expectStatus(reply, 200);
    return JSON.parse(String(reply.body).split('\n')[0] ?? '');
  };
  for (const name of poisoned) {
    const body = `{"Metadata":{${name}}}`;
    expectProblem(await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`, body), 400, 'malformed_request');
    const row = named(name).replace('LOGIN', LoginID);
    const line = await bulk('/enrol/bulk', row, 'application/x-ndjson');
    assert.deepEqual([line.Status, line.code], [400, 'malformed_request'], row);
    const user = await bulk('/user/bulk', `{"LoginID":"p",${name}}`, 'application/x-ndjson');
    assert.equal(user.Status, 400, name);
  }
  for (const column of ['Metadata.__proto__', '__proto__', '__proto__.x']) {
    const csv = `LoginID,CourseID,${column}\n${LoginID},${CourseID},x\n`;
    assert.equal((await bulk('/enrol/bulk', csv, 'text/csv')).Status, 400, column);
  }
  assert.deepEqual((await tenant.api('GET', `/enrolment/${LoginID}`)).body.Items, []);
  const deep = `{"LoginID":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  assert.equal((await bulk('/user/bulk', deep, 'application/x-ndjson')).Status, 422);
});
