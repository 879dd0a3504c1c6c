import assert from 'node:assert/strict';
import { test } from 'node:test';
import { courseIdOf } from './course-name.ts';

test('A CourseID is derived from the file name', () => {
  assert.equal(courseIdOf('phishing.zip'), 'phishing');
  assert.equal(courseIdOf('Fire Safety (v2).ZIP'), 'fire-safety-v2');
  assert.equal(courseIdOf('  Hygiene_2026.1 — final!.zip'), 'hygiene_2026.1-final');
  assert.equal(courseIdOf('Arbeitsschutz für Büros.zip'), 'arbeitsschutz-für-büros');
  assert.equal(courseIdOf('消防.zip'), '消防');
  assert.equal(courseIdOf('???.zip'), 'course');
  assert.ok(courseIdOf(`${'long '.repeat(100)}.zip`).length <= 200);
});

test('Two files with the same name become two courses', () => {
  assert.equal(courseIdOf('course.zip', ['course', 'course-2']), 'course-3');
});
