import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { hashPassword, type KnownHash } from './hash-password.ts';

test('hashes match the published vectors of RFC 1321 and FIPS 180-4', () => {
  const vectors: [KnownHash, string, string][] = [
    ['md5-hex', '', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['md5-hex', 'abc', '900150983cd24fb0d6963f7d28e17f72'],
    ['sha256-hex', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['sha256-base64', 'abc', 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
    [
      'sha512-hex',
      'abc',
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    ],
  ];
  for (const [declared, password, hash] of vectors) assert.equal(hashPassword(password, declared), hash);
});

test('non-ASCII passwords are hashed in UTF-8 exactly as typed, without normalisation', () => {
  const functions: [KnownHash, string, 'hex' | 'base64'][] = [
    ['sha256-hex', 'sha256', 'hex'],
    ['sha512-hex', 'sha512', 'hex'],
    ['sha256-base64', 'sha256', 'base64'],
    ['md5-hex', 'md5', 'hex'],
  ];
  for (const password of ['Pässwort', 'Pa\u0308sswort', 'correct 🐴 battery', 'x'.repeat(1_000)])
    for (const [declared, name, encoding] of functions) {
      const expected = createHash(name).update(Buffer.from(password, 'utf8')).digest(encoding);
      assert.equal(hashPassword(password, declared), expected, `${declared} of ${password}`);
    }
  assert.notEqual(hashPassword('ä', 'sha256-hex'), hashPassword('a\u0308', 'sha256-hex'));
  assert.equal(
    hashPassword('ä', 'sha256-hex'),
    '33e6d73fee82904c8d7afb78de1154d1e8dc2a0edb08120e63df5b9385c2d9cc',
  );
  assert.equal(
    hashPassword('🐴', 'sha256-hex'),
    '6803fd82f2a38b44ac02fadf4e395936ea037d4ba2ec5f444f4871ba88615fd9',
  );
});
