import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { isLoopback } from '../../lib/address.ts';
import { ConfigError, type Environment, type Setting } from '../../lib/settings.ts';
import { readConfig } from './config.ts';

// A configuration error prevents the service from starting: server/test/running.slow.test.ts checks this with
// a real process.

test('every setting has a default, and the configuration is frozen', () => {
  const config = readConfig({});
  assert.deepEqual(config, {
    drainSeconds: 0,
    host: '127.0.0.1',
    port: 3000,
    baseUrl: 'http://127.0.0.1:3000',
    contentPort: 3001,
    contentUrl: 'http://127.0.0.1:3001',
    statementNames: true,
    tls: null,
    trustProxy: 0,
    tracesUrl: null,
    maxInFlight: 2000,
    operationsPort: null,
    databaseUrl: null,
    databaseConnections: 10,
    dataDir: resolve('data'),
    storage: null,
    bootstrapKey: null,
    operatorPasskeyRequired: false,
    signingKeys: null,
    logLevel: 'info',
    rateLimit: 60_000,
    packageBytes: 2 * 1024 ** 3,
    packageEntries: 20_000,
    importSeconds: 300,
    webhookAllow: [],
    mail: null,
    mailRateLimit: 1000,
    seatGraceDays: 14,
    lateResultsDays: 7,
  });
  assert.ok(Object.isFrozen(config));
});

test('an empty value counts as unset', () => {
  const names =
    'HOST PORT BASE_URL CONTENT_PORT CONTENT_URL TLS_CERT TLS_KEY TRUST_PROXY OPERATIONS_PORT DATABASE_URL';
  const more =
    'DATA_DIR BOOTSTRAP_KEY SIGNING_KEYS LOG_LEVEL RATE_LIMIT PACKAGE_BYTES PACKAGE_ENTRIES IMPORT_SECONDS WEBHOOK_ALLOW SEAT_GRACE_DAYS LATE_RESULTS_DAYS DATABASE_CONNECTIONS SMTP_URL MAIL_FROM MAIL_RATE_LIMIT';
  const empty = Object.fromEntries(`${names} ${more}`.split(' ').map((name) => [name, '']));
  assert.deepEqual(readConfig(empty), readConfig({}));
});

test('URLs are reduced to origins without a trailing slash', () => {
  const { baseUrl, contentUrl } = readConfig({
    BASE_URL: 'https://Lectern.example/',
    CONTENT_URL: 'https://play.example:8443',
  });
  assert.deepEqual([baseUrl, contentUrl], ['https://lectern.example', 'https://play.example:8443']);
  assert.equal(readConfig({ HOST: '::1', PORT: '80' }).baseUrl, 'http://[::1]');
});

test("a * in CONTENT_URL must be the entire first label of a domain that does not contain the API's host", () => {
  const read = (CONTENT_URL: string, BASE_URL = 'https://lectern.example') =>
    readConfig({ BASE_URL, CONTENT_URL }).contentUrl;
  for (const address of [
    'https://*.courses.example',
    'https://*.Courses.example:8443/',
    'http://*.localhost',
  ])
    assert.equal(read(address), address.toLowerCase().replace(/\/$/, ''));
  assert.equal(read('https://*.courses.lectern.example'), 'https://*.courses.lectern.example');
  const wrong = [
    'https://*',
    'https://*.',
    'https://*.courses.example.',
    'https://*.*.example',
    'https://courses.*.example',
    'https://a*.courses.example',
    'https://*a.courses.example',
    'https://**.courses.example',
    'https://%2a%2a.courses.example',
    'https://*..example',
    'https://*.127.0.0.1',
    'https://*.courses.example/*',
    `https://*.${'courses.'.repeat(30)}example`,
  ];
  for (const address of wrong)
    assert.throws(() => read(address), /^ConfigError: CONTENT_URL: must (be an origin|have one \*)/, address);
  for (const base of [
    'https://lectern.example',
    'https://app.lectern.example',
    'https://a.b.lectern.example',
  ])
    assert.throws(
      () => read('https://*.lectern.example', base),
      /^ConfigError: CONTENT_URL: must use a domain that does not contain the API's host/,
      base,
    );
  assert.equal(read('https://*.lectern.example', 'https://mylectern.example'), 'https://*.lectern.example');
  assert.throws(() => readConfig({ BASE_URL: 'https://*.lectern.example' }), /^ConfigError: BASE_URL: /);
});

test('plain HTTP is accepted only on loopback or behind a proxy', () => {
  for (const HOST of ['127.0.0.1', '127.9.9.9', 'localhost', '::1'])
    assert.equal(readConfig({ HOST }).host, HOST);
  for (const HOST of ['0.0.0.0', '::', '10.0.0.1', 'lectern.example', '127.0.0.1.example']) {
    assert.equal(isLoopback(HOST), false);
    assert.throws(
      () => readConfig({ HOST }),
      (error) => error instanceof ConfigError && error.message.startsWith('HOST: '),
    );
    assert.equal(readConfig({ HOST, TRUST_PROXY: 'true' }).trustProxy, 1);
  }
});

test('BOOTSTRAP_KEY must fit into a header and must not look like an access token', () => {
  const good = 'a'.repeat(32);
  assert.equal(readConfig({ BOOTSTRAP_KEY: good }).bootstrapKey, good);
  for (const BOOTSTRAP_KEY of [good.slice(1), `${good} x`, `${good}ä`, `${good}.b.c`, `${good}\n`])
    assert.throws(() => readConfig({ BOOTSTRAP_KEY }), /^ConfigError: BOOTSTRAP_KEY: /);
});

