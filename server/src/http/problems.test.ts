import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { errorCodes, Problem } from '../lib/errors.ts';
import { handleProblems } from './problems.ts';

const logged: { details: object; message: string }[] = [];
const log = {
  info() {},
  warn() {},
  debug() {},
  error: (details: object, message: string) => void logged.push({ details, message }),
};

async function responseTo(error: unknown) {
  const app = fastify();
  handleProblems(app, log as never);
  app.get('/', async () => {
    throw error;
  });
  const response = await app.inject('/');
  await app.close();
  return response;
}

test('a problem is returned with its status, title and detail', async () => {
  const problem = new Problem('login_throttled', 'Wait a while.', {
    param: 'Password',
    retryAfter: 7,
    differs: ['a'],
  });
  const response = await responseTo(problem);
  const { request_id, ...body } = response.json();
  assert.equal(response.statusCode, 429);
  assert.equal(response.headers['content-type'], 'application/problem+json; charset=utf-8');
  assert.equal(response.headers['retry-after'], '7');
  assert.deepEqual(body, {
    type: '/docs/errors#login_throttled',
    title: errorCodes.login_throttled[1],
    status: 429,
    detail: 'Wait a while.',
    code: 'login_throttled',
    param: 'Password',
    differs: ['a'],
  });
  assert.equal(typeof request_id, 'string');
});

test('any other error is a 500 with fixed text, and its cause appears only in the log, with the same request ID', async () => {
  for (const error of [
    new Error('relation "secret" does not exist'),
    Object.assign(new Error('x'), { statusCode: 502, code: 'SECRET' }),
    new TypeError("Cannot read properties of undefined (reading 'secret')"),
  ]) {
    logged.length = 0;
    const response = await responseTo(error);
    assert.equal(response.statusCode, 500);
    const body = response.json();
    assert.equal(body.code, 'internal_error');
    assert.ok(!/secret|relation|undefined/i.test(response.body));
    assert.equal(logged.length, 1);
    assert.deepEqual(logged[0]?.details, { request_id: body.request_id, err: error });
  }
});

test('an unknown path also returns a problem, which does not quote the request', async () => {
  const app = fastify();
  handleProblems(app, log as never);
  const response = await app.inject('/<script>?key=secret');
  assert.equal(response.statusCode, 404);
  assert.equal(response.json().code, 'not_found');
  assert.ok(!/script|secret/.test(response.body));
  await app.close();
});

test('an error of the database that is likely to be temporary is a 503', async () => {
  for (const code of ['40001', '40P01', '55P03', '57014', '23503']) {
    const response = await responseTo(Object.assign(new Error('secret'), { code }));
    assert.deepEqual([response.statusCode, response.headers['retry-after']], [503, '2'], code);
    assert.equal(response.json().code, 'unavailable');
  }
});
