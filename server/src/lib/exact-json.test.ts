import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exactMembers, parseExact } from './exact-json.ts';

test('numbers keep the digits of the text, and their values can be used as numbers', () => {
  const text =
    '{"a":12345678901234567890,"b":[1.0,-0,1e-400,1e400,1E5,0.0000001],"c":{"d":1.50,"e":2},"f":0.1234567890123456}';
  const parsed = parseExact(text) as { a: number; b: number[] };
  assert.equal(JSON.stringify(parsed), text);
  assert.deepEqual(Object.keys(parsed), ['a', 'b', 'c', 'f']);
  assert.deepEqual(parsed.b.slice(0, 3), [1, -0, 0]);
  assert.equal(parsed.a, 12345678901234567000);
});

test('a member named toJSON is data', () => {
  assert.equal(JSON.stringify(parseExact('{"toJSON":5,"x":"1.0"}')), '{"toJSON":5,"x":"1.0"}');
});

test('a merged copy has the digits of both objects', () => {
  const [one, other] = ['{"a":1.0,"b":2.0}', '{"b":3.00,"c":4}'].map((text) => parseExact(text) as object);
  assert.equal(
    JSON.stringify({ ...exactMembers(one ?? {}), ...exactMembers(other ?? {}) }),
    '{"a":1.0,"b":3.00,"c":4}',
  );
});

const digits = fc.stringMatching(/^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/);

test('every number keeps its text, next to any other values', () => {
  const members = fc.array(fc.tuple(fc.string(), fc.oneof(digits, fc.json({ maxDepth: 1 }))), {
    maxLength: 5,
  });
  fc.assert(
    fc.property(members, (all) => {
      const named = new Map(
        all.filter(([name]) => name !== 'toJSON' && name !== '__proto__' && !/^\d/.test(name)),
      );
      const isNumber = (value: string) => /^-?\d/.test(value);
      const canonical = (value: string) => (isNumber(value) ? value : JSON.stringify(JSON.parse(value)));
      const text = `{${[...named].map(([name, value]) => `${JSON.stringify(name)}: ${canonical(value)}`).join(' , ')}}`;
      const expected = `{${[...named].map(([name, value]) => `${JSON.stringify(name)}:${canonical(value)}`).join(',')}}`;
      assert.equal(JSON.stringify(parseExact(text)), expected);
    }),
  );
});
