import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openSocket } from '../../test/support/raw.ts';
import { startService } from '../../test/support/service.ts';
import { routes } from '../app/app.ts';
import type { Route } from './routes.ts';

const service = await startService();
after(service.close);

const methods = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT', 'OPTIONS'];
const addressOf = (path: string) => path.replaceAll(/\{\w+\}|\*/g, 'x');

/** Pages on other origins call these operations, and their browsers ask for permission with OPTIONS. */
const isForOtherOrigins = ({ path, name }: Route) =>
  path.startsWith('/xapi/') || name === 'fetchToken' || name === 'reportByHacp';

function methodsOf(route: Route): string[] {
  const { method, streamsResponse } = route;
  // A HEAD request would generate a whole document only to discard it.
  const own = method === 'GET' && !streamsResponse ? ['GET', 'HEAD'] : [method];
  return isForOtherOrigins(route) ? [...own, 'OPTIONS'] : own;
}

/** Includes methods of other routes whose parameters match the path. For example, `GET /user/bulk` reads a user. */
function methodsAt(address: string, origin: string | undefined): string[] {
  const found = routes.filter((route) => {
    const pattern = route.path.replaceAll(/\{\w+\}/g, '[^/]+').replace('*', '.*');
    return route.origin === origin && new RegExp(`^${pattern}$`).test(address);
  });
  return [...new Set(found.flatMap(methodsOf))].sort();
}

test('an unsupported method on a known path gets 405 with the allowed methods', async () => {
  let refused = 0;
  for (const { path, origin } of routes) {
    const address = addressOf(path);
    const allowed = methodsAt(address, origin);
    const baseUrl = origin === 'content' ? service.contentUrl : service.baseUrl;
    for (const method of methods.filter((one) => !allowed.includes(one))) {
      const reply = await fetch(baseUrl + address, { method });
      const body = await reply.text();
      assert.equal(reply.status, 405, `${method} ${path}`);
      assert.equal(reply.headers.get('allow'), allowed.join(', '), `${method} ${path}`);
      if (method !== 'HEAD') assert.equal(JSON.parse(body).code, 'method_not_allowed');
      refused++;
    }
  }
  assert.ok(refused > routes.length);
});

test('pages and files accept only their own methods, and unknown paths get 404', async () => {
  for (const path of [
    '/openapi.json',
    '/openapi-console.json',
    '/docs',
    '/docs/errors',
    '/console',
    '/console/users',
    '/health/live',
  ])
    assert.equal((await fetch(service.baseUrl + path, { method: 'DELETE' })).status, 405, path);
  for (const path of ['/users', '/user/a/b/c', '/playa', '/user/', '/xapi', '/xapi/none'])
    for (const method of ['PATCH', 'OPTIONS'])
      assert.equal((await fetch(service.baseUrl + path, { method })).status, 404, path);
});

test('the body of a request with an unsupported method is not read', async () => {
  for (const [origin, path] of [
    [service.baseUrl, '/user/ada'],
    [service.contentUrl, '/play/x/session'],
  ] as const) {
    const socket = await openSocket(origin);
    const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.write(`PATCH ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n{`);
    assert.match(await answered, /^HTTP\/1\.1 405 (.|\r\n)*allow: /i);
    socket.destroy();
  }
});
