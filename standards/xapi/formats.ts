import { chooseLanguage } from './languages.ts';
import type { Activity, Actor, Json, JsonObject, LanguageMap, Statement } from './types.ts';
import { isObject } from './values.ts';

/** Communication 2.1.3: the parameter `format`. */
export type Format = 'exact' | 'ids' | 'canonical';

/** `ids`: keeps only identifiers. Anonymous groups keep the identifiers of their members. */
export function withIdsOnly(statement: Statement): Statement {
  return reshape(statement, {
    actor: ({ name: _, ...actor }) => {
      if (!('member' in actor) || actor.member === undefined) return actor;
      const { member, ...group } = actor;
      const isAnonymous = !(group.mbox || group.mbox_sha1sum || group.openid || group.account);
      return isAnonymous ? { ...group, member: member.map(({ name: _, ...agent }) => agent) } : group;
    },
    activity: ({ id }) => ({ id }),
    display: () => undefined,
  });
}

/**
 * `canonical`: activities have the LRS's definitions, localised by `definitionOf`. Each language map has only
 * the entry that the client prefers.
 */
export function canonical(
  statement: Statement,
  languages: readonly string[],
  definitionOf: (id: string) => JsonObject | undefined,
): Statement {
  const localize = (map: LanguageMap) => chooseLanguage(map, languages);
  return reshape(statement, {
    actor: (actor) => actor,
    activity: ({ definition: own, ...activity }) => {
      const definition = definitionOf(activity.id) ?? (own && localizeDefinition(own, languages));
      return definition ? { ...activity, definition } : activity;
    },
    display: localize,
  });
}

const componentLists = ['choices', 'scale', 'source', 'target', 'steps'];

/** The casts are safe because the definition was validated when it was stored. */
export function localizeDefinition(definition: JsonObject, languages: readonly string[]): JsonObject {
  const localize = (map: LanguageMap) => chooseLanguage(map, languages);
  const local = (object: JsonObject, names: readonly string[]) =>
    Object.fromEntries(
      Object.entries(object).map(([name, value]) => [
        name,
        names.includes(name) && isObject(value) ? localize(value as LanguageMap) : value,
      ]),
    );
  return Object.fromEntries(
    Object.entries(local(definition, ['name', 'description'])).map(([name, value]) => [
      name,
      componentLists.includes(name) && Array.isArray(value)
        ? value.map((item) => (isObject(item) ? local(item, ['description']) : item))
        : value,
    ]),
  );
}

type Shape = {
  actor: (actor: Actor) => Actor;
  activity: (activity: Activity) => Activity;
  display: (map: LanguageMap) => LanguageMap | undefined;
};

/** Replaces all actors, activities and displays in a statement. */
function reshape(statement: Statement, shape: Shape): Statement {
  return reshapeValue(statement as unknown as JsonObject, '', shape) as unknown as Statement;
}

const actorNames = ['actor', 'authority', 'instructor', 'team', 'agent', 'group'];
const activityLists = ['parent', 'grouping', 'category', 'other'];

/** Casts are safe: a stored statement is valid, so the name of a property determines its type. */
function reshapeValue(value: Json, name: string, shape: Shape): Json {
  if (['result', 'extensions', 'attachments'].includes(name)) return value;
  if (Array.isArray(value)) return value.map((item) => reshapeValue(item, name, shape));
  if (!isObject(value)) return value;
  const type = value.objectType;
  if (actorNames.includes(name) || type === 'Agent' || type === 'Group')
    return shape.actor(value as unknown as Actor) as unknown as Json;
  if (activityLists.includes(name) || (name === 'object' && (type === undefined || type === 'Activity')))
    return shape.activity(value as unknown as Activity) as unknown as Json;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const isDisplay = key === 'display' && name === 'verb';
      const shown = isDisplay ? shape.display(inner as LanguageMap) : reshapeValue(inner, key, shape);
      return shown === undefined ? [] : [[key, shown]];
    }),
  );
}
