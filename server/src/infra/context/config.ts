import { createPrivateKey, X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { isLoopback, isMailAddress } from '../../lib/address.ts';
import {
  ConfigError,
  type CountSetting,
  countSetting,
  type Environment,
  type Setting,
} from '../../lib/settings.ts';
import { parseKeys, type WrittenKey } from '../keys/key-ring.ts';
import type { StorageSettings } from '../storage/object-store.ts';

/** Error messages never show the URL, because it may contain a password. */
function databaseUrl(env: Environment): string | null {
  const text = env.DATABASE_URL;
  if (!text) return null;
  if (!/^postgres(ql)?:\/\//.test(text))
    throw new ConfigError('DATABASE_URL', 'must begin with postgres:// or postgresql://.');
  if (!URL.canParse(text) || (new URL(text).hostname === '' && !text.includes('host=')))
    throw new ConfigError('DATABASE_URL', 'must name a server, as in postgres://user@host:5432/database.');
  return text;
}

function storage(env: Environment): StorageSettings | null {
  const text = env.STORAGE_URL;
  if (!text) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const unknown = url && [...url.searchParams.keys()].find((name) => !['endpoint', 'region'].includes(name));
  if (url?.protocol !== 's3:' || !url.hostname || url.username || url.hash || unknown)
    throw new ConfigError(
      'STORAGE_URL',
      'must name a bucket, as in s3://BUCKET/PREFIX?endpoint=https://s3.internal:9000&region=eu-central-1.',
    );
  const region = url.searchParams.get('region') || 'us-east-1';
  const endpoint = url.searchParams.get('endpoint') || `https://s3.${region}.amazonaws.com`;
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    throw new ConfigError(
      'STORAGE_URL',
      `the endpoint "${endpoint}" must be a URL such as https://s3.internal:9000.`,
    );
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    accessKeyId: requiredWith(env, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: requiredWith(env, 'AWS_SECRET_ACCESS_KEY'),
    cacheBytes: count(env, 'STORAGE_CACHE'),
  };
}

function requiredWith(env: Environment, name: 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY'): string {
  const value = env[name];
  if (!value) throw new ConfigError(name, 'is required with STORAGE_URL. Set it to the key of the store.');
  return value;
}

type TlsFiles = { certFile: string; keyFile: string };

function file(env: Environment, name: Setting): string | null {
  const path = env[name];
  if (!path) return null;
  if (!existsSync(path)) throw new ConfigError(name, `the file "${path}" does not exist.`);
  return resolve(path);
}

/** Checks the certificate and its key at start-up. A renewed pair is checked when it is loaded. */
function tlsFiles(env: Environment): TlsFiles | null {
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
function dataFolder(env: Environment): string {
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

export type MailServer = {
  readonly host: string;
  readonly port: number;
  /** `implicit` means TLS from the first byte. `starttls` means that the connection must be upgraded to TLS. */
  readonly tls: 'implicit' | 'starttls' | 'none';
  readonly user: string | null;
  readonly password: string | null;
  /** The sender's address. */
  readonly from: string;
};

const defaultPorts = { 'smtp:': 587, 'smtps:': 465 } as const;

function tracesUrl({ OTEL_EXPORTER_OTLP_ENDPOINT: url }: Environment): string | null {
  if (!url) return null;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new ConfigError('OTEL_EXPORTER_OTLP_ENDPOINT', 'must be a URL, as in http://collector:4318.');
  return url;
}

/** Error messages never show the URL, because it may contain a password. */
export function mailServer(env: Environment): MailServer | null {
  const { SMTP_URL: text, MAIL_FROM: from = '' } = env;
  if (!text) return null;
  if (!/^smtps?:\/\//.test(text)) throw new ConfigError('SMTP_URL', 'must begin with smtp:// or smtps://.');
  const url = URL.canParse(text) ? new URL(text) : null;
  const isKnown = url?.search === '' || url?.search === '?tls=none';
  if (!url?.hostname || !isKnown || url.hash || !['', '/'].includes(url.pathname))
    throw new ConfigError('SMTP_URL', 'must name a server, as in smtp://user:password@mail.example:587.');
  if (from === '')
    throw new ConfigError(
      'MAIL_FROM',
      'is required with SMTP_URL. Set it to the sender address of all emails.',
    );
  if (!isMailAddress(from))
    throw new ConfigError(
      'MAIL_FROM',
      `must be an address such as noreply@lectern.example, but is "${from}".`,
    );
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, ...transportOf(url, host), ...credentialsOf(url), from };
}

function transportOf(url: URL, host: string): Pick<MailServer, 'port' | 'tls'> {
  const isImplicit = url.protocol === 'smtps:';
  if (isImplicit && url.search !== '')
    throw new ConfigError('SMTP_URL', 'has tls=none, which needs smtp:// instead of smtps://.');
  const port = Number(url.port) || defaultPorts[isImplicit ? 'smtps:' : 'smtp:'];
  if (isImplicit) return { port, tls: 'implicit' };
  return { port, tls: url.search !== '' || isLoopback(host) ? 'none' : 'starttls' };
}

function credentialsOf({ username, password }: URL): Pick<MailServer, 'user' | 'password'> {
  if (username === '') return { user: null, password: null };
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch (cause) {
    throw new ConfigError('SMTP_URL', 'has a % that is not part of a percent-encoded character.', { cause });
  }
}

/** Browsers bind passkeys to a host name, not to an IP address. Null: passkeys do not work at this address. */
export function relyingPartyOf(baseUrl: string): string | null {
  const { hostname } = new URL(baseUrl);
  return isIP(hostname) === 0 && !hostname.startsWith('[') ? hostname : null;
}

function operatorPasskeyRequired(isRequired: boolean, baseUrl: string): boolean {
  if (isRequired && relyingPartyOf(baseUrl) === null)
    throw new ConfigError(
      'OPERATOR_PASSKEY_REQUIRED',
      `needs a host name in BASE_URL, because passkeys do not work with an IP address such as ${new URL(baseUrl).hostname}.`,
    );
  return isRequired;
}

/** The configuration of one process, read once from the environment, validated and frozen. */
export type Config = {
  host: string;
  port: number;
  /** Origin of the API, without a trailing slash. */
  baseUrl: string;
  contentPort: number;
  /**
   * Origin of the player and of all course files, which is never the API's origin. In a wildcard origin, each
   * course of each tenant has its own label in place of the `*`.
   */
  contentUrl: string;
  tls: TlsFiles | null;
  /** Number of proxies in front of the service that append to X-Forwarded-For; 0 if there are none. */
  trustProxy: number;
  /** Port for health and metrics; null if they are on the API's port. */
  operationsPort: number | null;
  databaseUrl: string | null;
  /** Maximum database connections of each process. */
  databaseConnections: number;
  /** Whether to use named prepared statements. Connection poolers in transaction mode may not support them. */
  statementNames: boolean;
  /** Maximum concurrent API calls on this node. Learners may have twice as many, anonymous callers a quarter. */
  maxInFlight: number;
  /** Seconds for which a node that is shutting down reports "not ready" before it refuses connections. */
  drainSeconds: number;
  dataDir: string;
  /** The object store of course files; null if they are in the data folder. */
  storage: StorageSettings | null;
  bootstrapKey: string | null;
  /** Whether the operator's sessions need a passkey. */
  operatorPasskeyRequired: boolean;
  /** The key ring; null if it is a file in the data folder. */
  signingKeys: readonly WrittenKey[] | null;
  logLevel: string;
  /** Calls per minute for each key and node; 0 means no limit. */
  rateLimit: number;
  /** Maximum uncompressed bytes and entries of a package. */
  packageBytes: number;
  packageEntries: number;
  /** Time limit for reading one package, in seconds. */
  importSeconds: number;
  /** Hosts, addresses and networks (CIDR) that webhooks may reach even if they are private or lack HTTPS. */
  webhookAllow: readonly string[];
  /** Where traces are sent; null if there are none. */
  tracesUrl: string | null;
  /** Null if the service sends no email. */
  mail: MailServer | null;
  /** Emails per hour for each tenant; 0 means no limit. */
  mailRateLimit: number;
  /** Number of days after enrolment during which a withdrawal frees its seat. */
  seatGraceDays: number;
  /** Number of days for which commits are still accepted after access or a session has ended. */
  lateResultsDays: number;
};

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

function count(env: Environment, name: CountSetting): number {
  const { default: fallback, min, max } = countSetting(name);
  return wholeNumber(env, name, fallback, min, max);
}

function wholeNumber(env: Environment, name: Setting, fallback: number, min: number, max: number): number {
  const text = env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max)
    throw new ConfigError(name, `must be a whole number from ${min} to ${max}, but is "${text}".`);
  return value;
}

function origin(env: Environment, name: Setting, fallback: string): string {
  const text = env[name] || fallback;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.username || url?.password)
    throw new ConfigError(name, 'must be an origin without a user name or password.');
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash)
    throw new ConfigError(name, `must be an origin such as https://lectern.example, but is "${text}".`);
  return url.origin;
}

/** Course labels take 41 of the 253 characters of a host name. */
const maxParentLength = 212;

function checkWildcard(baseUrl: string, contentUrl: string): void {
  const [{ hostname }, content] = [new URL(baseUrl), new URL(contentUrl).hostname];
  if (hostname.includes('*')) throw new ConfigError('BASE_URL', 'must name one host, without a *.');
  if (!content.includes('*')) return;
  const parent = content.slice(2);
  if (content !== `*.${parent}` || !/^[^*.]+(\.[^*.]+)*$/.test(parent) || parent.length > maxParentLength)
    throw new ConfigError(
      'CONTENT_URL',
      `must have one *, as its whole first label, as in https://*.courses.example, but is "${contentUrl}".`,
    );
  // Courses can set cookies for their parent domain, and browsers would send these to the API.
  if (`.${hostname}`.endsWith(`.${parent}`))
    throw new ConfigError(
      'CONTENT_URL',
      `must use a domain that does not contain the API's host, but ${hostname} in BASE_URL is part of ${content}.`,
    );
}

function flag(env: Environment, name: Setting, fallback = false): boolean {
  const text = (env[name] ?? '').toLowerCase();
  if (text === '') return fallback;
  if (['0', 'false', 'no'].includes(text)) return false;
  if (['1', 'true', 'yes'].includes(text)) return true;
  throw new ConfigError(name, `must be true or false, but is "${env[name]}".`);
}

/**
 * `true` means one proxy. Several proxies need a number, because only the entries that our own
 * proxies appended can be trusted.
 */
function proxies(env: Environment): number {
  const text = env.TRUST_PROXY ?? '';
  if (/^[2-9]$/.test(text)) return Number(text);
  return flag(env, 'TRUST_PROXY') ? 1 : 0;
}

export function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** Whether requests to a URL are encrypted, or do not leave the computer. */
export function isProtected(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const isLocal = isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')) || hostname.endsWith('.localhost');
  return protocol === 'https:' || isLocal;
}

/** Behind a proxy, cookies and links assume HTTPS. */
function rejectPlainHttp(baseUrl: string): void {
  if (!isProtected(baseUrl))
    throw new ConfigError('BASE_URL', `must begin with https when TRUST_PROXY is set, but is "${baseUrl}".`);
}

function hostsAndNetworks(env: Environment, name: Setting): string[] {
  const entries = (env[name] ?? '')
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim());
  return entries.filter(Boolean).map((entry) => {
    const [address = '', bits, ...rest] = entry.split('/');
    const version = isIP(address);
    const maxBits = version === 6 ? 128 : 32;
    const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
    if (version !== 0 && isNetwork && rest.length === 0) return entry;
    if (version === 0 && bits === undefined && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(entry)) return entry;
    throw new ConfigError(
      name,
      `must list hosts and networks such as localhost,10.0.0.0/8, but contains "${entry}".`,
    );
  });
}

