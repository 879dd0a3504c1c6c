import type { Course } from '../scorm/sequencing/course.ts';
import { describeRule } from '../scorm/sequencing/descriptions.ts';
import type { Reason, Refusal } from '../scorm/sequencing/requests.ts';
import { ruleText } from '../scorm/sequencing/rule-text.ts';
import { blockedUnits, createState, launch } from '../scorm/sequencing/session.ts';
import { playable } from './evidence.ts';
import { isOpen } from './prerequisites.ts';
import { readTreeState } from './tree-state.ts';
import type { CourseTree, Evidence, SequencingRule } from './types.ts';
import { prerequisiteRule, titlesOf } from './unit-rules.ts';
import { nodesIn, statusesIn, statusOf } from './unit-status.ts';

/** A unit that a rule or limit keeps closed. `Detail` is a sentence about that rule or limit. */
export type Unavailable = { UnitID: string; Title: string; Detail: string };

/**
 * SCORM 2004: the first `limit` units that will be closed at the next launch. `text` is the stored sequencing
 * state.
 */
export function unavailableIn(
  course: Course,
  text: string | null,
  now: number,
  limit: number,
): Unavailable[] {
  const stored = text === null ? null : readTreeState(course, text);
  const { state } = launch(course, stored ?? createState(course, { seed: 1, now }), now);
  const known = new Map<SequencingRule, string>();
  return blockedUnits(course, state, now)
    .slice(0, limit)
    .map(({ id, title, refusal }) => ({
      ...{ UnitID: id, Title: title },
      Detail: detailOf(course, refusal, title, known),
    }));
}

const limits: Partial<Record<Reason, (title: string) => string>> = {
  attemptLimit: (title) => `No attempts on ${title} are left.`,
  durationLimit: (title) => `The time for ${title} is used up.`,
  preventActivation: (title) => `${title} can only be opened in the course's order.`,
  constrainChoice: (title) => `From ${title}, only the units next to it can be chosen.`,
  choiceExitOff: (title) => `${title} must be finished before another unit can be chosen.`,
};

/** `known` caches sentences, because one rule may keep several units closed. */
function detailOf(
  course: Course,
  { reason, activity, rule }: Refusal,
  title: string,
  known: Map<SequencingRule, string>,
): string {
  const owner = activity === null ? undefined : course.byID.get(activity);
  const found = owner?.sequencing.Rules[rule ?? -1];
  if (owner && found) {
    const text = known.get(found) ?? ruleText(owner.title, describeRule(course, owner, found));
    known.set(found, text);
    return text;
  }
  return limits[reason]?.(owner?.title ?? title) ?? `${title} is not available at the moment.`;
}

/** SCORM 1.2: the first `limit` units whose prerequisites are not met. */
export function unavailableIn12(
  tree: CourseTree,
  units: Readonly<Record<string, Evidence>>,
  limit: number,
): Unavailable[] {
  const known = new Map(Object.entries(units));
  const statusIn = statusesIn(nodesIn(tree.Units), (unitID) => statusOf(known.get(unitID)));
  const titles = titlesOf(tree);
  const closed = playable(tree.Units).flatMap(({ UnitID, Title, Prerequisites }) =>
    Prerequisites === null || isOpen(Prerequisites, statusIn) ? [] : [{ UnitID, Title, Prerequisites }],
  );
  return closed.slice(0, limit).map(({ UnitID, Title, Prerequisites }) => {
    return { UnitID, Title, Detail: ruleText(Title, prerequisiteRule(titles, Prerequisites)) };
  });
}
