import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A client application's own site. It shows launch pages in frames, and learners return to it. */
export async function openClientSite() {
  const arrivals: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://client.invalid');
    response.setHeader('content-type', 'text/html');
    if (pathname === '/back') arrivals.push(request.url ?? '');
    const policy = searchParams.get('opener-policy');
    const permissions = searchParams.get('permissions-policy');
    if (permissions) response.setHeader('permissions-policy', permissions);
    if (policy) response.setHeader('cross-origin-opener-policy', policy);
    const frame = `<iframe id="course" allow="${searchParams.get('allow') ?? ''}" width="1000" height="700" src="${searchParams.get('launch')?.replaceAll('&', '&amp;')}"></iframe>`;
    response.end(`<!doctype html><title>Portal</title>${pathname === '/framed' ? frame : '<h1>Back</h1>'}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The browser treats a different name for this machine as a different site.
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    arrivals,
    returnURL: `${origin}/back?a=1&b=2`,
    framed: (
      launchURL: string,
      more: { allow?: string; 'opener-policy'?: string; 'permissions-policy'?: string } = {},
    ) => `${origin}/framed?${new URLSearchParams({ launch: launchURL, ...more })}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