function bootstrapKey(env: Environment): string | null {
  const secret = env.BOOTSTRAP_KEY;
  if (!secret) return null;
  // The characters of a bearer token (RFC 6750 §2.1) except the dot, which marks access tokens.
  if (!/^[\w~+/=-]{32,512}$/.test(secret))
    throw new ConfigError(
      'BOOTSTRAP_KEY',
      'must have 32 to 512 random characters: letters, digits and - _ ~ + / =.',
    );
  return secret;
}

/** Error messages never show the keys. */
function signingKeys(env: Environment): Config['signingKeys'] {
  if (!env.SIGNING_KEYS) return null;
  try {
    return parseKeys(env.SIGNING_KEYS);
  } catch (cause) {
    throw new ConfigError('SIGNING_KEYS', cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Ports assigned by the system (0) never conflict. */
function assertDistinctPorts(ports: readonly (readonly [Setting, number | null])[]): void {
  const seen = new Map<number, Setting>();
  for (const [name, port] of ports) {
    const other = port ? seen.get(port) : undefined;
    if (other) throw new ConfigError(name, `must differ from ${other}, but both are ${port}.`);
    if (port) seen.set(port, name);
  }
}

/** Reads and validates the environment. Throws a `ConfigError` that names the variable. */
export function readConfig(env: Environment): Config {
  const host = env.HOST || '127.0.0.1';
  const port = count(env, 'PORT');
  if (port === 65535 && !env.CONTENT_PORT)
    throw new ConfigError(
      'PORT',
      'must be below 65535 if CONTENT_PORT, which defaults to the next port, is not set.',
    );
  const contentPort = wholeNumber(env, 'CONTENT_PORT', port === 0 ? 0 : port + 1, 0, 65535);
  const operationsPort = env.OPERATIONS_PORT ? wholeNumber(env, 'OPERATIONS_PORT', 0, 0, 65535) : null;
  assertDistinctPorts([
    ['PORT', port],
    ['CONTENT_PORT', contentPort],
    ['OPERATIONS_PORT', operationsPort],
  ]);
  const tls = tlsFiles(env);
  const trustProxy = proxies(env);
  if (!tls && !trustProxy && !isLoopback(host))
    throw new ConfigError(
      'HOST',
      `plain HTTP on ${host} is refused, because the API requires HTTPS. Set TLS_CERT and TLS_KEY, or TRUST_PROXY=true behind a proxy that speaks HTTPS, or HOST=127.0.0.1.`,
    );
  const scheme = tls || trustProxy ? 'https' : 'http';
  const baseUrl = origin(env, 'BASE_URL', `${scheme}://${hostInUrl(host)}:${port}`);
  if (trustProxy) rejectPlainHttp(baseUrl);
  const contentUrl = origin(env, 'CONTENT_URL', `${scheme}://${hostInUrl(host)}:${contentPort}`);
  if (port !== 0 && baseUrl === contentUrl)
    throw new ConfigError(
      'CONTENT_URL',
      'must differ from BASE_URL, because course files need a separate origin.',
    );
  checkWildcard(baseUrl, contentUrl);
  const logLevel = env.LOG_LEVEL || 'info';
  if (!logLevels.includes(logLevel))
    throw new ConfigError('LOG_LEVEL', `must be one of ${logLevels.join(', ')}.`);
  return Object.freeze({
    host,
    port,
    baseUrl,
    contentPort,
    contentUrl,
    tls,
    trustProxy,
    operationsPort,
    databaseUrl: databaseUrl(env),
    databaseConnections: wholeNumber(env, 'DATABASE_CONNECTIONS', 10, 4, 10_000),
    statementNames: flag(env, 'STATEMENT_NAMES', true),
    maxInFlight: count(env, 'MOST_IN_FLIGHT'),
    drainSeconds: count(env, 'DRAIN_SECONDS'),
    dataDir: dataFolder(env),
    storage: storage(env),
    bootstrapKey: bootstrapKey(env),
    operatorPasskeyRequired: operatorPasskeyRequired(flag(env, 'OPERATOR_PASSKEY_REQUIRED'), baseUrl),
    signingKeys: signingKeys(env),
    logLevel,
    rateLimit: count(env, 'RATE_LIMIT'),
    packageBytes: count(env, 'PACKAGE_BYTES'),
    packageEntries: count(env, 'PACKAGE_ENTRIES'),
    importSeconds: count(env, 'IMPORT_SECONDS'),
    webhookAllow: hostsAndNetworks(env, 'WEBHOOK_ALLOW'),
    tracesUrl: tracesUrl(env),
    mail: mailServer(env),
    mailRateLimit: count(env, 'MAIL_RATE_LIMIT'),
    seatGraceDays: count(env, 'SEAT_GRACE_DAYS'),
    lateResultsDays: count(env, 'LATE_RESULTS_DAYS'),
  });
}
