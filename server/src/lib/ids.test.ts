import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isId, newId, newSecret, sha256 } from './ids.ts';

test('IDs are UUIDs of version 7, unique, and ordered by time', () => {
  const times = Array.from({ length: 1000 }, (_, index) => new Date(1_700_000_000_000 + index));
  const ids = times.map(newId);
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(ids, ids.toSorted());
  const now = new Date();
  assert.equal(new Set(Array.from({ length: 10_000 }, () => newId(now))).size, 10_000);
  const [id = ''] = ids;
  assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), times[0]?.getTime());
});

test('only valid IDs are accepted', () => {
  assert.ok(isId(newId(new Date())));
  for (const text of [
    '',
    'x',
    `${newId(new Date())}\n`,
    newId(new Date()).toUpperCase(),
    ` ${newId(new Date())}`,
  ])
    assert.ok(!isId(text), text);
});

test('secrets have 256 bits and need no escaping', () => {
  const secret = newSecret('lectern');
  assert.match(secret, /^lectern_[\w-]{43}$/);
  assert.equal(Buffer.from(secret.slice(8), 'base64url').length, 32);
  assert.notEqual(secret, newSecret('lectern'));
  assert.equal(sha256('a'), 'ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs');
});
