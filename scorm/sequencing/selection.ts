import type { Activity } from './course.ts';
import { change, type Draft, trackOf } from './draft.ts';
import { isLeaf } from './tree.ts';

/** The next random number in [0, 1), from the seed in the state. */
function random(draft: Draft): number {
  draft.seed = (draft.seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(draft.seed ^ (draft.seed >>> 15), draft.seed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}

function shuffled(draft: Draft, items: readonly number[]): number[] {
  const rest = [...items];
  const result: number[] = [];
  while (rest.length > 0) result.push(...rest.splice(Math.floor(random(draft) * rest.length), 1));
  return result;
}

/**
 * Whether the children must be selected or reordered now: only before the first attempt, or before each
 * attempt (SN §4.8).
 */
function isDue(draft: Draft, activity: Activity, timing: string): boolean {
  const { attempts, active, suspended } = trackOf(draft, activity);
  if (isLeaf(activity) || active || suspended) return false;
  return timing === 'onEachNewAttempt' || (timing === 'once' && attempts === 0);
}

/** SR.1: Select Children Process. The selected children keep their order. */
function selectChildren(draft: Draft, activity: Activity): void {
  const { SelectionTiming, SelectCount } = activity.sequencing.Randomization;
  if (SelectCount === null || !isDue(draft, activity, SelectionTiming)) return;
  const all = [...activity.children.keys()];
  const selected = shuffled(draft, all).slice(0, SelectCount);
  change(draft, activity, { order: selected.sort((a, b) => a - b) });
}

/** SR.2: Randomize Children Process. */
function randomizeChildren(draft: Draft, activity: Activity): void {
  const { RandomizationTiming, ReorderChildren } = activity.sequencing.Randomization;
  if (!ReorderChildren || !isDue(draft, activity, RandomizationTiming)) return;
  const { order } = trackOf(draft, activity);
  change(draft, activity, { order: shuffled(draft, order ?? [...activity.children.keys()]) });
}

/**
 * Selects and orders the children for the next attempt. This happens as soon as the previous attempt has
 * ended, so the contents list already shows what the next attempt will deliver.
 */
export function prepareChildren(draft: Draft, activity: Activity): void {
  selectChildren(draft, activity);
  randomizeChildren(draft, activity);
}
