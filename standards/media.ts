import { clamp, parseNumber, rounded } from './numbers.ts';
import {
  type CompleteWhen,
  type CourseTree,
  type Evidence,
  type MediaStandard,
  mediaStandards,
  type RunTimeData,
  type Standard,
} from './types.ts';

export const isMedia = (standard: Standard): standard is MediaStandard =>
  (mediaStandards as readonly Standard[]).includes(standard);

/** The tree with the rule of the course, which can change between launches, and with the number of the release. */
export function withRule(tree: CourseTree, rule: CompleteWhen | null, Release: number): CourseTree {
  const Units = tree.Units.map((unit) =>
    unit.Media
      ? { ...unit, Media: { ...unit.Media, CompleteWhen: rule ?? unit.Media.CompleteWhen, Release } }
      : unit,
  );
  return { ...tree, Units };
}

/** The ID of the interaction that records a confirmation. */
export const confirmationID = 'confirmation';

const isConfirmed = (data: RunTimeData) =>
  data['cmi.interactions.0.id'] === confirmationID &&
  (data['cmi.interactions.0.learner_response'] ?? '').trim() !== '';

/** The part of a file that the learner has seen, 0–100. */
export const percentOf = (data: RunTimeData) =>
  rounded(clamp((parseNumber(data['cmi.progress_measure']) ?? 0) * 100, 0, 100));

/** Whether the data fulfils the rule. */
export function fulfils(rule: CompleteWhen, data: RunTimeData): boolean {
  return 'Confirm' in rule ? isConfirmed(data) : percentOf(data) >= rule.Percent;
}

/** The result follows from what the learner has seen or confirmed. A file has no score. */
export function mediaResult(rule: CompleteWhen, data: RunTimeData): Omit<Evidence, 'TotalSeconds'> {
  const isDone = fulfils(rule, data);
  const isBegun = Object.keys(data).some((name) => name.startsWith('cmi.'));
  return {
    Completion: isDone ? 'completed' : isBegun ? 'incomplete' : 'unknown',
    Success: 'unknown',
    Score: null,
    Progress: isDone ? 100 : percentOf(data),
  };
}
