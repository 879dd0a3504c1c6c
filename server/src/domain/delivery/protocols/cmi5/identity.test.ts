import assert from 'node:assert/strict';
import { test } from 'node:test';
import { group, leaf } from '../../../../../../scorm/test-support/trees.ts';
import type { Context } from '../../../../infra/context/context.ts';
import { ownActivities } from './identity.ts';

const homePage = 'https://lectern.example';
const ctx = { homePage } as Context;
const own = (ids: string[]) =>
  ownActivities(ctx, {
    courseId: 'fire',
    units: [
      group(
        'https://a.example/block',
        ids.map((id) => leaf(id)),
      ),
    ],
  });

test("a course's own activities are its units, those below them, and those whose IDs the service created for it", () => {
  const isOwn = own(['https://a.example/unit', 'https://a.example/folder/', 'https:/']);
  const expected = {
    'https://a.example/block': true,
    'https://a.example/unit': true,
    'https://a.example/unit/page': true,
    'https://a.example/unit#page': true,
    'https://a.example/unit?page=1': true,
    'https://a.example/folder/page': true,
    [`${homePage}/course/fire/activity/x`]: true,
    'https://a.example/unit-2': false,
    'https://a.example/folder': false,
    'https://b.example/unit': false,
    [`${homePage}/course/other/activity/x`]: false,
  };
  for (const [id, is] of Object.entries(expected)) assert.equal(isOwn(id), is, id);
});

test('many activities are compared quickly with many units', () => {
  const isOwn = own(
    Array.from({ length: 2_000 }, (_, at) => `https://a.example/${'/'.repeat(at % 1_000)}${at}`),
  );
  const before = process.threadCpuUsage();
  for (let at = 0; at < 10_000; at++) assert.equal(isOwn(`https://b.example${'/'.repeat(400)}${at}`), false);
  const { user, system } = process.threadCpuUsage(before);
  assert.ok((user + system) / 1_000 < 500);
});
