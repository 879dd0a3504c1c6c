import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isAllowedReturn, readReturnUrl, unescapeLink } from './return-url.ts';

const launch = '/launch?enrolment=1&key=k';

test('a raw URL keeps its own query string', () => {
  const back = 'https://shop.example/back?a=1&b=2';
  assert.equal(readReturnUrl(`${launch}&returnURL=${back}`), back);
});

test('a percent-encoded URL ends at the next parameter', () => {
  const back = 'https://shop.example/back?a=1&b=2';
  assert.equal(readReturnUrl(`${launch}&returnURL=${encodeURIComponent(back)}&utm=x`), back);
});

test('a raw URL keeps its own percent-encoding', () => {
  const back = 'https://shop.example/back?next=%2Fhome%3Fx%3D1';
  assert.equal(readReturnUrl(`${launch}&returnURL=${back}`), back);
});

test('only http(s) URLs without credentials are followed', () => {
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

test('a URL of more than 2,048 characters, or with too many combining marks, is not followed', () => {
  const long = (length: number) => 'https://shop.example/'.padEnd(length, 'x');
  assert.equal(readReturnUrl(`${launch}&returnURL=${long(2_048)}`), long(2_048));
  assert.equal(readReturnUrl(`${launch}&returnURL=${long(2_049)}`), null);
  const marks = `https://a${'\u0316'.repeat(31)}.example/`;
  assert.equal(readReturnUrl(`${launch}&returnURL=${encodeURIComponent(marks)}`), null);
});

test('every URL is read back unchanged, raw or encoded', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), (address) => {
      const { href } = new URL(address);
      assert.equal(readReturnUrl(`${launch}&returnURL=${href}`), href);
      assert.equal(readReturnUrl(`${launch}&returnURL=${encodeURIComponent(href)}`), href);
    }),
  );
});

test('a link that was escaped for HTML is read like the link itself', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), fc.boolean(), (address, encoded) => {
      const link = `${launch}&returnURL=${encoded ? encodeURIComponent(address) : address}`;
      assert.equal(unescapeLink(link), link);
      const plain = link.replaceAll('&amp;', '&');
      assert.equal(unescapeLink(plain.replaceAll('&', '&amp;')), plain);
    }),
  );
});

test('no text causes an exception or yields anything but an http(s) URL', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const found = readReturnUrl(`${launch}&returnURL=${text}`);
      assert.ok(found === null || /^https?:/.test(found));
    }),
  );
});

test("a tenant's list of origins limits where learners can be sent", () => {
  assert.ok(isAllowedReturn('https://a.example/x', null));
  assert.ok(isAllowedReturn('https://a.example/x', ['https://a.example']));
  assert.ok(!isAllowedReturn('https://a.example.evil.example/x', ['https://a.example']));
  assert.ok(!isAllowedReturn('http://a.example/x', ['https://a.example']));
});

const odd = fc.array(
  fc.oneof(
    fc.constantFrom(
      'http://',
      'https://',
      'HTTPS:',
      'javascript:',
      'data:',
      '//',
      '\\\\',
      '@',
      ':',
      '/',
      '?',
      '#',
      '&',
      '=',
    ),
    fc.constantFrom(
      '%0d%0a',
      '%0D%0ASet-Cookie:x=1',
      '\r\nLocation: x',
      '%00',
      '\0',
      '\t',
      ' ',
      '%20',
      '%2f%2f',
      '%',
      '&returnURL=',
    ),
    fc.constantFrom(
      'evil.example',
      'good.example',
      'good.example.evil.example',
      '[::1]',
      '127.1',
      '0x7f.1',
      '。',
      '\u202e',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  ),
  { maxLength: 8 },
);

test('any appended text, raw or encoded, yields one URL that is safe in a header and in a list of origins', () => {
  const property = fc.property(odd, fc.boolean(), (parts, encoded) => {
    const text = parts.join('');
    const found = readReturnUrl(
      `${launch}&returnURL=${encoded ? encodeURIComponent(text.toWellFormed()) : text}`,
    );
    if (found === null) return;
    const url = new URL(found);
    assert.match(url.protocol, /^https?:$/);
    assert.equal(url.username + url.password, '');
    assert.match(found, /^[\x21-\x7e]+$/, 'no line breaks, spaces or characters outside ASCII');
    const allowed = isAllowedReturn(found, ['https://good.example']);
    assert.equal(allowed, url.protocol === 'https:' && url.host === 'good.example');
  });
  fc.assert(property, { numRuns: 20_000 });
});

test('a URL in any script is read back unchanged, raw or encoded', () => {
  const part = fc
    .string({ unit: 'grapheme', maxLength: 20 })
    .map((text) => encodeURIComponent(text.toWellFormed()));
  const property = fc.property(part, part, part, (path, query, fragment) => {
    const { href } = new URL(`https://shop.example/${path}?q=${query}&r=${query}#${fragment}`);
    assert.equal(readReturnUrl(`${launch}&returnURL=${encodeURIComponent(href)}&more=1`), href);
    assert.equal(readReturnUrl(`${launch}&returnURL=${href}`), href);
  });
  fc.assert(property, { numRuns: 2_000 });
});
