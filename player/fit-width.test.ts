import assert from 'node:assert/strict';
import { test } from 'node:test';
import { designWidth, scaled } from './fit-width.ts';

test('a page of a fixed width is fitted to that width', () => {
  assert.equal(
    designWidth(390, (width) => Math.max(width, 1024)),
    1024,
  );
});

test('a page that adapts to its frame, or overflows by a scroll bar, is left alone', () => {
  assert.equal(
    designWidth(390, (width) => width),
    null,
  );
  assert.equal(
    designWidth(1024, (width) => Math.max(width, 1039)),
    null,
  );
});

test('a page that is wider than its frame at every width is left alone', () => {
  assert.equal(
    designWidth(390, (width) => width * 1.1),
    null,
  );
  assert.equal(
    designWidth(390, (width) => width + 50),
    null,
  );
});

test('a centred page is fitted, although only half of its overflow can be measured', () => {
  const found = designWidth(390, (width) => Math.max(width, Math.ceil(width / 2 + 512)));
  assert.ok(found !== null && found >= 1022 && found <= 1024, String(found));
});

test('a page cannot ask for more than the width of a large screen', () => {
  assert.equal(
    designWidth(390, (width) => Math.max(width, 90_000)),
    2048,
  );
});

test('the scaled frame fills the stage', () => {
  assert.deepEqual(scaled({ width: 512, height: 700 }, 1024), { width: 1024, height: 1400, scale: 0.5 });
  assert.equal(scaled({ width: 1280, height: 700 }, 1024), null);
  assert.equal(scaled({ width: 0, height: 0 }, 1024), null);
  assert.equal(scaled({ width: 512, height: 700 }, null), null);
});
