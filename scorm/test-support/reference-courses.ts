import type { CourseTree, RunTimeData, Sequencing, Unit } from '../../standards/types.ts';
import { conditionFrom, rollupRule } from './learners.ts';
import { group, leaf, sequencingWith, treeOf } from './trees.ts';

/** A reproducible generator of random numbers. The recorded answers depend on its output. */
function randomFrom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return ((more ^ (more >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(next() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
  return { pick, chance: (share: number) => next() < share };
}
type Random = ReturnType<typeof randomFrom>;

const conditions = ['satisfied', 'completed', 'attempted', 'objectiveStatusKnown', 'activityProgressKnown'];
const preActions = ['skip', 'disabled', 'hiddenFromChoice', 'stopForwardTraversal'];
const postActions = ['continue', 'previous', 'retry', 'exitParent', 'exitAll', 'retryAll'];

function sequencingFrom({ pick, chance }: Random, isGroup: boolean, isRoot = false): Sequencing {
  const usually = (share: number) => !chance(share);
  const condition = () => conditionFrom(pick(['', 'not ']) + pick(conditions));
  const rule = (When: 'pre' | 'post' | 'exit', Action: string) => ({
    ...{ When, Action, ConditionCombination: 'all' as const, Conditions: [condition()] },
  });
  const whens = isGroup && !isRoot ? (['pre', 'exit'] as const) : (['pre', 'post'] as const);
  const when = pick(whens);
  const action = when === 'exit' ? 'exit' : pick(when === 'pre' ? preActions : postActions);
  const rollup = () =>
    rollupRule(
      pick(['satisfied', 'notSatisfied', 'completed', 'incomplete']),
      pick(['all', 'any', 'none', 'atLeastCount', 'atLeastPercent']),
      pick(['', 'not ']) + pick(conditions),
      { MinimumCount: pick([1, 2]), MinimumPercent: pick([0.5, 1]) },
    );
  return sequencingWith({
    ControlMode: {
      ...{ Flow: true, Choice: usually(0.15), ForwardOnly: isGroup && chance(0.15) },
      ChoiceExit: isGroup || usually(0.1),
      ...{ UseCurrentAttemptObjectiveInfo: false, UseCurrentAttemptProgressInfo: false },
    },
    Rules: !isRoot && chance(0.2) ? [rule(when, action)] : [],
    Limits: { AttemptLimit: !isGroup && chance(0.15) ? pick([1, 2]) : null },
    RollupRules: {
      ...{ RollupObjectiveSatisfied: usually(0.1), RollupProgressCompletion: usually(0.1) },
      ObjectiveMeasureWeight: pick([0.5, 1, 1]),
      Rules: isGroup && chance(0.3) ? [rollup()] : [],
    },
    Objectives: [
      {
        ...{ ObjectiveID: 'a', Primary: true, MinNormalizedMeasure: 0.5, Maps: [] },
        SatisfiedByMeasure: !isGroup && chance(0.2),
      },
    ],
    Delivery: {
      ...{ Tracked: usually(0.05), CompletionSetByContent: chance(0.15) },
      ObjectiveSetByContent: chance(0.15),
    },
  });
}

/** A random course that uses only features for which the reference implementation follows the SN book. */
export function referenceTree(seed: number): CourseTree {
  const random = randomFrom(seed);
  let count = 0;
  const unit = (depth: number): Unit => {
    count += 1;
    const id = `u${count}`;
    const isGroup = depth < 3 && count < 12 && random.chance(depth === 1 ? 0.6 : 0.3);
    const Sequencing = sequencingFrom(random, isGroup);
    if (!isGroup) return { ...leaf(id), Sequencing };
    const children = random.pick([[0], [0, 1], [0, 1, 2]]).map(() => unit(depth + 1));
    return { ...group(id, children), Sequencing };
  };
  const units = random
    .pick([
      [0, 1],
      [0, 1, 2],
    ])
    .map(() => unit(1));
  return { ...treeOf(units), Sequencing: sequencingFrom(random, true, true) };
}

export type ReferenceStep = { request: string; data: RunTimeData };

/**
 * The learner's steps: the data that the open unit reports, and the request. `place` is the position of the
 * unit to choose.
 */
export function referenceSteps(
  seed: number,
  count: number,
): { kind: string; place: number; data: RunTimeData }[] {
  const { pick, chance } = randomFrom(~seed);
  const kinds = ['continue', 'continue', 'continue', 'previous', 'choice', 'choice', 'exit', 'exitAll'];
  const reported = (): RunTimeData => ({
    ...(chance(0.5) && { 'cmi.completion_status': pick(['completed', 'incomplete', 'unknown']) }),
    ...(chance(0.5) && { 'cmi.success_status': pick(['passed', 'failed', 'unknown']) }),
    ...(chance(0.4) && { 'cmi.score.scaled': pick(['-0.5', '0.2', '0.9']) }),
    ...(chance(0.2) && { 'cmi.exit': 'suspend' }),
  });
  return Array.from({ length: count }, () => ({
    ...{ kind: pick([...kinds, 'suspendAll']), place: pick([...Array(12).keys()]), data: reported() },
  }));
}
