import assert from 'node:assert/strict';
import { test } from 'node:test';
import { misspeltSettings } from './misspelt.ts';

test('a variable within two edits of a setting is reported with the name of the setting', () => {
  for (const [name, meant] of [
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATA_DRI', 'DATA_DIR'],
    ['DATADIR', 'DATA_DIR'],
    ['BASE_ULR', 'BASE_URL'],
    ['SMTP_URI', 'SMTP_URL'],
    ['TLS_CERTS', 'TLS_CERT'],
    ['TRUST_PROXYS', 'TRUST_PROXY'],
  ])
    assert.deepEqual(misspeltSettings([name ?? '']), [{ name, meant }]);
});

test('settings and the usual variables of a system are not reported', () => {
  const usual = [
    'HOME',
    'PATH',
    'USER',
    'LANG',
    'TERM',
    'SHELL',
    'PWD',
    'TMPDIR',
    'NODE_ENV',
    'HOSTNAME',
    'MAIL',
  ];
  assert.deepEqual(misspeltSettings([...usual, 'DATA_DIR', 'HOST', 'PORT', 'LECTERN_URL', 'PGSSLMODE']), []);
});
