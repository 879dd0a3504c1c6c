import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { seal, sign, unseal, verify } from './signing.ts';

const key = randomBytes(32);

test('what was sealed is read again, with the key and the purpose only', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const token = seal(key, 'ticket', value);
      assert.match(token, /^[\w-]+\.[\w-]{32}$/);
      assert.deepEqual(unseal(key, 'ticket', token), JSON.parse(JSON.stringify(value)));
      assert.equal(unseal(key, 'session', token), null);
      assert.equal(unseal(randomBytes(32), 'ticket', token), null);
    }),
  );
});

test('no changed token is read, wherever it was changed', () => {
  const token = seal(key, 'session', ['tenant', 'enrolment', 1]);
  for (const [index, sign] of [...token].entries()) {
    const other = sign === 'A' ? 'B' : 'A';
    const changed = token.slice(0, index) + other + token.slice(index + 1);
    assert.equal(unseal(key, 'session', changed), null, changed);
  }
  for (const cut of ['', '.', token.split('.')[0] ?? '', `${token}x`, `.${token}`, token.slice(0, -1)])
    assert.equal(unseal(key, 'session', cut), null, cut);
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.equal(unseal(key, 'session', text), null);
      assert.equal(verify(key, 'launch', 'x', text), false);
    }),
  );
});

test('a signature is one of a text and a purpose', () => {
  const signature = sign(key, 'launch', 'a\0b');
  assert.ok(verify(key, 'launch', 'a\0b', signature));
  assert.ok(!verify(key, 'launch', 'a', signature));
  assert.ok(!verify(key, 'ticket', 'a\0b', signature));
});
