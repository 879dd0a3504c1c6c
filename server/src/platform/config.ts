import { isIP } from 'node:net';
import { dataFolder, type TlsFiles, tlsFiles } from './config-files.ts';
import { parseKeys, type WrittenKey } from './keys/key-ring.ts';
import { ConfigError, type CountSetting, countSetting, type Environment, type Setting } from './settings.ts';

/** The configuration of one process; read from the environment once, checked and frozen. */
export type Config = {
  host: string;
  port: number;
  /** Origin of the interface, without a trailing slash. */
  baseUrl: string;
  contentPort: number;
  /**
   * Origin of the player and of all course files; never the origin of the interface. A `*` as its first label stands for
   * a label of each tenant and course.
   */
  contentUrl: string;
  tls: TlsFiles | null;
  /** How many proxies in front of the service append to X-Forwarded-For; 0: none. */
  trustProxy: number;
  /** Where health and metrics are served; null: beside the interface. */
  operationsPort: number | null;
  databaseUrl: string | null;
  /** Keeps statements prepared by name. A pooler that gives each transaction another connection may not bear that. */
  statementNames: boolean;
  /** Calls of the interface in flight at once on this node; learners may have twice as many, anonymous callers a quarter. */
  mostInFlight: number;
  /** Calls a minute without valid credentials from one address; 0: no limit. */
  anonymousRateLimit: number;
  /** How long a node that was told to stop says that it is not ready before it refuses connections. */
  drainSeconds: number;
  dataDir: string;
  bootstrapKey: string | null;
  /** The key ring; null: it is a file in the data folder. */
  signingKeys: readonly WrittenKey[] | null;
  logLevel: string;
  /** Calls a minute that a key may make, over all nodes; 0: no limit. */
  rateLimit: number;
  /** Uncompressed bytes and entries that a package may have. */
  packageBytes: number;
  packageEntries: number;
  /** Seconds that reading one package may take. */
  importSeconds: number;
  /** Hosts, addresses and networks (CIDR) to which webhooks may go though they are private or without HTTPS. */
  webhookAllow: readonly string[];
  /** Days after the enrolment in which a withdrawal frees its seat. */
  seatGraceDays: number;
  /** Days after the end of access or of a session in which its commits are still taken. */
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
    throw new ConfigError(name, 'must be an origin, without a name and a password.');
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash)
    throw new ConfigError(name, `must be an origin such as https://lectern.example, but is "${text}".`);
  return url.origin;
}

/** Labels of courses take 41 of the 253 characters that a host name may have. */
const longestParent = 212;

function checkWildcard(baseUrl: string, contentUrl: string): void {
  const [{ hostname }, content] = [new URL(baseUrl), new URL(contentUrl).hostname];
  if (hostname.includes('*')) throw new ConfigError('BASE_URL', 'must name one host, without a *.');
  if (!content.includes('*')) return;
  const parent = content.slice(2);
  if (content !== `*.${parent}` || !/^[^*.]+(\.[^*.]+)*$/.test(parent) || parent.length > longestParent)
    throw new ConfigError(
      'CONTENT_URL',
      `must have its * once, as the whole first label, as in https://*.courses.example, but is "${contentUrl}".`,
    );
  // Courses can set cookies for the domain above them, and browsers would send these to the interface.
  if (`.${hostname}`.endsWith(`.${parent}`))
    throw new ConfigError(
      'CONTENT_URL',
      `needs a domain that the interface is not part of, but ${hostname} of BASE_URL belongs to ${content}.`,
    );
}

function flag(env: Environment, name: Setting, fallback = false): boolean {
  const text = (env[name] ?? '').toLowerCase();
  if (text === '') return fallback;
  if (['0', 'false', 'no'].includes(text)) return false;
  if (['1', 'true', 'yes'].includes(text)) return true;
  throw new ConfigError(name, `must be true or false, but is "${env[name]}".`);
}

