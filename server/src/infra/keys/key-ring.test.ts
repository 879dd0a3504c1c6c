import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type KeyRing,
  newKey,
  openRing,
  sign,
  signToken,
  verify,
  verifyToken,
  type WrittenKey,
} from './key-ring.ts';

const written = newKey(new Date());

function ringOf(...keys: WrittenKey[]): KeyRing {
  const opened = openRing(keys);
  return { keys: opened, hashKey: opened[0] };
}
const ring = ringOf(written);
const otherRing = ringOf({ ...newKey(new Date()), id: written.id });

test('a signed value can be read only with its key and purpose', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const token = signToken(ring, 'ticket', value);
      assert.match(token, /^[\w-]+\.[0-9a-f]{8}\.[\w-]{32}$/);
      assert.deepEqual(verifyToken(ring, 'ticket', token), JSON.parse(JSON.stringify(value)));
      assert.equal(verifyToken(ring, 'session', token), null);
      assert.equal(verifyToken(otherRing, 'ticket', token), null);
    }),
  );
});

test('a token is rejected if any part of it was changed', () => {
  const token = signToken(ring, 'session', ['tenant', 'enrolment', 1]);
  for (const [index, sign] of [...token].entries()) {
    const other = sign === 'A' ? 'B' : 'A';
    const changed = token.slice(0, index) + other + token.slice(index + 1);
    assert.equal(verifyToken(ring, 'session', changed), null, changed);
  }
  const [body = '', id = '', hmac = ''] = token.split('.');
  for (const cut of ['', '.', '..', body, `${body}.`, `${body}.${id}`, `${body}.${id}.`, `${body}.${hmac}`])
    assert.equal(verifyToken(ring, 'session', cut), null, cut);
  for (const cut of [`${body}..${hmac}`, `${token}x`, `${token}.`, `.${token}`, token.slice(0, -1)])
    assert.equal(verifyToken(ring, 'session', cut), null, cut);
});

test('no token text causes an exception', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.equal(verifyToken(ring, 'session', text), null);
      assert.equal(verify(ring, 'launch', 'x', text), false);
    }),
  );
});

test('a signature is valid for only one text and one purpose', () => {
  const signature = sign(ring, 'launch', 'a\0b');
  assert.ok(verify(ring, 'launch', 'a\0b', signature));
  assert.ok(!verify(ring, 'launch', 'a', signature));
  assert.ok(!verify(ring, 'ticket', 'a\0b', signature));
});

test('the first key signs, every key in the ring verifies, and a removed key does not', () => {
  const next = newKey(new Date());
  const rotated = ringOf(next, written);
  const old = signToken(ring, 'ticket', 1);
  const young = signToken(rotated, 'ticket', 2);
  assert.equal(verifyToken(rotated, 'ticket', old), 1);
  assert.equal(verifyToken(rotated, 'ticket', young), 2);
  assert.equal(young.split('.')[1], next.id);
  assert.equal(verifyToken(ringOf(next), 'ticket', old), null);
  assert.equal(verifyToken(ring, 'ticket', young), null);
});