test('behind a proxy, the API uses HTTPS by default, and BASE_URL may use HTTP only on loopback', () => {
  const behind = (BASE_URL: string) => readConfig({ HOST: '0.0.0.0', TRUST_PROXY: 'true', BASE_URL }).baseUrl;
  assert.equal(behind(''), 'https://localhost:3000');
  assert.equal(behind('https://lectern.example'), 'https://lectern.example');
  for (const local of ['http://127.0.0.1:3000', 'http://[::1]:3000', 'http://lectern.localhost'])
    assert.equal(behind(local), local);
  for (const plain of ['http://lectern.example', 'http://10.0.0.1', 'http://localhost.example'])
    assert.throws(() => behind(plain), /^ConfigError: BASE_URL: must begin with https/);
});

const badValues: [Setting, string, Environment?][] = [
  ['PORT', 'eighty'],
  ['PORT', '-1'],
  ['PORT', '65536'],
  ['PORT', '80.5'],
  ['PORT', '65535'],
  ['PORT', '1e3'],
  ['CONTENT_PORT', '0x50'],
  ['CONTENT_PORT', 'none'],
  ['CONTENT_PORT', '3000', { PORT: '3000' }],
  ['OPERATIONS_PORT', '99999'],
  ['OPERATIONS_PORT', '3001', { PORT: '3000' }],
  ['BASE_URL', 'lectern.example'],
  ['BASE_URL', 'ftp://lectern.example'],
  ['BASE_URL', 'https://lectern.example/lectern'],
  ['BASE_URL', 'https://name:word@lectern.example'],
  ['CONTENT_URL', 'https://lectern.example/?q'],
  ['CONTENT_URL', 'https://lectern.example', { BASE_URL: 'https://lectern.example/' }],
  ['TLS_CERT', '/nowhere/cert.pem', { TLS_KEY: import.meta.filename }],
  ['TLS_KEY', '/nowhere/key.pem', { TLS_CERT: import.meta.filename }],
  ['TLS_KEY', '', { TLS_CERT: import.meta.filename }],
  ['TLS_CERT', '', { TLS_KEY: import.meta.filename }],
  ['TLS_CERT', import.meta.filename, { TLS_KEY: import.meta.filename }],
  ['TRUST_PROXY', 'perhaps'],
  ['DATABASE_URL', 'mysql://127.0.0.1/lectern'],
  ['DATABASE_URL', 'postgres://'],
  ['DATA_DIR', `${import.meta.filename}/data`],
  ['BOOTSTRAP_KEY', 'short'],
  ['BOOTSTRAP_KEY', 'thirty-two characters with spaces'],
  ['LOG_LEVEL', 'loud'],
  ['PACKAGE_BYTES', '2GB'],
  ['PACKAGE_ENTRIES', '0'],
  ['HOST', '0.0.0.0'],
  ['HOST', '::'],
  ['HOST', 'lectern.example'],
];

for (const [name, value, more] of badValues)
  test(`${name}=${value} is rejected, and the error names the variable`, () => {
    assert.throws(
      () => readConfig({ DATA_DIR: tmpdir(), ...more, [name]: value }),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, new RegExp(`^${name}: .*\\.$`));
        assert.ok(!error.message.includes('name:word'), 'a secret is not repeated');
        return !error.message.includes('with spaces');
      },
    );
  });

test('SMTP_URL names a mail server, and MAIL_FROM the sender', () => {
  const from = 'noreply@lectern.example';
  const read = (SMTP_URL: string) => readConfig({ SMTP_URL, MAIL_FROM: from }).mail;
  const anonymous = { user: null, password: null, from };
  assert.deepEqual(read('smtp://mail.example'), {
    host: 'mail.example',
    port: 587,
    tls: 'starttls',
    ...anonymous,
  });
  assert.deepEqual(read('smtps://me%40x:p%2F@mail.example'), {
    host: 'mail.example',
    port: 465,
    tls: 'implicit',
    user: 'me@x',
    password: 'p/',
    from,
  });
  for (const [url, port] of [
    ['smtp://127.0.0.1:1025', 1025],
    ['smtp://[::1]:25/', 25],
    ['smtp://relay.internal:25?tls=none', 25],
  ] as const) {
    assert.equal(read(url)?.tls, 'none');
    assert.equal(read(url)?.port, port);
  }
  const password = 'do-not-show-4711';
  const wrong: [Environment, Setting][] = [
    [{ SMTP_URL: 'mail.example' }, 'SMTP_URL'],
    [{ SMTP_URL: `http://x:${password}@mail.example` }, 'SMTP_URL'],
    [{ SMTP_URL: `smtp://x:${password}@` }, 'SMTP_URL'],
    [{ SMTP_URL: `smtp://x:${password}@mail.example/path` }, 'SMTP_URL'],
    [{ SMTP_URL: `smtp://x:${password}@mail.example?pool=true` }, 'SMTP_URL'],
    [{ SMTP_URL: `smtps://x:${password}@mail.example?tls=none` }, 'SMTP_URL'],
    [{ SMTP_URL: `smtp://x:${password}%@mail.example` }, 'SMTP_URL'],
    [{ SMTP_URL: 'smtp://mail.example', MAIL_FROM: '' }, 'MAIL_FROM'],
    [{ SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'Lectern <a@b.example>' }, 'MAIL_FROM'],
    [{ MAIL_RATE_LIMIT: '-1' }, 'MAIL_RATE_LIMIT'],
  ];
  for (const [env, name] of wrong)
    assert.throws(
      () => readConfig({ MAIL_FROM: from, ...env }),
      (error: unknown) =>
        error instanceof ConfigError &&
        error.message.startsWith(`${name}: `) &&
        !error.message.includes(password),
    );
});
