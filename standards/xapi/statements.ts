import { activity } from './activities.ts';
import { actor, agent, authority, group } from './actors.ts';
import { invalid } from './invalid.ts';
import { duration, instant } from './times.ts';
import { contextActivityKinds, type Edition, type Json, type JsonObject, type Statement } from './types.ts';
import {
  type Check,
  checkObject,
  extensions,
  hasMoreValues,
  iri,
  isObject,
  languageMap,
  languageTag,
  listOf,
  mediaType,
  number,
  objectAt,
  oneOf,
  sha2,
  text,
  truth,
  uuid,
  wholeNumber,
} from './values.ts';

export const voidedVerb = 'http://adlnet.gov/expapi/verbs/voided';

/** Data 2.4.3. */
const verb: Check = (value, path) => {
  checkObject(value, path, { id: iri, display: languageMap }, ['id']);
};

/** Data 2.4.5.1. */
const score: Check = (value, path) => {
  const { scaled, raw, min, max } = checkObject(value, path, {
    scaled: number,
    raw: number,
    min: number,
    max: number,
  });
  if (typeof scaled === 'number' && Math.abs(scaled) > 1)
    invalid(`${path}.scaled`, 'must be between -1 and 1.');
  if (typeof min === 'number' && typeof max === 'number' && min >= max)
    invalid(`${path}.min`, 'must be less than max.');
  if (typeof raw !== 'number') return;
  if (typeof min === 'number' && raw < min) invalid(`${path}.raw`, 'must not be less than min.');
  if (typeof max === 'number' && raw > max) invalid(`${path}.raw`, 'must not be greater than max.');
};

/** Data 2.4.5. */
const result: Check = (value, path) => {
  checkObject(value, path, {
    score,
    success: truth,
    completion: truth,
    response: text,
    duration,
    extensions,
  });
};

/** Data 2.4.4.3. */
const statementRef: Check = (value, path) => {
  checkObject(value, path, { objectType: oneOf('StatementRef'), id: uuid }, ['objectType', 'id']);
};

/** Data 2.4.6.2: each property is an array of activities or a single activity. */
const contextActivities: Check = (value, path) => {
  const list: Check = (inner, at) =>
    Array.isArray(inner) ? listOf(activity)(inner, at) : activity(inner, at);
  checkObject(value, path, Object.fromEntries(contextActivityKinds.map((kind) => [kind, list])));
};

const contextAgent: Check = (value, path) => {
  const properties = { objectType: oneOf('contextAgent'), agent, relevantTypes: relevantTypes };
  checkObject(value, path, properties, ['objectType', 'agent']);
};

const contextGroup: Check = (value, path) => {
  const properties = { objectType: oneOf('contextGroup'), group, relevantTypes: relevantTypes };
  checkObject(value, path, properties, ['objectType', 'group']);
};

const relevantTypes: Check = (value, path) => {
  listOf(iri)(value, path);
  if (Array.isArray(value) && value.length === 0) invalid(path, 'must not be empty.');
};

/** Data 2.4.6; IEEE 9274.1.1 adds contextAgents and contextGroups. */
const context =
  (edition: Edition): Check =>
  (value, path) => {
    checkObject(value, path, {
      registration: uuid,
      instructor: actor,
      team: group,
      contextActivities,
      revision: text,
      platform: text,
      language: languageTag,
      statement: statementRef,
      extensions,
      ...(edition === '2.0.0'
        ? { contextAgents: listOf(contextAgent), contextGroups: listOf(contextGroup) }
        : {}),
    });
  };

/** Data 2.4.11. */
const attachment: Check = (value, path) => {
  const found = checkObject(
    value,
    path,
    {
      usageType: iri,
      display: languageMap,
      description: languageMap,
      contentType: mediaType,
      length: wholeNumber,
      sha2,
      fileUrl: iri,
    },
    ['usageType', 'display', 'contentType', 'length', 'sha2'],
  );
  if (typeof found.length === 'number' && found.length < 0)
    invalid(`${path}.length`, 'must not be negative.');
};

