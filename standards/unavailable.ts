import type { Course } from '../scorm/sequencing/course.ts';
import { type DescribedRule, describeRule } from '../scorm/sequencing/descriptions.ts';
import type { Reason, Refusal } from '../scorm/sequencing/requests.ts';
import { ruleText } from '../scorm/sequencing/rule-text.ts';
import { blockedUnits, createState, launch } from '../scorm/sequencing/session.ts';
import { playable } from './evidence.ts';
import { isOpen } from './prerequisites.ts';
import { readTreeState } from './tree-state.ts';
import type { CourseTree, Evidence, SequencingRule } from './types.ts';
import { prerequisiteRule, titlesOf } from './unit-rules.ts';
import { nodesIn, statusesIn, statusOf } from './unit-status.ts';

export const closingReasons = [
  ...(['rule', 'attempts_used', 'time_used', 'fixed_order'] as const),
  ...(['neighbours_only', 'unfinished', 'other'] as const),
] as const;

/** Why a unit is closed: the rule or limit of a unit or group, whose title is `Of`. `Detail` says it in English. */
type Closed = {
  Because: (typeof closingReasons)[number];
  Of: string;
  Rule: DescribedRule | null;
  Detail: string;
};

/** A unit that a rule or limit keeps closed. */
export type Unavailable = { UnitID: string; Title: string } & Closed;

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
  const known = new Map<SequencingRule, Closed>();
  return blockedUnits(course, state, now)
    .slice(0, limit)
    .map(({ id, title, refusal }) => ({
      ...{ UnitID: id, Title: title },
      ...closedBy(course, refusal, title, known),
    }));
}

const limits: Partial<Record<Reason, readonly [Closed['Because'], (title: string) => string]>> = {
  attemptLimit: ['attempts_used', (title) => `No attempts on ${title} are left.`],
  durationLimit: ['time_used', (title) => `The time for ${title} is used up.`],
  preventActivation: ['fixed_order', (title) => `${title} can only be opened in the course's order.`],
  constrainChoice: ['neighbours_only', (title) => `From ${title}, only the units next to it can be chosen.`],
  choiceExitOff: ['unfinished', (title) => `${title} must be finished before another unit can be chosen.`],
};

const closedByRule = (title: string, rule: DescribedRule): Closed => ({
  ...{ Because: 'rule', Of: title, Rule: rule, Detail: ruleText(title, rule) },
});

/** `known` caches reasons, because one rule may keep several units closed. */
function closedBy(
  course: Course,
  { reason, activity, rule }: Refusal,
  title: string,
  known: Map<SequencingRule, Closed>,
): Closed {
  const owner = activity === null ? undefined : course.byID.get(activity);
  const found = owner?.sequencing.Rules[rule ?? -1];
  if (owner && found) {
    const closed = known.get(found) ?? closedByRule(owner.title, describeRule(course, owner, found));
    known.set(found, closed);
    return closed;
  }
  const limit = limits[reason];
  const Of = limit ? (owner?.title ?? title) : title;
  const [Because, detailOf] = limit ?? ['other', () => `${title} is not available at the moment.`];
  return { Because, Of, Rule: null, Detail: detailOf(Of) };
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
    return { UnitID, Title, ...closedByRule(Title, prerequisiteRule(titles, Prerequisites)) };
  });
}
