import type { Collection, Element, Model } from './types.ts';

/** These names are only namespaces and do not support `_children`. */
const childless = ['cmi', 'adl', 'adl.nav'];

/**
 * Derives the groups and the values of `_children` from the elements. Collections without elements in this
 * edition are omitted.
 */
export function modelOf(version: string, elements: readonly Element[], lists: readonly string[]): Model {
  const children = new Map<string, Set<string>>();
  for (const { name } of elements) {
    const parts = name.split('.');
    for (let end = parts.length - 1; end > 0; end--) {
      const parent = parts.slice(0, end);
      const isMember = parent.at(-1) === 'n';
      if (parts[end] === 'n') continue;
      const collection = (isMember ? parent.slice(0, -1) : parent).join('.');
      const known = children.get(collection) ?? new Set<string>();
      children.set(collection, known.add(parts[end] ?? ''));
    }
  }
  for (const name of childless) children.delete(name);
  const collections = new Map<string, Collection>();
  for (const [name, names] of children)
    collections.set(name, {
      name,
      kind: lists.includes(name) ? 'list' : 'group',
      children: [...names].join(','),
    });
  return { elements: new Map(elements.map((element) => [element.name, element])), collections, version };
}

export type Place =
  | { kind: 'element'; element: Element; name: string; lists: Position[] }
  | ({ kind: 'children' } & Keyword)
  | ({ kind: 'count' } & Keyword)
  | { kind: 'version'; isRoot: boolean }
  | { kind: 'undefined' };

type Keyword = { of: string; collection: Collection | null; lists: Position[] };

/** A list on the path to an element, and the index of the requested member. */
export type Position = { list: string; index: number };

const isIndex = (part: string) => /^\d{1,15}$/.test(part);

/** The maximum number of parts in the name of an element, including indices. */
const deepest = 8;

/**
 * Resolves a data model name in time linear in its length. The `name` in the result has indices without
 * leading zeros.
 */
export function placeOf(model: Model, name: string): Place {
  const parts = name.split('.', deepest + 1);
  // In the tables, `n` is the placeholder for an index. No element has this name.
  if (parts.length > deepest || parts.includes('n')) return { kind: 'undefined' };
  const pattern: string[] = [];
  const written: string[] = [];
  const lists: Position[] = [];
  for (const part of parts) {
    const isMember = isIndex(part) && model.collections.get(pattern.join('.'))?.kind === 'list';
    if (isMember) lists.push({ list: written.join('.'), index: Number(part) });
    pattern.push(isMember ? 'n' : part);
    written.push(isMember ? String(Number(part)) : part);
  }
  const element = model.elements.get(pattern.join('.'));
  if (element) return { kind: 'element', element, name: written.join('.'), lists };
  const keyword = parts.at(-1);
  const parent = pattern.slice(0, -1).join('.');
  if (keyword === '_version') return { kind: 'version', isRoot: parent === 'cmi' };
  if (keyword !== '_children' && keyword !== '_count') return { kind: 'undefined' };
  const collection = model.collections.get(parent) ?? null;
  if (!collection && !model.elements.has(parent)) return { kind: 'undefined' };
  const of = { of: written.slice(0, -1).join('.'), collection, lists };
  return keyword === '_children' ? { kind: 'children', ...of } : { kind: 'count', ...of };
}
