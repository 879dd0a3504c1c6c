import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { aiccPage } from './course-packages.ts';

const folder = join(import.meta.dirname, '../../courses/recovery-position');
const pages = new Map<string, { type: string; content: string | Buffer }>([
  ['/index.html', { type: 'text/html', content: readFileSync(join(folder, 'index.html')) }],
  ['/report.js', { type: 'text/javascript', content: readFileSync(join(folder, 'report.js')) }],
  ['/aicc.html', { type: 'text/html', content: aiccPage('A page of the provider') }],
]);

/**
 * A server of a content provider, with the page of one of our cmi5 courses and an AICC page. It sets a cookie, as such
 * servers do.
 */
export async function openContentSite() {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://content.invalid');
    const page = pages.get(pathname);
    if (!page) return response.writeHead(404).end();
    response.setHeader('content-type', page.type);
    response.setHeader('set-cookie', 'provider=1; path=/');
    return response.end(page.content);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // The browser treats another name for this machine as another site.
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
