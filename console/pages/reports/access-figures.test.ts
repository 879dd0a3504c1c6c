import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccessLine, filterOf, partsOf } from './access-figures.ts';

const line = (figures: Partial<AccessLine>): AccessLine => ({
  ...{ CourseID: null, CourseTitle: null, GroupName: null },
  ...{ Overdue: 0, Open: 0, EndsWithin7Days: 0, EndsWithin30Days: 0, AsOf: '2026-02-25' },
  ...figures,
});
const sharesOf = (figures: Partial<AccessLine>) => partsOf(line(figures)).map(({ share }) => share);

test('the parts of a bar add up to all uncompleted enrolments', () => {
  const figures = { Overdue: 2, EndsWithin7Days: 3, EndsWithin30Days: 4, Open: 8 };
  assert.deepEqual(sharesOf(figures), [20, 30, 10, 40]);
  assert.deepEqual(
    partsOf(line(figures)).map(({ from }) => from),
    [0, 20, 50, 60],
  );
});

test('a bar without ends shows what is overdue and what is open', () => {
  assert.deepEqual(
    sharesOf({ Overdue: 1, EndsWithin7Days: null, EndsWithin30Days: null, Open: 3 }),
    [25, 0, 0, 75],
  );
  assert.deepEqual(sharesOf({}), [0, 0, 0, 0]);
});

test('a bar is never longer than the page has room for', () => {
  assert.deepEqual(sharesOf({ EndsWithin7Days: 5, EndsWithin30Days: 6, Open: 4 }), [0, 100, 0, 0]);
});

test("the links to enrolments end at midnight in UTC, counted from the report's day", () => {
  const day = line({});
  assert.deepEqual(filterOf('EndsWithin7Days', day), { status: 'open', before: '2026-03-05T00:00Z' });
  assert.deepEqual(filterOf('EndsWithin30Days', day), { status: 'open', before: '2026-03-28T00:00Z' });
  assert.deepEqual(filterOf('Overdue', day), { status: 'overdue' });
});
