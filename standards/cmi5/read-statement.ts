import { type AuVerb, auVerbs, categories } from './vocabulary.ts';

export type Json = Record<string, unknown>;

/** A statement as the AU sent it. The LRS checks its form. */
export type SentStatement = Json;

/** A statement that is parsed once for all rules, which keeps the rules short. */
export type Read = {
  sent: Json;
  verb: AuVerb | null;
  isDefined: boolean;
  verbId: unknown;
  result: Json;
  context: Json;
  score: Json | null;
  categories: unknown[];
  groupings: unknown[];
  extensions: Json;
};

export function readStatement(sent: Json): Read {
  const context = objectOf(sent.context);
  const activities = objectOf(context.contextActivities);
  const result = objectOf(sent.result);
  const verbId = objectOf(sent.verb).id;
  const known = Object.entries(auVerbs).find(([, id]) => id === verbId);
  const inCategories = idsOf(activities.category);
  return {
    ...{ sent, context, result, verbId },
    verb: (known?.[0] as AuVerb | undefined) ?? null,
    isDefined: inCategories.includes(categories.cmi5),
    score: result.score === undefined ? null : objectOf(result.score),
    categories: inCategories,
    groupings: idsOf(activities.grouping),
    extensions: objectOf(context.extensions),
  };
}

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** xAPI 1.0.3 accepts a single activity instead of a list. */
function idsOf(activities: unknown): unknown[] {
  const list = Array.isArray(activities) ? activities : [activities];
  return list.map((activity) => objectOf(activity).id);
}
