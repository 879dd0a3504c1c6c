import { formatDuration, parseSeconds } from '../../standards/durations.ts';
import { parseNumber } from '../../standards/numbers.ts';
import type { RunTimeData } from '../../standards/types.ts';
import type { Activity } from './course.ts';
import { change, type Draft } from './draft.ts';
import { definitionOf, progressOf, readObjective, recordObjective } from './objectives.ts';
import type { GlobalObjective } from './state.ts';

/** RTE §4.2: for each value, the element of an objective or of the SCO itself. */
const elements: Record<keyof GlobalObjective, string> = {
  satisfied: 'success_status',
  measure: 'score.scaled',
  raw: 'score.raw',
  min: 'score.min',
  max: 'score.max',
  completed: 'completion_status',
  progress: 'progress_measure',
};
const numbers = ['measure', 'raw', 'min', 'max', 'progress'] as const;
const words: Record<string, boolean | null> = {
  passed: true,
  failed: false,
  completed: true,
  incomplete: false,
  'not attempted': false,
};

/** The values that the content set for the elements with this prefix. */
function factsOf(data: RunTimeData, prefix: string): Partial<GlobalObjective> {
  const facts: Partial<GlobalObjective> = {};
  for (const fact of numbers) {
    const said = data[prefix + elements[fact]];
    if (said !== undefined) facts[fact] = inRange(fact, parseNumber(said));
  }
  for (const fact of ['satisfied', 'completed'] as const) {
    const said = data[prefix + elements[fact]];
    if (said !== undefined) facts[fact] = words[said] ?? null;
  }
  return facts;
}

/**
 * RTE §4.2.17 and §4.2.20. Content may send any number, and a scaled score of 55 would inflate the result of
 * the whole course.
 */
function inRange(fact: (typeof numbers)[number], value: number | null): number | null {
  const least = fact === 'measure' ? -1 : 0;
  const isRatio = fact === 'measure' || fact === 'progress';
  return value !== null && isRatio && (value < least || value > 1) ? null : value;
}

/** The prefixes of the objectives in the data, by identifier. */
function objectivePrefixes(data: RunTimeData): Map<string, string> {
  const prefixes = new Map<string, string>();
  for (const [element, id] of Object.entries(data)) {
    const prefix = /^(cmi\.objectives\.\d+\.)id$/.exec(element)?.[1];
    if (prefix) prefixes.set(id, prefix);
  }
  return prefixes;
}

/**
 * Copies a unit's report into the tracking model (RTE §4.2, SN §4.2). The SCO's own elements describe its primary
 * objective and take precedence over `cmi.objectives`.
 */
export function transferRunTimeData(draft: Draft, activity: Activity, data: RunTimeData): void {
  change(draft, activity, { suspended: data['cmi.exit'] === 'suspend' });
  if (!activity.sequencing.Delivery.Tracked) return;
  const prefixes = objectivePrefixes(data);
  const own = factsOf(data, 'cmi.');
  activity.objectives.forEach(({ ObjectiveID }, position) => {
    const prefix = ObjectiveID === null ? undefined : prefixes.get(ObjectiveID);
    const said = prefix ? factsOf(data, prefix) : {};
    if (position !== activity.primary) {
      recordObjective(draft, activity, position, said, true);
      return;
    }
    const facts = { ...said, ...own };
    change(draft, activity, {
      setsCompletion: facts.completed !== undefined,
      setsSuccess: facts.satisfied !== undefined,
    });
    recordObjective(draft, activity, position, facts, true);
  });
  if (!activity.completedByMeasure) return;
  const progress = progressOf(draft, activity);
  const completed = progress === null ? null : progress >= activity.minProgressMeasure;
  recordObjective(draft, activity, activity.primary, { completed });
}

/**
 * 4th edition: copies the `adl.data` buckets that a unit may write (RTE §4.3.1). An empty bucket is not
 * initialised.
 */
