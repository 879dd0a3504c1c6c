import type { Course } from '../scorm/sequencing/course.ts';
import {
  type DescribedCondition,
  type DescribedRule,
  describeActivity,
  plainRule,
} from '../scorm/sequencing/descriptions.ts';
import { parseSeconds } from './durations.ts';
import { unitsNamedIn } from './prerequisites.ts';
import type { CourseTree, Unit } from './types.ts';
import { nodesIn } from './unit-status.ts';

/** The titles of all units, by UnitID. */
export type Titles = ReadonlyMap<string, string>;

export function titlesOf(tree: CourseTree): Titles {
  return new Map([...nodesIn(tree.Units)].map(([unitID, { Title }]) => [unitID, Title]));
}

/**
 * The rules of a unit in any standard. `course` is the tree prepared for sequencing, or null for standards
 * without it.
 */
export function rulesOf(titles: Titles, course: Course | null, unit: Unit): DescribedRule[] {
  const activity = course?.byID.get(unit.UnitID);
  return course && activity ? describeActivity(course, activity) : rulesOf12(titles, unit);
}

function rulesOf12(titles: Titles, { Prerequisites, MasteryScore, MaxTimeAllowed }: Unit): DescribedRule[] {
  return [
    ...(Prerequisites === null ? [] : [prerequisiteRule(titles, Prerequisites)]),
    ...(MaxTimeAllowed === null ? [] : [plainRule('timeLimit', parseSeconds(MaxTimeAllowed))]),
    ...(MasteryScore === null ? [] : [plainRule('passScore', MasteryScore)]),
  ];
}

/**
 * Describes an AICC script that requires all or any of several units. The description of any other script
 * says only that there are prerequisites.
 */
export function prerequisiteRule(titles: Titles, script: string): DescribedRule {
  for (const [operator, Match] of [
    ['&', 'all'],
    ['|', 'any'],
  ] as const) {
    const titlesOfParts = new Set(unitsNamedIn(script, operator).map((unitID) => titles.get(unitID)));
    if (titlesOfParts.has(undefined)) continue;
    const Conditions = [...titlesOfParts].map((title = '') => doneCondition(title));
    return { Rule: 'opensAfter', Match, Conditions, Value: null };
  }
  return plainRule('prerequisites');
}

const doneCondition = (title: string): DescribedCondition => ({
  ...{ Condition: 'done', Not: false, Units: [title], Objective: null, Value: null },
});
