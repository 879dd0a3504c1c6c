import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatDuration, formatTimespan, parseSeconds } from './durations.ts';

describe('parseSeconds', () => {
  const written: [string, number][] = [
    ['0001:02:03.5', 3_723.5],
    ['1:2:3', 3_723],
    ['02:03', 123],
    ['PT1H2M3.5S', 3_723.5],
    ['P1DT1S', 86_401],
    ['P1W', 604_800],
    ['PT', 0],
    ['', 0],
    ['-00:00:05', 0],
    ['soon', 0],
    ['PT1.2.3S', 0],
    [`${'9'.repeat(400)}:00:00`, 35_999_999],
  ];
  for (const [text, seconds] of written) {
    it(`reads ${text.slice(0, 20) || 'nothing'} as ${seconds}`, () =>
      assert.equal(parseSeconds(text), seconds));
  }

  it('returns a valid number for any text', () => {
    const parts = fc.stringMatching(/^[P0-9:.,THMSDWY -]{0,30}$/);
    fc.assert(
      fc.property(fc.oneof(fc.string(), parts), (text) => {
        const seconds = parseSeconds(text);
        assert.ok(seconds >= 0 && seconds <= 35_999_999);
      }),
    );
  });

  it('formatted durations are read back as the same number of seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_599_999_900 }), (hundredths) => {
        assert.equal(Math.round(parseSeconds(formatTimespan(hundredths / 100)) * 100), hundredths);
        assert.equal(Math.round(parseSeconds(formatDuration(hundredths / 100)) * 100), hundredths);
      }),
    );
  });
});
