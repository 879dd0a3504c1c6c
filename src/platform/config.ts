import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';

/** The configuration of one process; read from the environment once, checked and frozen. */
export type Config = {
  host: string;
  port: number;
  /** Origin of the interface, without a trailing slash. */
  baseUrl: string;
  contentPort: number;
  /** Origin of the player and of all course files; never the origin of the interface. */
  contentUrl: string;
  tls: { certFile: string; keyFile: string } | null;
  trustProxy: boolean;
  /** Where health and metrics are served; null: beside the interface. */
  operationsPort: number | null;
  databaseUrl: string | null;
  dataDir: string;
  bootstrapKey: string | null;
  logLevel: string;
  /** Calls a minute that a key may make, over all nodes; 0: no limit. */
  rateLimit: number;
  /** Uncompressed bytes and entries that a package may have. */
  packageBytes: number;
  packageEntries: number;
  /** Hosts, addresses and networks (CIDR) to which webhooks may go though they are private or without HTTPS. */
  webhookAllow: readonly string[];
  /** Days after the enrolment in which a withdrawal frees its seat. */
  seatGraceDays: number;
};

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export class ConfigError extends Error {
  constructor(variable: string, message: string) {
    super(`${variable}: ${message}`);
    this.name = 'ConfigError';
  }
}

type Environment = Record<string, string | undefined>;

function wholeNumber(env: Environment, name: string, fallback: number, min: number, max: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max)
    throw new ConfigError(name, `must be a whole number from ${min} to ${max}, but is "${text}".`);
  return value;
}

function origin(env: Environment, name: string, fallback: string): string {
  const text = env[name] || fallback;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== '/' ||
    url.search ||
    url.hash ||
    url.username
  )
    throw new ConfigError(name, `must be an origin such as https://lectern.example, but is "${text}".`);
  return url.origin;
}

function file(env: Environment, name: string): string | null {
  const path = env[name];
  if (!path) return null;
  if (!existsSync(path)) throw new ConfigError(name, `the file "${path}" does not exist.`);
  return resolve(path);
}

function flag(env: Environment, name: string): boolean {
  const text = (env[name] ?? '').toLowerCase();
  if (['', '0', 'false', 'no'].includes(text)) return false;
  if (['1', 'true', 'yes'].includes(text)) return true;
  throw new ConfigError(name, `must be true or false, but is "${env[name]}".`);
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIP(host) === 6 ? `[${host}]` : host;
}

function databaseUrl(env: Environment): string | null {
  const text = env.DATABASE_URL;
  if (!text) return null;
  if (!/^postgres(ql)?:\/\//.test(text))
    throw new ConfigError('DATABASE_URL', 'must begin with postgres:// or postgresql://.');
  return text;
}

function allowed(env: Environment, name: string): string[] {
  const entries = (env[name] ?? '')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry) => {
    const [address = '', bits, ...rest] = entry.split('/');
    const version = isIP(address);
    const most = version === 6 ? 128 : 32;
    const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (version !== 0 && isNetwork && rest.length === 0) return entry;
    if (version === 0 && bits === undefined && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(entry)) return entry;
    throw new ConfigError(
      name,
      `must list hosts and networks such as localhost,10.0.0.0/8, but has "${entry}".`,
    );
  });
}

/** Reads and checks the environment. Throws `ConfigError` naming the variable. */
export function readConfig(env: Environment): Config {
  const host = env.HOST || '127.0.0.1';
  const port = wholeNumber(env, 'PORT', 3000, 0, 65535);
  const contentPort = wholeNumber(env, 'CONTENT_PORT', port === 0 ? 0 : port + 1, 0, 65535);
  const certFile = file(env, 'TLS_CERT');
  const keyFile = file(env, 'TLS_KEY');
  if (Boolean(certFile) !== Boolean(keyFile))
    throw new ConfigError(certFile ? 'TLS_KEY' : 'TLS_CERT', 'TLS_CERT and TLS_KEY must be set together.');
  const tls = certFile && keyFile ? { certFile, keyFile } : null;
  const trustProxy = flag(env, 'TRUST_PROXY');
  if (!tls && !trustProxy && !isLoopback(host))
    throw new ConfigError(
      'HOST',
      `plain HTTP on ${host} is refused: the interface is HTTPS. Set TLS_CERT and TLS_KEY, or TRUST_PROXY=true behind a proxy that speaks HTTPS, or HOST=127.0.0.1.`,
    );
  if (port !== 0 && port === contentPort)
    throw new ConfigError('CONTENT_PORT', 'must differ from PORT: course files need an origin of their own.');
  const scheme = tls ? 'https' : 'http';
  const baseUrl = origin(env, 'BASE_URL', `${scheme}://${hostInUrl(host)}:${port}`);
  const contentUrl = origin(env, 'CONTENT_URL', `${scheme}://${hostInUrl(host)}:${contentPort}`);
  if (port !== 0 && baseUrl === contentUrl)
    throw new ConfigError(
      'CONTENT_URL',
      'must differ from BASE_URL: course files need an origin of their own.',
    );
  const logLevel = env.LOG_LEVEL || 'info';
  if (!logLevels.includes(logLevel))
    throw new ConfigError('LOG_LEVEL', `must be one of ${logLevels.join(', ')}.`);
  const bootstrapKey = env.BOOTSTRAP_KEY || null;
  // The signs of a bearer token (RFC 6750 §2.1) but the dot, which access tokens have.
  if (bootstrapKey !== null && !/^[\w~+/=-]{32,255}$/.test(bootstrapKey))
    throw new ConfigError(
      'BOOTSTRAP_KEY',
      'must have 32 to 255 characters, chosen at random out of letters, digits and - _ ~ + / =.',
    );
  return Object.freeze({
    host,
    port,
    baseUrl,
    contentPort,
    contentUrl,
    tls,
    trustProxy,
    operationsPort: env.OPERATIONS_PORT ? wholeNumber(env, 'OPERATIONS_PORT', 0, 0, 65535) : null,
    databaseUrl: databaseUrl(env),
    dataDir: resolve(env.DATA_DIR || './data'),
    bootstrapKey,
    logLevel,
    rateLimit: wholeNumber(env, 'RATE_LIMIT', 60_000, 0, 1_000_000_000),
    packageBytes: wholeNumber(env, 'PACKAGE_BYTES', 2 * 1024 ** 3, 1, Number.MAX_SAFE_INTEGER),
    packageEntries: wholeNumber(env, 'PACKAGE_ENTRIES', 20_000, 1, 1_000_000),
    webhookAllow: allowed(env, 'WEBHOOK_ALLOW'),
    seatGraceDays: wholeNumber(env, 'SEAT_GRACE_DAYS', 14, 0, 3650),
  });
}
