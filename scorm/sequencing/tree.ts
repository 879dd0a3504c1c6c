import type { Activity } from './course.ts';
import { type Draft, trackOf } from './draft.ts';

/** SN §4.8: the children that remain after selection and randomization, in their new order. */
export function availableChildren(draft: Draft, activity: Activity): readonly Activity[] {
  const { order } = trackOf(draft, activity);
  if (order === null) return activity.children;
  return order.flatMap((position) => activity.children[position] ?? []);
}

export function isAvailable(draft: Draft, activity: Activity): boolean {
  const { parent, position } = activity;
  if (!parent) return true;
  const { order } = trackOf(draft, parent);
  return order === null || placesIn(order).has(position);
}

export const isLeaf = (activity: Activity) => activity.children.length === 0;

/**
 * The available sibling before or after the activity. Null if there is none, or if the activity itself is not
 * available.
 */
export function sibling(draft: Draft, { parent, position }: Activity, step: 1 | -1): Activity | null {
  if (!parent) return null;
  const { order } = trackOf(draft, parent);
  if (order === null) return parent.children[position + step] ?? null;
  const place = placesIn(order).get(position);
  return place === undefined ? null : (parent.children[order[place + step] ?? -1] ?? null);
}

/** Orders can be cached, because they are replaced, never modified. */
const knownPlaces = new WeakMap<readonly number[], ReadonlyMap<number, number>>();

/** The index of each position in an order. Searching the order each time would take quadratic time. */
function placesIn(order: readonly number[]): ReadonlyMap<number, number> {
  const known = knownPlaces.get(order) ?? new Map(order.map((position, place) => [position, place]));
  knownPlaces.set(order, known);
  return known;
}

/**
 * The activities from this one up to and including the ancestor or, if the ancestor is not found, the root.
 */
export function pathUp(activity: Activity, ancestor: Activity | null = null): Activity[] {
  const path = [activity];
  for (let node = activity; node !== ancestor && node.parent; node = node.parent) path.push(node.parent);
  return path;
}

/** The activities from the root down to and including this one. */
export const pathFromRoot = (activity: Activity) => pathUp(activity).reverse();

export function commonAncestor(one: Activity, other: Activity): Activity {
  let [a, b] = [one, other];
  while (a !== b) {
    if (a.depth >= b.depth && a.parent) a = a.parent;
    else if (b.parent) b = b.parent;
    else return a;
  }
  return a;
}

export function isWithin(activity: Activity, ancestor: Activity): boolean {
  let node: Activity | null = activity;
  while (node && node.depth > ancestor.depth) node = node.parent;
  return node === ancestor;
}

/** The child of the ancestor that contains the activity. */
export function branchOf(activity: Activity, ancestor: Activity): Activity {
  let node = activity;
  while (node.parent && node.parent !== ancestor) node = node.parent;
  return node;
}

/** Whether `to` comes after `from` when the tree is walked forwards in the order of this attempt. */
export function isForward(draft: Draft, from: Activity, to: Activity): boolean {
  const ancestor = commonAncestor(from, to);
  if (ancestor === from) return true;
  if (ancestor === to) return false;
  const { order } = trackOf(draft, ancestor);
  const [a, b] = [branchOf(from, ancestor).position, branchOf(to, ancestor).position];
  return order === null ? b > a : (placesIn(order).get(b) ?? -1) > (placesIn(order).get(a) ?? -1);
}
