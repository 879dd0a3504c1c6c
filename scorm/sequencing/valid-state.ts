import { type GlobalObjective, type SequencingState, stateVersion, type Track } from './state.ts';

type Check = (value: unknown) => boolean;
type Checks<Whole> = Record<keyof Whole, Check>;

const isBoolean: Check = (value) => typeof value === 'boolean';
const isText: Check = (value) => typeof value === 'string';
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isPairWith = (check: Check): Check => {
  const isPair: Check = (value) =>
    Array.isArray(value) && value.length === 2 && isText(value[0]) && check(value[1]);
  return isPair;
};

/** Rejects repeated names. Otherwise, processing a state with many repetitions could take very long. */
const isMapOf = (check: Check): Check => {
  const isList = isListOf(isPairWith(check));
  return (value) =>
    isList(value) && new Map(value as [string, unknown][]).size === (value as unknown[]).length;
};

function hasValues<Whole>(value: unknown, checks: Checks<Whole>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Record<string, unknown>;
  return Object.entries<Check>(checks).every(
    ([name, check]) => Object.hasOwn(members, name) && check(members[name]),
  );
}

const globalObjective: Checks<GlobalObjective> = {
  satisfied: orNull(isBoolean),
  measure: orNull(Number.isFinite),
  raw: orNull(Number.isFinite),
  min: orNull(Number.isFinite),
  max: orNull(Number.isFinite),
  completed: orNull(isBoolean),
  progress: orNull(Number.isFinite),
};

const objective: Checks<Track['objectives'][number]> = { id: orNull(isText), ...globalObjective };

const track: Checks<Track> = {
  active: isBoolean,
  suspended: isBoolean,
  attempts: Number.isFinite,
  order: orNull(isListOf(Number.isInteger)),
  objectives: isListOf((value) => hasValues(value, objective)),
  oldObjectives: isBoolean,
  oldProgress: isBoolean,
  setsCompletion: isBoolean,
  setsSuccess: isBoolean,
  attemptBegan: orNull(Number.isFinite),
  attemptExperienced: Number.isFinite,
  activityExperienced: Number.isFinite,
};

const sequencingState: Checks<SequencingState> = {
  version: (value) => value === stateVersion,
  now: Number.isFinite,
  seed: Number.isFinite,
  current: orNull(isText),
  suspended: orNull(isText),
  delivered: orNull(Number.isFinite),
  activities: isMapOf((value) => hasValues(value, track)),
  globals: isMapOf((value) => hasValues(value, globalObjective)),
  buckets: isMapOf(isText),
};

/**
 * Whether a value has the structure of a state. Use this to check states from untrusted sources such as browsers.
 */
export function isSequencingState(value: unknown): value is SequencingState {
  return hasValues(value, sequencingState);
}

/** Whether an objective has only known properties of the correct types. Properties may be missing. */
export function isPartOfObjective(value: unknown): value is Partial<GlobalObjective> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(
      ([name, member]) =>
        Object.hasOwn(globalObjective, name) && globalObjective[name as keyof GlobalObjective](member),
    )
  );
}
