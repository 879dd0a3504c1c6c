import { createPrivateKey, X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigError, type Environment, type Setting } from './settings.ts';

export type TlsFiles = { certFile: string; keyFile: string };

function file(env: Environment, name: Setting): string | null {
  const path = env[name];
  if (!path) return null;
  if (!existsSync(path)) throw new ConfigError(name, `the file "${path}" does not exist.`);
  return resolve(path);
}

/** Checks the certificate and its key at start-up. A renewed pair is checked when it is loaded. */
export function tlsFiles(env: Environment): TlsFiles | null {
  const certFile = file(env, 'TLS_CERT');
  const keyFile = file(env, 'TLS_KEY');
  if (Boolean(certFile) !== Boolean(keyFile))
    throw new ConfigError(certFile ? 'TLS_KEY' : 'TLS_CERT', 'TLS_CERT and TLS_KEY must be set together.');
  if (!certFile || !keyFile) return null;
  const certificate = readPem('TLS_CERT', certFile, (pem) => new X509Certificate(pem), 'a certificate');
  const key = readPem('TLS_KEY', keyFile, createPrivateKey, 'a private key without a passphrase');
  if (!certificate.checkPrivateKey(key))
    throw new ConfigError('TLS_KEY', 'is not the key of the certificate in TLS_CERT.');
  return { certFile, keyFile };
}

function readPem<T>(name: Setting, path: string, read: (pem: Buffer) => T, what: string): T {
  try {
    return read(readFileSync(path));
  } catch (cause) {
    throw new ConfigError(name, `the file "${path}" cannot be read as ${what} in PEM.`, { cause });
  }
}

/** The folder does not have to exist, because it is created at start-up. */
export function dataFolder(env: Environment): string {
  const folder = resolve(env.DATA_DIR || './data');
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  if (!statSync(existing).isDirectory())
    throw new ConfigError('DATA_DIR', `"${folder}" cannot be used as a folder: "${existing}" is a file.`);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new ConfigError('DATA_DIR', `"${existing}" is not writable for this user.`, { cause });
  }
  return folder;
}
