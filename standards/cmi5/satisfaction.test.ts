import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rollUp, unitEvidence } from '../evidence.ts';
import { unitOf } from '../test-support.ts';
import type { AssignableUnit, CourseTree, Unit } from '../types.ts';
import {
  type AuRecord,
  dataOf,
  isSatisfied,
  newlySatisfied,
  nothingReported,
  recordOf,
  satisfiedNodes,
} from './satisfaction.ts';
import { type MoveOn, moveOns } from './vocabulary.ts';

const at = '2026-01-31T09:00:00Z';
const none = nothingReported;
const completed: AuRecord = { ...none, completed: at };
const passed: AuRecord = { ...none, passed: at };
const both: AuRecord = { ...completed, passed: at };
const failed: AuRecord = { ...none, failed: at };
const waived: AuRecord = { ...none, waived: at };

function auOf(UnitID: string, MoveOn: MoveOn): Unit {
  const AssignableUnit: AssignableUnit = {
    ...{ MoveOn, MasteryScore: null, OwnWindow: false, LaunchParameters: null },
    ...{ EntitlementKey: null, ActivityType: null, Objectives: [] },
  };
  return unitOf({ UnitID, Kind: 'au', AssignableUnit });
}

const blockOf = (UnitID: string, ...Children: Unit[]) => unitOf({ UnitID, Href: null, Kind: null, Children });

const treeOf = (...Units: Unit[]): CourseTree => ({
  ...{ Identifier: 'course', Units, Sequencing: null },
  ...{ ObjectivesGlobalToSystem: false, SharedDataGlobalToSystem: false },
});

describe('moveOn (section 13.1.4)', () => {
  const expected: Record<MoveOn, AuRecord[]> = {
    NotApplicable: [none, completed, passed, both, failed, waived],
    Passed: [passed, both, waived],
    Completed: [completed, both, waived],
    CompletedAndPassed: [both, waived],
    CompletedOrPassed: [completed, passed, both, waived],
  };
  for (const moveOn of moveOns)
    it(`${moveOn} is met by the correct results`, () => {
      for (const record of [none, completed, passed, both, failed, waived])
        assert.equal(isSatisfied(moveOn, record), expected[moveOn].includes(record), JSON.stringify(record));
    });
});

describe('blocks and the course (section 9.3.9)', () => {
  const tree = treeOf(
    blockOf('outer', auOf('a', 'Passed'), blockOf('inner', auOf('b', 'Completed'))),
    auOf('c', 'NotApplicable'),
  );
  const idsOf = (nodes: { id: string }[]) => nodes.map(({ id }) => id);

  it('blocks are satisfied when all of their AUs are, inner blocks first', () => {
    const records = new Map([
      ['a', passed],
      ['b', completed],
    ]);
    assert.deepEqual(idsOf(satisfiedNodes(tree, new Map())), []);
    assert.deepEqual(idsOf(satisfiedNodes(tree, new Map([['b', completed]]))), ['inner']);
    assert.deepEqual(idsOf(satisfiedNodes(tree, records)), ['inner', 'outer', 'course']);
  });

  it('blocks are reported as satisfied only once', () => {
    const before = new Map([['b', completed]]);
    const after = new Map([...before, ['a', passed] as const]);
    assert.deepEqual(idsOf(newlySatisfied(tree, before, after)), ['outer', 'course']);
    assert.deepEqual(newlySatisfied(tree, after, after), []);
  });

  it('blocks are satisfied at registration if every moveOn is NotApplicable', () => {
    const optional = treeOf(blockOf('block', auOf('a', 'NotApplicable')));
    assert.deepEqual(idsOf(satisfiedNodes(optional, new Map())), ['block', 'course']);
  });
});

describe('evidence for AUs', () => {
  const evidenceOf = (unit: Unit, record: AuRecord) => unitEvidence('cmi5', unit, dataOf(record));

  it('a record survives storage unchanged', () => {
    const record = { ...both, score: 0.85, progress: 40, seconds: 61.5 };
    assert.deepEqual(recordOf(dataOf(record)), record);
    assert.deepEqual(recordOf({}), none);
  });

  it('an AU is completed once it is satisfied', () => {
    const unit = auOf('a', 'CompletedAndPassed');
    assert.equal(evidenceOf(unit, completed).Completion, 'incomplete');
    assert.deepEqual(evidenceOf(unit, { ...both, score: 0.857, seconds: 59.6 }), {
      ...{ Completion: 'completed', Success: 'passed', Score: 85.7, Progress: 100, TotalSeconds: 60 },
    });
    assert.equal(evidenceOf(unit, waived).Completion, 'completed');
    assert.equal(evidenceOf(unit, { ...failed, progress: 30 }).Progress, 30);
  });

  it('an AU with moveOn NotApplicable is completed only by a statement, not by a launch', () => {
    const unit = auOf('a', 'NotApplicable');
    assert.equal(evidenceOf(unit, none).Completion, 'incomplete');
    assert.equal(evidenceOf(unit, completed).Completion, 'completed');
  });

  it('optional AUs do not count if there are required ones', () => {
    const tree = treeOf(auOf('exam', 'Passed'), auOf('reading', 'NotApplicable'));
    const [exam, reading] = tree.Units as [Unit, Unit];
    const opened = rollUp('cmi5', tree, { reading: evidenceOf(reading, none) });
    assert.deepEqual([opened.Completion, opened.Progress], ['incomplete', 0]);
    const done = rollUp('cmi5', tree, { exam: evidenceOf(exam, passed) });
    assert.deepEqual([done.Completion, done.Success, done.Progress], ['completed', 'passed', 100]);
  });
});
