import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../context/config.ts';
import { startWarnings } from './start-warnings.ts';

const warned = (env: Record<string, string>) => startWarnings(readConfig(env), env).join('\n');

test('a PostgreSQL connection to another machine without TLS causes one warning, which does not show the password', () => {
  const to = (rest: string, env = {}) => warned({ DATABASE_URL: `postgres://lectern:word@${rest}`, ...env });
  for (const inClear of [
    'db.example/lectern',
    '10.0.0.1:5432/lectern',
    'db.example/lectern?sslmode=disable',
    'db.example/lectern?sslmode=prefer',
    'db.example/lectern?sslmode=no-verify',
    '127.0.0.1/lectern?host=db.example',
    '[fd00::1]/lectern',
  ]) {
    assert.match(to(inClear), /^The connection to PostgreSQL does not require TLS: .*sslmode=verify-full/);
    assert.ok(!to(inClear).includes('word'));
  }
  for (const fine of [
    'db.example/lectern?sslmode=require',
    'db.example/lectern?sslmode=verify-ca',
    'db.example/lectern?sslmode=verify-full',
    '127.0.0.1/lectern',
    'localhost/lectern',
    '[::1]/lectern',
    '%2Fvar%2Frun%2Fpostgresql/lectern',
    'db.example/lectern?host=/var/run/postgresql',
  ])
    assert.equal(to(fine), '', fine);
  assert.equal(to('db.example/lectern', { PGSSLMODE: 'verify-full' }), '');
  assert.equal(warned({}), '');
});

test('URLs that point to this machine cause a warning behind a proxy', () => {
  assert.match(
    warned({ HOST: '0.0.0.0', TRUST_PROXY: 'true' }),
    /BASE_URL is not: launch links begin with https:/,
  );
  assert.equal(warned({ HOST: '0.0.0.0', TRUST_PROXY: 'true', BASE_URL: 'https://lectern.example' }), '');
});

test('a variable that is nearly a setting is reported with the name of the setting, and no usual variable is', () => {
  for (const [name, meant] of [
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATA_DRI', 'DATA_DIR'],
    ['DATADIR', 'DATA_DIR'],
    ['BASE_ULR', 'BASE_URL'],
    ['SMTP_URI', 'SMTP_URL'],
    ['TLS_CERTS', 'TLS_CERT'],
    ['TRUST_PROXYS', 'TRUST_PROXY'],
  ])
    assert.equal(
      warned({ [name ?? '']: 'x' }),
      `${name} is not a setting and has no effect. Did you mean ${meant}?`,
    );
  for (const name of 'HOME PATH USER LANG TERM TEST SHELL PWD TMPDIR NODE_ENV HOSTNAME MAIL PGSSLMODE LECTERN_URL LECTERN_KEY'.split(
    ' ',
  ))
    assert.equal(warned({ [name]: 'x' }), '', name);
});