/** `true` is one proxy. More are a number, because only what our own proxies appended can be believed. */
function proxies(env: Environment): number {
  const text = env.TRUST_PROXY ?? '';
  if (/^[2-9]$/.test(text)) return Number(text);
  return flag(env, 'TRUST_PROXY') ? 1 : 0;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** Behind a proxy the interface is HTTPS: cookies and links must say so. */
function refusePlain(baseUrl: string): void {
  const { protocol, hostname } = new URL(baseUrl);
  const isLocal = isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')) || hostname.endsWith('.localhost');
  if (protocol !== 'https:' && !isLocal)
    throw new ConfigError('BASE_URL', `must begin with https when TRUST_PROXY is set, but is "${baseUrl}".`);
}

/** Its value is never told: it may hold a password. */
function databaseUrl(env: Environment): string | null {
  const text = env.DATABASE_URL;
  if (!text) return null;
  if (!/^postgres(ql)?:\/\//.test(text))
    throw new ConfigError('DATABASE_URL', 'must begin with postgres:// or postgresql://.');
  if (!URL.canParse(text) || (new URL(text).hostname === '' && !text.includes('host=')))
    throw new ConfigError('DATABASE_URL', 'must name a server, as in postgres://user@host:5432/database.');
  return text;
}

function allowed(env: Environment, name: Setting): string[] {
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

function firstKey(env: Environment): string | null {
  const secret = env.BOOTSTRAP_KEY;
  if (!secret) return null;
  // The signs of a bearer token (RFC 6750 §2.1) but the dot, which tells access tokens apart.
  if (!/^[\w~+/=-]{32,512}$/.test(secret))
    throw new ConfigError(
      'BOOTSTRAP_KEY',
      'must have 32 to 512 characters, chosen at random from letters, digits and - _ ~ + / =.',
    );
  return secret;
}

/** Its value is never told. */
function signingKeys(env: Environment): Config['signingKeys'] {
  if (!env.SIGNING_KEYS) return null;
  try {
    return parseKeys(env.SIGNING_KEYS);
  } catch (cause) {
    throw new ConfigError('SIGNING_KEYS', cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Ports that are told apart by the system (0) never clash. */
function differentPorts(ports: readonly (readonly [Setting, number | null])[]): void {
  const seen = new Map<number, Setting>();
  for (const [name, port] of ports) {
    const other = port ? seen.get(port) : undefined;
    if (other) throw new ConfigError(name, `must differ from ${other}, but both are ${port}.`);
    if (port) seen.set(port, name);
  }
}

/** Reads and checks the environment. Throws `ConfigError` naming the variable. */
export function readConfig(env: Environment): Config {
  const host = env.HOST || '127.0.0.1';
  const port = count(env, 'PORT');
  if (port === 65535 && !env.CONTENT_PORT)
    throw new ConfigError(
      'PORT',
      'must be below 65535 when CONTENT_PORT, by default the next port, is not set.',
    );
  const contentPort = wholeNumber(env, 'CONTENT_PORT', port === 0 ? 0 : port + 1, 0, 65535);
  const operationsPort = env.OPERATIONS_PORT ? wholeNumber(env, 'OPERATIONS_PORT', 0, 0, 65535) : null;
  differentPorts([
    ['PORT', port],
    ['CONTENT_PORT', contentPort],
    ['OPERATIONS_PORT', operationsPort],
  ]);
  const tls = tlsFiles(env);
  const trustProxy = proxies(env);
  if (!tls && !trustProxy && !isLoopback(host))
    throw new ConfigError(
      'HOST',
      `plain HTTP on ${host} is refused: the interface is HTTPS. Set TLS_CERT and TLS_KEY, or TRUST_PROXY=true behind a proxy that speaks HTTPS, or HOST=127.0.0.1.`,
    );
  const scheme = tls || trustProxy ? 'https' : 'http';
  const baseUrl = origin(env, 'BASE_URL', `${scheme}://${hostInUrl(host)}:${port}`);
  if (trustProxy) refusePlain(baseUrl);
  const contentUrl = origin(env, 'CONTENT_URL', `${scheme}://${hostInUrl(host)}:${contentPort}`);
  if (port !== 0 && baseUrl === contentUrl)
    throw new ConfigError(
      'CONTENT_URL',
      'must differ from BASE_URL: course files need an origin of their own.',
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
    statementNames: flag(env, 'STATEMENT_NAMES', true),
    mostInFlight: count(env, 'MOST_IN_FLIGHT'),
    anonymousRateLimit: count(env, 'ANONYMOUS_RATE_LIMIT'),
    drainSeconds: count(env, 'DRAIN_SECONDS'),
    dataDir: dataFolder(env),
    bootstrapKey: firstKey(env),
    signingKeys: signingKeys(env),
    logLevel,
    rateLimit: count(env, 'RATE_LIMIT'),
    packageBytes: count(env, 'PACKAGE_BYTES'),
    packageEntries: count(env, 'PACKAGE_ENTRIES'),
    importSeconds: count(env, 'IMPORT_SECONDS'),
    webhookAllow: allowed(env, 'WEBHOOK_ALLOW'),
    seatGraceDays: count(env, 'SEAT_GRACE_DAYS'),
    lateResultsDays: count(env, 'LATE_RESULTS_DAYS'),
  });
}
