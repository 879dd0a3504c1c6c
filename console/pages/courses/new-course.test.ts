import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationIdOf, isValidChoice, newCourseOf, usualNewCourse } from './new-course.ts';

test('The DurationID of a new option is its duration in words', () => {
  assert.equal(durationIdOf('P1Y'), '1-year');
  assert.equal(durationIdOf('P90D'), '90-days');
  assert.equal(durationIdOf('P1Y6M'), '1-year-6-months');
  assert.equal(durationIdOf(null), 'unlimited');
});

test('New courses usually get one published option of a year from enrolment, for all tenants', () => {
  assert.deepEqual(
    newCourseOf(usualNewCourse, () => 'Ein Jahr'),
    {
      option: {
        ...{ DurationID: '1-year', Name: 'Ein Jahr', Duration: 'P1Y' },
        ...{ StartsOn: 'enrolment', Status: 'published' },
      },
      Tenants: null,
    },
  );
});

test('A duration that the service rejects is not accepted', () => {
  assert.equal(isValidChoice({ ...usualNewCourse, Duration: 'P' }), false);
  assert.equal(isValidChoice({ ...usualNewCourse, Duration: '' }), false);
  assert.equal(isValidChoice({ ...usualNewCourse, Duration: null }), true);
});
