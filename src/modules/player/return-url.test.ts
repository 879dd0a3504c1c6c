import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isAllowedReturn, readReturnUrl } from './return-url.ts';

const launch = '/launch?enrolment=1&key=k';

test('a raw address keeps its own query', () => {
  const back = 'https://shop.example/back?a=1&b=2';
  assert.equal(readReturnUrl(`${launch}&returnURL=${back}`), back);
});

test('a percent-encoded address ends at the next parameter', () => {
  const back = 'https://shop.example/back?a=1&b=2';
  assert.equal(readReturnUrl(`${launch}&returnURL=${encodeURIComponent(back)}&utm=x`), back);
});

test('a raw address keeps its own percent-encoding', () => {
  const back = 'https://shop.example/back?next=%2Fhome%3Fx%3D1';
  assert.equal(readReturnUrl(`${launch}&returnURL=${back}`), back);
});

test('only http(s) addresses without credentials are followed', () => {
  for (const bad of [
    'javascript:alert(1)',
    'JavaScript:alert(1)//http://x',
    'data:text/html,x',
    '//evil.example',
    '/relative',
    'https://user:secret@evil.example/',
    'https%3A%2F%2F%zz',
    'ftp://x.example',
    '',
  ])
    assert.equal(readReturnUrl(`${launch}&returnURL=${bad}`), null, bad);
});

test('every address comes back, raw or encoded', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), (address) => {
      const { href } = new URL(address);
      assert.equal(readReturnUrl(`${launch}&returnURL=${href}`), href);
      assert.equal(readReturnUrl(`${launch}&returnURL=${encodeURIComponent(href)}`), href);
    }),
  );
});

test('no text at all makes it throw or answer anything but http(s)', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const found = readReturnUrl(`${launch}&returnURL=${text}`);
      assert.ok(found === null || /^https?:/.test(found));
    }),
  );
});

test("a tenant's origins limit where the learner may be brought", () => {
  assert.ok(isAllowedReturn('https://a.example/x', null));
  assert.ok(isAllowedReturn('https://a.example/x', ['https://a.example']));
  assert.ok(!isAllowedReturn('https://a.example.evil.example/x', ['https://a.example']));
  assert.ok(!isAllowedReturn('http://a.example/x', ['https://a.example']));
});
