import { invalid } from './invalid.ts';
import type { Json } from './types.ts';
import {
  type Check,
  checkObject,
  extensions,
  iri,
  isObject,
  languageMap,
  listOf,
  oneOf,
  text,
} from './values.ts';

/** Data 2.4.4.1: which component lists each type of interaction may have. */
const componentsOf: Record<string, readonly string[]> = {
  'true-false': [],
  choice: ['choices'],
  'fill-in': [],
  'long-fill-in': [],
  matching: ['source', 'target'],
  performance: ['steps'],
  sequencing: ['choices'],
  likert: ['scale'],
  numeric: [],
  other: [],
};

const componentLists = ['choices', 'scale', 'source', 'target', 'steps'];

const component: Check = (value, path) => {
  checkObject(value, path, { id: text, description: languageMap }, ['id']);
};

/** The IDs in a list must be unique. */
const components: Check = (value, path) => {
  listOf(component)(value, path);
  const ids = Array.isArray(value) ? value.map((item) => (isObject(item) ? item.id : null)) : [];
  if (new Set(ids).size < ids.length) invalid(path, 'contains the same id twice.');
};

const definition: Check = (value, path) => {
  const found = checkObject(value, path, {
    name: languageMap,
    description: languageMap,
    type: iri,
    moreInfo: iri,
    extensions,
    interactionType: oneOf(...Object.keys(componentsOf)),
    correctResponsesPattern: listOf(text),
    ...Object.fromEntries(componentLists.map((name) => [name, components])),
  });
  const type = typeof found.interactionType === 'string' ? found.interactionType : null;
  const allowed = type === null ? [] : (componentsOf[type] ?? []);
  for (const name of componentLists)
    if (Object.hasOwn(found, name) && !allowed.includes(name))
      invalid(`${path}.${name}`, `does not belong to ${type ?? 'an activity without an interactionType'}.`);
  if (type === null && Object.hasOwn(found, 'correctResponsesPattern'))
    invalid(`${path}.correctResponsesPattern`, 'needs an interactionType.');
};

/** Data 2.4.4.1. */
export const activity: Check = (value: Json, path) => {
  checkObject(value, path, { objectType: oneOf('Activity'), id: iri, definition }, ['id']);
};
