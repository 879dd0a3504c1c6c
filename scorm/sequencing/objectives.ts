import type { Objective } from '../../standards/types.ts';
import type { Activity } from './course.ts';
import { changeObjective, type Draft, objectiveTrack, trackOf } from './draft.ts';
import { facts, type ObjectiveValue, writeFlags } from './global-facts.ts';
import { type GlobalObjective, unknownObjective } from './state.ts';

export function definitionOf({ id, objectives }: Activity, position: number): Objective {
  const definition = objectives[position];
  if (!definition) throw new RangeError(`The activity ${id} has no objective ${position}`);
  return definition;
}

/**
 * The activity that reads the value. A parent's roll-up uses only results from its own current attempt (SN
 * §3.2.6–7). An activity's own rules use the results of its latest attempt.
 */
export type Reader = 'itself' | 'parent';

const progressFacts: readonly ObjectiveValue[] = ['completed', 'progress'];

/**
 * The activity's own value, or the value of the global objective from which a map reads it, even if that value
 * is unknown (SN §3.10.3). Only an unknown progress measure is replaced with the activity's own measure.
 * Otherwise, an activity completed by measure could not complete itself.
 */
function read<Name extends ObjectiveValue>(
  draft: Draft,
  activity: Activity,
  position: number,
  fact: Name,
  reader: Reader,
): GlobalObjective[Name] {
  const source = activity.sources[position]?.[fact];
  if (source !== undefined) {
    const shared = draft.globals.get(source)?.[fact] ?? null;
    if (shared !== null || fact !== 'progress') return shared;
  }
  return reader === 'parent' && isOld(draft, activity, fact)
    ? null
    : objectiveTrack(draft, activity, position)[fact];
}

function isOld(draft: Draft, activity: Activity, fact: ObjectiveValue): boolean {
  const { oldObjectives, oldProgress } = trackOf(draft, activity);
  return progressFacts.includes(fact) ? oldProgress : oldObjectives;
}

/** All values of an objective, including those that its maps read. */
export function readObjective(draft: Draft, activity: Activity, position: number): GlobalObjective {
  return {
    satisfied: satisfiedOf(draft, activity, position),
    measure: measureOf(draft, activity, position),
    raw: read(draft, activity, position, 'raw', 'itself'),
    min: read(draft, activity, position, 'min', 'itself'),
    max: read(draft, activity, position, 'max', 'itself'),
    completed: read(draft, activity, position, 'completed', 'itself'),
    progress: read(draft, activity, position, 'progress', 'itself'),
  };
}

export function measureOf(
  draft: Draft,
  activity: Activity,
  position = activity.primary,
  reader: Reader = 'itself',
): number | null {
  return read(draft, activity, position, 'measure', reader);
}

/** SN §4.6.2: the status of an objective that is satisfied by measure depends only on its measure. */
export function satisfiedOf(
  draft: Draft,
  activity: Activity,
  position = activity.primary,
  reader: Reader = 'itself',
): boolean | null {
  const { SatisfiedByMeasure } = definitionOf(activity, position);
  if (!SatisfiedByMeasure) return read(draft, activity, position, 'satisfied', reader);
  return judged(draft, activity, position, measureOf(draft, activity, position, reader));
}

/** RB.1.2.a: the manifest may exclude the measure of a group that is still active. */
function judged(draft: Draft, activity: Activity, position: number, measure: number | null): boolean | null {
  const { RollupConsiderations } = activity.sequencing;
  const isEarly = activity.children.length > 0 && trackOf(draft, activity).active;
  if (measure === null || (isEarly && !RollupConsiderations.MeasureSatisfactionIfActive)) return null;
  return measure >= definitionOf(activity, position).MinNormalizedMeasure;
}

/**
 * SN §4.2.1.3: whether the attempt is completed. If completion is by measure, it depends only on the measure.
 * Objectives other than the primary one have their own completion status (4th edition).
 */
export function completedOf(
  draft: Draft,
  activity: Activity,
  reader: Reader = 'itself',
  position = activity.primary,
): boolean | null {
  if (!activity.completedByMeasure || position !== activity.primary)
    return read(draft, activity, position, 'completed', reader);
  const progress = progressOf(draft, activity, reader);
  return progress === null ? null : progress >= activity.minProgressMeasure;
}

export function progressOf(draft: Draft, activity: Activity, reader: Reader = 'itself'): number | null {
  return read(draft, activity, activity.primary, 'progress', reader);
}

/** The activity's own values, from which the values for its global objectives are derived. */
export function ownFacts(draft: Draft, activity: Activity, position: number): GlobalObjective {
  const own = objectiveTrack(draft, activity, position);
  if (!definitionOf(activity, position).SatisfiedByMeasure) return own;
  return { ...own, satisfied: judged(draft, activity, position, own.measure) };
}

/**
 * Records new values of an objective, and writes them to its global objectives. An unknown value is written
 * only if the content reported it, or if the value was known before.
 */
export function recordObjective(
  draft: Draft,
  activity: Activity,
  position: number,
  changes: Partial<GlobalObjective>,
  isReported = false,
): void {
  const before = ownFacts(draft, activity, position);
  changeObjective(draft, activity, position, changes);
  const after = ownFacts(draft, activity, position);
  const isWorthWriting = (fact: ObjectiveValue) =>
    after[fact] !== null || before[fact] !== null || (isReported && fact in changes);
  for (const { TargetObjectiveID, ...flags } of definitionOf(activity, position).Maps) {
    const shared = draft.globals.get(TargetObjectiveID) ?? unknownObjective;
    const written = facts.filter(
      (fact) => flags[writeFlags[fact]] && isWorthWriting(fact) && shared[fact] !== after[fact],
    );
    if (written.length === 0) continue;
    const values = Object.fromEntries(written.map((fact) => [fact, after[fact]]));
    draft.globals.set(TargetObjectiveID, { ...shared, ...values });
    draft.changedGlobals.add(TargetObjectiveID);
  }
}

/** A new attempt has no results yet. Global objectives keep the values that earlier attempts wrote. */
export function forget(draft: Draft, activity: Activity): void {
  activity.objectives.forEach((_, position) => {
    changeObjective(draft, activity, position, unknownObjective);
  });
}
