import type { Objective, RollupRule, SupportedResult, SupportedResults } from '../../standards/types.ts';
import type { Activity, Course } from './course.ts';
import { type CourseResult, percent } from './result.ts';
import { type RollupAction, rulesFor } from './rollup-conditions.ts';
import type { GlobalObjective } from './state.ts';
import { betterResult, nothingSupported } from './supported-results.ts';

/** For each unit that has reported data, the values that the data supports. */
export type SupportedResultsByUnit = ReadonlyMap<string, SupportedResults>;

type Globals = readonly (readonly [id: string, objective: GlobalObjective])[];

/** The best possible result of each activity. A group contributes through its primary objective. */
type Limits = {
  own: Map<Activity, Map<number, SupportedResult>>;
  visited: ReadonlySet<Activity>;
  globals: Map<string, SupportedResult>;
};

/**
 * The maximum number of passes over the groups. Groups may read global objectives that other groups write.
 */
const maxRounds = 32;

/**
 * The best result that the units' data can justify, whatever the order of attempts. A rule is taken as
 * fulfilled if it could have been fulfilled at any time. Null if global objectives have circular
 * dependencies.
 */
export function courseLimit(
  course: Course,
  units: SupportedResultsByUnit,
  shared: Globals = [],
): CourseResult | null {
  const limits = unitLimits(course, units, shared);
  const groups = course.activities.filter(({ children }) => children.length > 0).reverse();
  for (let round = 0; round < maxRounds; round += 1) {
    let isSettled = true;
    for (const group of groups) {
      const limit = groupLimit(limits, group);
      // Global objectives get the statuses that follow from the measures, too.
      const found = new Map([
        [group.primary, betterResult(limit, { ...limit, ...statusesByMeasure(group, limit) })],
      ]);
      limits.own.set(group, found);
      if (writeGlobals(limits, group, found)) isSettled = false;
    }
    if (isSettled) return resultOf(course, limits);
  }
  return null;
}

/**
 * The activities that may have been rolled up: those that contain a unit with a report, and those that read
 * global objectives.
 */
export function visitedActivities(course: Course, units: SupportedResultsByUnit): Set<Activity> {
  const visited = new Set<Activity>();
  const readers = [...course.readers.values()].flat();
  for (const activity of [...[...units.keys()].map((id) => course.byID.get(id)), ...readers])
    for (let each = activity ?? null; each && !visited.has(each); each = each.parent) visited.add(each);
  return visited;
}

function unitLimits(course: Course, units: SupportedResultsByUnit, shared: Globals): Limits {
  const globals = new Map(shared.map(([id, objective]) => [id, resultFrom(objective)]));
  const limits: Limits = { own: new Map(), visited: visitedActivities(course, units), globals };
  for (const [id, supported] of units) {
    const activity = course.byID.get(id);
    if (!activity || activity.children.length > 0) continue;
    const found = new Map(
      supported.map(([position, result]) => [position, { ...nothingSupported, ...result }] as const),
    );
    limits.own.set(activity, found);
    writeGlobals(limits, activity, found);
  }
  return limits;
}

const resultFrom = ({ completed, satisfied, measure, progress }: GlobalObjective): SupportedResult => ({
  ...{ completed: completed === true, satisfied: satisfied === true, measure, progress },
});

/** Returns whether the possible value of any global objective has improved. */
function writeGlobals(
  { globals }: Limits,
  { objectives }: Activity,
  own: Map<number, SupportedResult>,
): boolean {
  let hasChanged = false;
  for (const [position, result] of own) {
    for (const map of objectives[position]?.Maps ?? []) {
      const known = globals.get(map.TargetObjectiveID) ?? nothingSupported;
      const better = betterResult(known, allowed(result, map, 'Write'));
      if (isSame(known, better)) continue;
      globals.set(map.TargetObjectiveID, better);
      hasChanged = true;
    }
  }
  return hasChanged;
}

function allowed(
  result: SupportedResult,
  map: Objective['Maps'][number],
  way: 'Read' | 'Write',
): SupportedResult {
  return {
    satisfied: result.satisfied && map[`${way}SatisfiedStatus`],
    measure: map[`${way}NormalizedMeasure`] ? result.measure : null,
    completed: result.completed && map[`${way}CompletionStatus`],
    progress: map[`${way}ProgressMeasure`] ? result.progress : null,
  };
}

const isSame = (a: SupportedResult, b: SupportedResult) =>
  a.completed === b.completed &&
  a.satisfied === b.satisfied &&
  a.measure === b.measure &&
  a.progress === b.progress;

/**
 * The primary objective's own values, the values that its maps read, and the statuses that follow from the
 * measures.
 */
function limitOf({ own, globals }: Limits, activity: Activity): SupportedResult {
  const { primary, objectives } = activity;
  const { Maps = [] } = objectives[primary] ?? {};
  const read = Maps.map((map) =>
    allowed(globals.get(map.TargetObjectiveID) ?? nothingSupported, map, 'Read'),
  );
  const found = read.reduce(betterResult, own.get(activity)?.get(primary) ?? nothingSupported);
  return { ...found, ...statusesByMeasure(activity, found) };
}

