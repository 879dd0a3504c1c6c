import { readFileSync } from 'node:fs';
import { writeStandAlone } from '../../server/test/support/nginx.ts';
import { runProcess, temporaryFolder } from '../../server/test/support/process.ts';

type Ports = { api: number; content: number; front: number; frontContent: number; http2: number };

/** Starts nginx with the recipe in deploy/, without TLS, in front of a service. `cleanUp` stops it. */
export async function startNginx({ api, content, front, frontContent, http2 }: Ports): Promise<void> {
  const recipe = readFileSync(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8');
  const folder = await temporaryFolder();
  const fronts = [
    `listen 127.0.0.1:${front};\n    listen 127.0.0.1:${http2} http2;`,
    `listen 127.0.0.1:${frontContent};`,
  ];
  const local = recipe
    .replace(/^server \{\n {4}listen 80;[^}]*\}\n/m, '')
    .replaceAll('listen 443 ssl http2;', () => fronts.shift() ?? '')
    .replaceAll(/^ *ssl_certificate.*\n/gm, '')
    .replaceAll('proxy_set_header Host $host;', 'proxy_set_header Host $http_host;')
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${api}`)
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${content}`)
    .replaceAll('/var/log/nginx', folder);
  // A worker would outlive its master, which is killed.
  const alone = ['-g', 'master_process off;'];
  runProcess('/usr/sbin/nginx', ['-p', folder, '-c', writeStandAlone(folder, local, 16_384), ...alone], {});
}
