import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isInstant } from './instants.ts';

test('any time in a four-digit year is accepted', () => {
  const date = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  fc.assert(fc.property(date, (at) => assert.ok(isInstant(at.toISOString()))));
});

test('the formats of RFC 3339 are accepted', () => {
  for (const text of [
    '2026-01-02T03:04:05Z',
    '2026-01-02t03:04:05z',
    '2026-01-02T03:04:05.123456789Z',
    '2026-01-02T03:04:05+05:30',
    '2024-02-29T23:59:59-23:59',
  ])
    assert.ok(isInstant(text), text);
});

test('times that cannot be stored are rejected', () => {
  for (const text of [
    '',
    '2026-01-02',
    '2026-01-02T03:04Z',
    '2026-01-02T03:04:05',
    '2026-01-02 03:04:05Z',
    '2026-01-02T03:04:05+0530',
    '2026-01-02T24:00:00Z',
    '2016-12-31T23:59:60Z',
    '2026-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '0000-12-31T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+012026-01-01T00:00:00Z',
    '2026-01-02T03:04:05Z\n',
    '1767322800000',
  ])
    assert.ok(!isInstant(text), text);
});

test('every accepted text yields a valid date', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/)),
      (text) => {
        if (isInstant(text)) assert.ok(!Number.isNaN(new Date(text).getTime()));
      },
    ),
  );
});
