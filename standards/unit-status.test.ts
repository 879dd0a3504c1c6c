import assert from 'node:assert/strict';
import { test } from 'node:test';
import { group, leaf } from '../scorm/test-support/trees.ts';
import { nodesIn, statusesIn, type UnitStatus } from './unit-status.ts';

const nodes = nodesIn([
  group('g', [leaf('a'), group('inner', [leaf('b'), leaf('c')])]),
  group('page', [leaf('d')], {}, { Href: 'page.html', Kind: 'sco' }),
]);
const statuses = (reported: Record<string, UnitStatus>) => {
  const statusIn = statusesIn(nodes, (unitID) => reported[unitID] ?? 'none');
  return ['g', 'inner', 'a', 'page', 'gone'].map((unitID) => statusIn(unitID));
};

test('a group is completed when its members are completed or passed', () => {
  assert.deepEqual(statuses({}), ['none', 'none', 'none', 'none', null]);
  assert.deepEqual(statuses({ b: 'passed' }), ['incomplete', 'incomplete', 'none', 'none', null]);
  assert.deepEqual(statuses({ a: 'completed', b: 'passed', c: 'completed' }), [
    'completed',
    'completed',
    'completed',
    'none',
    null,
  ]);
});

test('an item that opens a page has only its own status', () => {
  assert.deepEqual(statuses({ d: 'passed' }).at(3), 'none');
  assert.deepEqual(statuses({ page: 'failed' }).at(3), 'failed');
});
