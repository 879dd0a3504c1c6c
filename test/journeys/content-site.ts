import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../courses/recovery-position');
const types = { html: 'text/html', js: 'text/javascript' };

/** A server of a content provider, with the page of one of our cmi5 courses. It sets a cookie, as such servers do. */
export async function openContentSite() {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://content.invalid');
    const name = ['index.html', 'report.js'].find((file) => pathname === `/${file}`);
    if (!name) return response.writeHead(404).end();
    response.setHeader('content-type', types[name.endsWith('js') ? 'js' : 'html']);
    response.setHeader('set-cookie', 'provider=1; path=/');
    return response.end(readFileSync(join(folder, name)));
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
