import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  bootstrapKey,
  cleanUp,
  databaseSettings,
  injected,
  startProcess,
  stopProcess,
} from './support/process.ts';

after(cleanUp);

type Headers = Record<string, string>;

async function call(baseUrl: string, method: string, path: string, body?: unknown, more: Headers = {}) {
  const headers = {
    authorization: `Bearer ${bootstrapKey}`,
    tenant: 'kill',
    'content-type': 'application/json',
    ...more,
  };
  const answer = await fetch(baseUrl + path, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

test('if a node is killed between commit and response, the retry finds the result', async () => {
  const home = await databaseSettings();
  const first = await startProcess(home);
  await call(first.baseUrl, 'POST', '/tenant', { TenantID: 'kill' });
  await call(first.baseUrl, 'PUT', '/course/web', { Title: 'Web', URL: 'https://web.example/' });
  await call(first.baseUrl, 'PUT', '/course/web/option/standard', {});
  await call(first.baseUrl, 'POST', '/user', { LoginID: 'bob' });
  await stopProcess(first);

  const cases = [
    { path: '/user', body: { LoginID: 'ann' }, header: {}, again: 200, type: 'user.created', who: 'ann' },
    {
      path: '/enrol/bob/web',
      body: { Reference: 'order 7' },
      header: { 'idempotency-key': 'order-7' },
      again: 201,
      type: 'enrolment.created',
      who: 'bob',
    },
  ];
  for (const { path, body, header, again, type, who } of cases) {
    const doomed = await startProcess({ ...home, ...injected('die before answer', { INJECT_PATH: path }) });
    await assert.rejects(call(doomed.baseUrl, 'POST', path, body, header), path);
    assert.deepEqual(await doomed.exited, { code: null, signal: 'SIGKILL' });
    const next = await startProcess(home);
    const retried = await call(next.baseUrl, 'POST', path, body, header);
    assert.equal(retried.status, again, JSON.stringify(retried.body));
    const isKeyed = 'idempotency-key' in header;
    assert.equal(retried.headers.get('idempotency-replayed'), isKeyed ? 'true' : null);
    const { body: log } = await call(next.baseUrl, 'GET', '/events?Limit=200');
    const about = log.Items.filter(
      ({ Type, LoginID }: Record<string, string>) => Type === type && LoginID === who,
    );
    assert.equal(about.length, 1, 'the change took effect once');
    await stopProcess(next);
  }
  console.log(
    `killed between commit and response: ${cases.length} of ${cases.length} retries found the result`,
  );
});
