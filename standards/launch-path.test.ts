import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFileIndex } from '../server/src/domain/catalogue/packages/file-index.ts';
import { resolveTarget } from './launch-path.ts';

const files = createFileIndex(['a/Start page.html', 'b.html', '100%.html', 'ü.html', 'c%20d.html']);

function hrefOf(href: string, parameters: string | null = null, bases: (string | null)[] = []) {
  const target = resolveTarget(bases, href, parameters, files);
  return target.kind === 'refused' ? target.why : target.href;
}

describe('an href', () => {
  const written: [string, string][] = [
    ['b.html', 'b.html'],
    ['./b.html', 'b.html'],
    ['/b.html', 'b.html'],
    ['x/../b.html', 'b.html'],
    ['a\\Start page.html', 'a/Start%20page.html'],
    ['a/Start%20page.html', 'a/Start%20page.html'],
    ['A/start PAGE.html', 'a/Start%20page.html'],
    ['100%.html', '100%25.html'],
    ['u\u0308.html', '%C3%BC.html'],
    ['c%20d.html', 'c%2520d.html'],
    ['b.html?x=a b#Ä', 'b.html?x=a%20b#%C3%84'],
    ['https://example.org/a?b#c', 'https://example.org/a?b#c'],
    ['//example.org/a', 'https://example.org/a'],
    ['gone.html', 'gone.html'],
    ['../b.html', 'points outside the package'],
    ['%2e%2e/b.html', 'points outside the package'],
    ['javascript:alert(1)', 'is not a file in the package'],
    ['file:///etc/passwd', 'is not a file in the package'],
    ['?x=1', 'does not name a file'],
  ];
  for (const [href, expected] of written) {
    it(`${href} opens ${expected}`, () => assert.equal(hrefOf(href), expected));
  }

  const joined: [string, string, string][] = [
    ['b.html', 'x=1', 'b.html?x=1'],
    ['b.html', '?x=1', 'b.html?x=1'],
    ['b.html', '&?&x=1', 'b.html?x=1'],
    ['b.html?y=2', '?x=1', 'b.html?y=2&x=1'],
    ['b.html#top', 'x=1', 'b.html?x=1#top'],
    ['b.html', '#page2', 'b.html#page2'],
    ['b.html#top', '#page2', 'b.html#top'],
    ['b.html', 'x=1#page2', 'b.html?x=1#page2'],
    ['b.html', 'x=%41%zz', 'b.html?x=%41%25zz'],
  ];
  for (const [href, parameters, expected] of joined) {
    it(`${href} with the parameters ${parameters} opens ${expected}`, () =>
      assert.equal(hrefOf(href, parameters), expected));
  }

  it('the name of a folder in xml:base may have no slash at its end', () => {
    assert.equal(hrefOf('Start page.html', null, ['a']), 'a/Start%20page.html');
    assert.equal(hrefOf('Start page.html', null, ['x/', '../a']), 'a/Start%20page.html');
  });

  it('an href is resolved against every xml:base above it', () => {
    assert.equal(hrefOf('Start page.html', null, ['x/', '../a/', null]), 'a/Start%20page.html');
    assert.equal(hrefOf('b.html', null, ['https://example.org/c/', 'd/']), 'https://example.org/c/d/b.html');
  });
});
