import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { contrast, type Scheme, shadesOf } from './contrast.ts';

const pages = {
  light: ['#ffffff', '#f6f7f9', '#f0f1f4'],
  dark: ['#101114', '#141518', '#191b20', '#22252b', '#2e2e2e'],
} as const;
const schemes: readonly Scheme[] = ['light', 'dark'];
const colour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);

test('contrast is that of WCAG', () => {
  assert.equal(contrast('#ffffff', '#000000'), 21);
  assert.equal(contrast('#123456', '#123456'), 1);
  assert.equal(contrast('#ffffff', '#767676').toFixed(2), '4.54');
});

test('every colour is legible on light and dark pages', () => {
  const check = (given: string) => {
    for (const scheme of schemes) {
      const { Fill, OnFill, Soft, Text } = shadesOf(given, scheme);
      for (const one of [Fill, OnFill, Soft, Text]) assert.match(one, /^#[0-9a-f]{6}$/);
      assert.ok(contrast(Fill, OnFill) >= 4.5, `${scheme} button`);
      for (const page of [...pages[scheme], Soft]) assert.ok(contrast(Text, page) >= 4.5, `${scheme} text`);
      for (const page of pages[scheme]) assert.ok(contrast(Fill, page) >= 1.2, `${scheme} shape`);
    }
  };
  for (const extreme of ['#000000', '#ffffff', '#ffff00', '#00ff00', '#0000ff', '#808080', '#FFD400'])
    check(extreme);
  fc.assert(fc.property(colour, check), { numRuns: 3_000 });
});

test('a colour that is legible already is not changed', () => {
  assert.equal(shadesOf('#0057B8', 'light').Fill, '#0057b8');
  assert.equal(shadesOf('#0057b8', 'light').Text, '#0057b8');
  assert.equal(shadesOf('#ffd400', 'light').Fill, '#ffd400');
  assert.notEqual(shadesOf('#ffffff', 'light').Fill, '#ffffff');
  assert.notEqual(shadesOf('#141518', 'dark').Fill, '#141518');
  assert.equal(shadesOf('#7fd4ff', 'dark').Text, '#7fd4ff');
});
