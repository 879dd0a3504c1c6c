import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCertificate } from '../../server/test/support/certificate.ts';
import { png } from '../../server/test/support/images.ts';

/**
 * A host of course images with HTTPS, and the same without. Like many such hosts, it sets a cookie that other sites may
 * send. Everything except `/poster.png` is missing.
 */
export async function openImageHost() {
  const folder = mkdtempSync(join(tmpdir(), 'image-host-'));
  const { certFile, keyFile } = writeCertificate(folder);
  const tls = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  const image = png(640, 360, [0, 87, 184]);
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  const answer: Parameters<typeof createServer>[1] = (request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    response.setHeader('set-cookie', 'visitor=1; path=/; SameSite=None; Secure');
    if (request.url !== '/poster.png') return response.writeHead(404).end('Not found');
    return response.writeHead(200, { 'content-type': 'image/png', 'cache-control': 'no-store' }).end(image);
  };
  const servers = [createSecureServer(tls, answer), createServer(answer)];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  // The browser treats another name for this machine as another site.
  const [secure, plain] = servers.map((server) => `localhost:${(server.address() as AddressInfo).port}`);
  return {
    origin: `https://${secure}`,
    plainOrigin: `http://${plain}`,
    requests,
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
      rmSync(folder, { recursive: true });
    },
  };
}
