import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const keyOptions = {
  ec: ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
  rsa: ['rsa:2048'],
};

/** Writes a self-signed certificate for localhost or other names, and its key. */
export function writeCertificate(
  folder: string,
  names = 'DNS:localhost,IP:127.0.0.1',
  kind: keyof typeof keyOptions = 'ec',
): { certFile: string; keyFile: string } {
  const [certFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const { status, error, stderr } = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', ...keyOptions[kind], '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-addext', `subjectAltName=${names}`],
      ...['-out', certFile, '-keyout', keyFile],
    ],
    { encoding: 'utf8' },
  );
  if (error)
    throw new Error('This test makes a certificate with openssl. Install it (apt-get install openssl).', {
      cause: error,
    });
  if (status !== 0) throw new Error(`openssl failed: ${stderr}`);
  return { certFile, keyFile };
}
