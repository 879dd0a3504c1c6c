import type { CourseTree, RunTimeData, Unit } from '../types.ts';
import { answersIn, withAnswer } from '../xapi/answers.ts';
import type { MoveOn } from './vocabulary.ts';

/**
 * An AU's reports in a registration, as stored with its run-time data. Times are the timestamps of
 * statements.
 */
export type AuRecord = {
  completed: string | null;
  passed: string | null;
  failed: string | null;
  waived: string | null;
  /** Scaled, 0–1. */
  score: number | null;
  /** 0–100. */
  progress: number | null;
  seconds: number;
  /** Answers to questions, in the elements of SCORM 2004 (`cmi.interactions`). */
  answers: RunTimeData;
};

export const nothingReported: AuRecord = {
  ...{ completed: null, passed: null, failed: null, waived: null },
  ...{ score: null, progress: null, seconds: 0, answers: {} },
};

const times = ['completed', 'passed', 'failed', 'waived'] as const;
const numbers = ['score', 'progress'] as const;

export function recordOf(data: RunTimeData): AuRecord {
  const time = (name: string) => data[`cmi5.${name}`] ?? null;
  const number = (name: string) => (time(name) === null ? null : Number(time(name)));
  return {
    ...{
      completed: time('completed'),
      passed: time('passed'),
      failed: time('failed'),
      waived: time('waived'),
    },
    ...{ score: number('score'), progress: number('progress'), seconds: number('seconds') ?? 0 },
    answers: answersIn(data),
  };
}

export function dataOf(record: AuRecord): RunTimeData {
  const known = [...times, ...numbers].flatMap((name) => {
    const value = record[name];
    return value === null ? [] : [[`cmi5.${name}`, String(value)]];
  });
  return { ...Object.fromEntries(known), 'cmi5.seconds': String(record.seconds), ...record.answers };
}

/** Returns the same record if the statement is not an answer. */
export function recordWithAnswer(record: AuRecord, statement: Record<string, unknown>): AuRecord {
  const answers = withAnswer(record.answers, statement);
  return answers === record.answers ? record : { ...record, answers };
}

/** Sections 9.3.9 and 13.1.4: whether the AU is satisfied. A waived AU is always satisfied. */
export function isSatisfied(moveOn: MoveOn, { completed, passed, waived }: AuRecord): boolean {
  if (waived !== null) return true;
  switch (moveOn) {
    case 'NotApplicable':
      return true;
    case 'Completed':
      return completed !== null;
    case 'Passed':
      return passed !== null;
    case 'CompletedAndPassed':
      return completed !== null && passed !== null;
    case 'CompletedOrPassed':
      return completed !== null || passed !== null;
  }
}

export type Records = ReadonlyMap<string, AuRecord>;

export type SatisfiedNode = { kind: 'block' | 'course'; id: string; names: Record<string, string> };

/**
 * The satisfied blocks, inner ones first, followed by the course if all of its AUs are satisfied. A statement
 * must be stored for each block or course that was not satisfied before (section 9.3.9).
 */
export function satisfiedNodes(tree: CourseTree, records: Records): SatisfiedNode[] {
  const nodes: SatisfiedNode[] = [];
  const visit = (unit: Unit): boolean => {
    if (unit.AssignableUnit)
      return isSatisfied(unit.AssignableUnit.MoveOn, records.get(unit.UnitID) ?? nothingReported);
    const isWhole = unit.Children.map(visit).every(Boolean);
    if (isWhole) nodes.push({ kind: 'block', id: unit.UnitID, names: unit.Names ?? {} });
    return isWhole;
  };
  const isWhole = tree.Units.map(visit).every(Boolean);
  if (isWhole) nodes.push({ kind: 'course', id: tree.Identifier ?? '', names: tree.Names ?? {} });
  return nodes;
}

/** The blocks and courses that a change to a record has made satisfied. */
export function newlySatisfied(tree: CourseTree, before: Records, after: Records): SatisfiedNode[] {
  const known = new Set(satisfiedNodes(tree, before).map(({ kind, id }) => `${kind} ${id}`));
  return satisfiedNodes(tree, after).filter(({ kind, id }) => !known.has(`${kind} ${id}`));
}
