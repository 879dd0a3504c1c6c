import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOpen } from './prerequisites.ts';
import type { UnitStatus } from './unit-status.ts';

const statuses: Record<string, UnitStatus> = { A: 'passed', B: 'completed', C: 'incomplete', D: 'failed' };
const open = (script: string) => isOpen(script, (unitID) => statuses[unitID] ?? 'none');
const isOpenWithoutStatuses = (script: string) => isOpen(script, () => null);

test('AICC scripts are parsed as the standard defines', () => {
  const held = [
    'A',
    'A&B',
    'C|B',
    '~C',
    '(C|A)&~D',
    'A=passed',
    'A="passed"',
    'D=f',
    'C<>passed',
    '2*{A,B,C}',
    'A & B',
  ];
  const broken = [
    'C',
    'A&C',
    'C|D',
    '~A',
    '(C|A)&D',
    'A=completed',
    'A<>passed',
    '3*{A,B,C}',
    'E',
    'E=passed',
  ];
  for (const script of held) assert.equal(open(script), true, script);
  for (const script of broken) assert.equal(open(script), false, script);
});

test('a script that refers to a missing unit blocks nothing', () => {
  for (const script of ['gone', '~gone', 'gone=passed', '2*{gone,gone}'])
    assert.equal(isOpenWithoutStatuses(script), true, script);
});

test('an invalid script blocks nothing', () => {
  for (const script of ['', '(', 'C&', 'C D', '2*{C', 'C<passed', '))'])
    assert.equal(open(script), true, script);
});
