import type { AuRecord } from './cmi5/satisfaction.ts';

type Json = Record<string, unknown>;
type Account = { homePage: string; name: string };

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

export function isSameAccount(agent: unknown, account: Account): boolean {
  const { homePage, name } = objectOf(objectOf(agent).account);
  return homePage === account.homePage && name === account.name;
}

/** Whether the actor is the learner of the launch. */
export function isActorOf({ actor }: { actor?: unknown }, account: Account): boolean {
  return objectOf(actor).objectType !== 'Group' && isSameAccount(actor, account);
}

/**
 * The last part of the verb's ID, because tools use verbs from several vocabularies. Only the end of the ID is
 * searched.
 */
function verbOf(statement: Json): string {
  const { id } = objectOf(statement.verb);
  return typeof id === 'string' ? (/([a-z]+)\/?$/i.exec(id.slice(-40))?.[1]?.toLowerCase() ?? '') : '';
}

/**
 * The record after a statement by an xAPI package. Only statements about the launched activity count, with
 * the verbs `completed`, `passed`, `mastered` and `failed`, or `success`, `completion` and `score` in the
 * result. A learner who has passed has also completed the activity.
 */
export function recordAfter(record: AuRecord, statement: Json, activityId: string): AuRecord {
  const object = objectOf(statement.object);
  if (object.id !== activityId || (object.objectType ?? 'Activity') !== 'Activity') return record;
  const verb = verbOf(statement);
  const result = objectOf(statement.result);
  const at = String(statement.timestamp ?? '') || 'unknown';
  const isPassed = verb === 'passed' || verb === 'mastered' || result.success === true;
  const isFailed = !isPassed && (verb === 'failed' || result.success === false);
  const isCompleted = verb === 'completed' || result.completion === true;
  const score = scaledScore(objectOf(result.score)) ?? record.score;
  const next: AuRecord = {
    ...record,
    ...(isCompleted && { completed: record.completed ?? at }),
    ...(isPassed && { passed: record.passed ?? at }),
    ...(isFailed && { failed: record.failed ?? at }),
    score,
  };
  const isSame = (Object.keys(next) as (keyof AuRecord)[]).every((name) => next[name] === record[name]);
  return isSame ? record : next;
}

/** 0–1: the scaled score. Without it, the raw score between min and max (0 and 100 if they are missing). */
function scaledScore({ scaled, raw, min, max }: Json): number | null {
  if (typeof scaled === 'number') return scaled;
  if (typeof raw !== 'number') return null;
  const low = typeof min === 'number' ? min : 0;
  const high = typeof max === 'number' ? max : 100;
  return high > low ? (raw - low) / (high - low) : null;
}