/** The statuses that the activity derives from its measures. */
function statusesByMeasure(
  { primary, objectives, completedByMeasure, minProgressMeasure }: Activity,
  { measure, progress }: SupportedResult,
): { satisfied?: boolean; completed?: boolean } {
  const { SatisfiedByMeasure = false, MinNormalizedMeasure = 1 } = objectives[primary] ?? {};
  return {
    ...(SatisfiedByMeasure && { satisfied: measure !== null && measure >= MinNormalizedMeasure }),
    ...(completedByMeasure && { completed: progress !== null && progress >= minProgressMeasure }),
  };
}

function groupLimit(limits: Limits, group: Activity): SupportedResult {
  if (!group.sequencing.Delivery.Tracked) return nothingSupported;
  const children = group.children.filter(({ sequencing }) => sequencing.Delivery.Tracked);
  const found = children.map((child) => ({ child, limit: limitOf(limits, child) }));
  const isSelecting = group.sequencing.Randomization.SelectCount !== null;
  const mean = (parts: { weight: number; value: number | null }[]) => highestMean(parts, isSelecting);
  return {
    measure: mean(
      found.map(({ child, limit }) => ({
        weight: child.sequencing.RollupRules.ObjectiveMeasureWeight,
        value: limit.measure,
      })),
    ),
    progress: mean(
      found.map(({ child, limit }) => ({ weight: child.progressWeight, value: limit.progress })),
    ),
    satisfied: rulesFor(group, 'satisfied').some((rule) => canApply(limits, group, found, rule)),
    completed: rulesFor(group, 'completed').some((rule) => canApply(limits, group, found, rule)),
  };
}

/**
 * If it is not known which children were selected, the mean can be as high as the best child's value.
 * Negative measures count as 0, because the measure may have been unknown at the time of the roll-up.
 */
function highestMean(parts: { weight: number; value: number | null }[], isSelecting: boolean): number | null {
  const known = parts.flatMap(({ value }) => (value === null ? [] : [Math.max(0, value)]));
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  if (known.length === 0 || total <= 0) return null;
  if (isSelecting) return Math.max(...known);
  return parts.reduce((sum, { weight, value }) => sum + weight * Math.max(0, value ?? 0), 0) / total;
}

type Child = { child: Activity; limit: SupportedResult };

/** Whether enough children may have met the conditions of the rule at some time (RB.1.4). */
function canApply(limits: Limits, group: Activity, children: readonly Child[], rule: RollupRule): boolean {
  const action = rule.Action as RollupAction;
  const counting = children.filter(({ child }) => contributes(child, action));
  const able = counting.filter((each) => canMeet(limits, each, rule)).length;
  const { SelectCount } = group.sequencing.Randomization;
  const unselected = SelectCount === null ? 0 : Math.max(0, group.children.length - SelectCount);
  const optional = counting.filter(
    (each) => isOptional(each.child, action) && !canMeet(limits, each, rule),
  ).length;
  const unable = Math.max(0, counting.length - able - optional - unselected);
  switch (rule.ChildActivitySet) {
    case 'all':
      return unable === 0;
    case 'any':
      return able > 0;
    case 'none':
      return true;
    case 'atLeastCount':
      return able >= rule.MinimumCount;
    case 'atLeastPercent':
      return rule.MinimumPercent === 0 || able / (able + unable) >= rule.MinimumPercent;
    default:
      return false;
  }
}

function contributes({ sequencing: { RollupRules } }: Activity, action: RollupAction): boolean {
  return action === 'satisfied' ? RollupRules.RollupObjectiveSatisfied : RollupRules.RollupProgressCompletion;
}

/**
 * Whether it is possible that the child did not contribute, for example because it was not attempted
 * (RB.1.4.2).
 */
function isOptional({ sequencing: { RollupConsiderations } }: Activity, action: RollupAction): boolean {
  const { RequiredForSatisfied, RequiredForCompleted } = RollupConsiderations;
  return (action === 'satisfied' ? RequiredForSatisfied : RequiredForCompleted) !== 'always';
}

/**
 * RB.1.4.1: a condition with `not` is always assumed to have been met at some time, either before the value
 * was known or while it was worse.
 */
function canMeet(limits: Limits, { child, limit }: Child, rule: RollupRule): boolean {
  const truths = rule.Conditions.map(({ Condition, Operator }) =>
    Operator === 'not' ? Condition !== 'always' : canBe(limits, child, limit, Condition),
  );
  if (truths.length === 0) return false;
  return rule.ConditionCombination === 'any' ? truths.includes(true) : !truths.includes(false);
}

function canBe({ visited }: Limits, child: Activity, limit: SupportedResult, condition: string): boolean {
  switch (condition) {
    case 'satisfied':
      return limit.satisfied;
    case 'completed':
      return limit.completed;
    case 'objectiveMeasureKnown':
      return limit.measure !== null;
    case 'always':
      return true;
    case 'never':
    case 'outsideAvailableTimeRange':
      return false;
    default:
      return visited.has(child);
  }
}

function resultOf({ root, activities }: Course, limits: Limits): CourseResult {
  const { completed, satisfied, measure, progress } = limitOf(limits, root);
  const leaves = activities.filter(({ children }) => children.length === 0);
  const able = leaves.filter((leaf) => limitOf(limits, leaf).completed).length;
  const share = percent(able / Math.max(1, leaves.length));
  const measured = root.completedByMeasure && progress !== null ? percent(progress) : 0;
  return {
    Completion: completed ? 'completed' : 'incomplete',
    Success: satisfied ? 'passed' : 'failed',
    Score: measure === null ? null : percent(measure),
    Progress: Math.max(share, measured),
  };
}