/** Data 2.4.4: the checks of an object, by its type. */
const objects: Record<string, Check> = {
  Activity: activity,
  Agent: agent,
  Group: group,
  StatementRef: statementRef,
};

const isActivity = (value: Json | undefined) =>
  isObject(value) && (value.objectType === undefined || value.objectType === 'Activity');

/** Checking an attachment may require comparing the whole statement. */
const maxAttachments = 100;

const common = (edition: Edition) => ({
  actor,
  verb,
  result,
  context: context(edition),
  timestamp: instant,
  attachments: listOf(attachment, maxAttachments),
});

const required = ['actor', 'verb', 'object'];

/** Data 2.4.4.4: a substatement is not a statement in its own right, and it cannot contain another one. */
const subStatement =
  (edition: Edition): Check =>
  (value, path) => {
    const object: Check = (inner, at) => checkTyped(inner, at, objects);
    const properties = { objectType: oneOf('SubStatement'), object, ...common(edition) };
    checkRevision(checkObject(value, path, properties, required), path);
  };

function checkTyped(value: Json, path: string, known: Record<string, Check>): void {
  const { objectType = 'Activity' } = objectAt(value, path);
  const check =
    typeof objectType === 'string' && Object.hasOwn(known, objectType) ? known[objectType] : undefined;
  if (!check) invalid(`${path}.objectType`, `must be one of ${Object.keys(known).join(', ')}.`);
  check(value, path);
}

/** Data 2.4.6: revision and platform are allowed only if the object is an activity. */
function checkRevision({ object, context }: JsonObject, path: string): void {
  if (!isObject(context) || isActivity(object)) return;
  for (const name of ['revision', 'platform'])
    if (Object.hasOwn(context, name))
      invalid(
        `${path === '' ? '' : `${path}.`}context.${name}`,
        'is only allowed if the object is an activity.',
      );
}

/** Data 2.4.10; IEEE 9274.1.1, 4.2.4.2. */
const version =
  (edition: Edition): Check =>
  (value, path) => {
    const shape = edition === '2.0.0' ? /^(?:2\.0\.\d+|1\.0(?:\.\d+)?)$/ : /^1\.0(?:\.\d+)?$/;
    if (typeof value !== 'string' || !shape.test(value))
      invalid(path, edition === '2.0.0' ? 'must be 2.0.x or 1.0.x.' : 'must be 1.0.x.');
  };

const checks = { '1.0.3': checkOf('1.0.3'), '2.0.0': checkOf('2.0.0') };

function checkOf(edition: Edition): Check {
  const known = { ...objects, SubStatement: subStatement(edition) };
  const properties = {
    id: uuid,
    object: ((value, path) => checkTyped(value, path, known)) satisfies Check,
    stored: instant,
    authority,
    version: version(edition),
    ...common(edition),
  };
  return (value, path) => {
    const found = checkObject(value, path, properties, required);
    checkRevision(found, path);
    // Data 2.3.2: a voiding statement refers to the statement to void.
    const isVoiding = isObject(found.verb) && found.verb.id === voidedVerb;
    if (isVoiding && !(isObject(found.object) && found.object.objectType === 'StatementRef'))
      invalid(
        path === '' ? 'object' : `${path}.object`,
        'must be a StatementRef, because the verb is "voided".',
      );
  };
}

/** Checking, comparing and writing a statement blocks other requests: 5,000 values take 10 ms. */
const maxValues = 10_000;

/** Validates a statement (Data 2.2 and 2.4) and throws `InvalidXapi`. `path` is its position in a batch. */
export function readStatement(value: Json, edition: Edition, path = ''): Statement {
  if (hasMoreValues(value, maxValues))
    invalid(path === '' ? 'The statement' : path, `has more than ${maxValues} values.`);
  checks[edition](value, path);
  return value as unknown as Statement;
}

/** Data 2.3.2. */
export function isVoiding(statement: Statement): boolean {
  return statement.verb.id === voidedVerb;
}