export function transferSharedData(
  draft: Draft,
  { sharedData }: Activity,
  stores: ReadonlyMap<string, string | null>,
): void {
  const buckets = new Map(draft.buckets);
  for (const { TargetID, Write } of sharedData) {
    const store = Write ? stores.get(TargetID) : undefined;
    if (store !== undefined) buckets.set(TargetID, store ?? '');
  }
  draft.buckets = buckets;
}

/** The elements that the system passes to content in every attempt. All others belong to one attempt. */
const given = /^cmi\.(learner_id|learner_name|learner_preference\..*|credit|mode|comments_from_lms\..*)$/;

/**
 * The initial data for a delivered unit (RTE §4.2). A resumed attempt gets its stored data. A new attempt gets
 * only system and manifest data. Objectives have the values that their maps read.
 */
export function initialData(
  draft: Draft,
  activity: Activity,
  stored: RunTimeData,
  isResumed: boolean,
): RunTimeData {
  return {
    ...(isResumed ? resumedData(stored) : newData(stored)),
    ...manifestData(activity),
    ...objectiveData(draft, activity, isResumed ? stored : {}),
  };
}

function newData(stored: RunTimeData): RunTimeData {
  const kept = Object.entries(stored).filter(([element]) => given.test(element));
  return { ...Object.fromEntries(kept), 'cmi.entry': 'ab-initio' };
}

function resumedData(stored: RunTimeData): RunTimeData {
  const kept = Object.entries(stored).filter(
    ([element]) => !/^(cmi\.exit$|cmi\.session_time$|adl\.)/.test(element),
  );
  const total = parseSeconds(stored['cmi.total_time']) + parseSeconds(stored['cmi.session_time']);
  return { ...Object.fromEntries(kept), 'cmi.total_time': formatDuration(total), 'cmi.entry': 'resume' };
}

function manifestData(activity: Activity): RunTimeData {
  const { unit, sequencing } = activity;
  const primary = definitionOf(activity, activity.primary);
  const limit = sequencing.Limits.AttemptAbsoluteDurationLimit;
  return {
    ...(unit?.DataFromLMS && { 'cmi.launch_data': unit.DataFromLMS }),
    ...(unit?.TimeLimitAction && { 'cmi.time_limit_action': unit.TimeLimitAction }),
    ...(limit !== null && { 'cmi.max_time_allowed': limit }),
    ...(activity.completedByMeasure && { 'cmi.completion_threshold': String(activity.minProgressMeasure) }),
    ...(primary.SatisfiedByMeasure && { 'cmi.scaled_passing_score': String(primary.MinNormalizedMeasure) }),
  };
}

function objectiveData(draft: Draft, activity: Activity, stored: RunTimeData): RunTimeData {
  const data: RunTimeData = {};
  const prefixes = objectivePrefixes(stored);
  let next = prefixes.size;
  activity.objectives.forEach(({ ObjectiveID }, position) => {
    if (ObjectiveID === null) return;
    const known = prefixes.get(ObjectiveID);
    const prefix = known ?? `cmi.objectives.${next}.`;
    if (!known) next += 1;
    data[`${prefix}id`] = ObjectiveID;
    const { satisfied, completed, ...measures } = readObjective(draft, activity, position);
    for (const fact of numbers)
      if (measures[fact] !== null) data[prefix + elements[fact]] = String(measures[fact]);
    if (satisfied !== null) data[prefix + elements.satisfied] = satisfied ? 'passed' : 'failed';
    if (completed !== null) data[prefix + elements.completed] = completed ? 'completed' : 'incomplete';
  });
  return data;
}

/** The shared data of `adl.data`, with the access rights from this unit's manifest. */
export type Bucket = { id: string; store: string | null; read: boolean; write: boolean };

export function bucketsOf({ buckets }: Draft, { sharedData }: Activity): Bucket[] {
  return sharedData.map(({ TargetID, Read, Write }) => ({
    ...{ id: TargetID, store: buckets.get(TargetID) || null },
    ...{ read: Read, write: Write },
  }));
}
