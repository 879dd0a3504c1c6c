import { type Json, objectOf, type Read, readStatement, type SentStatement } from './read-statement.ts';
import { type AuRecord, recordWithAnswer } from './satisfaction.ts';
import {
  type AuVerb,
  categories,
  extensions,
  type LaunchMode,
  launchModes,
  voidedVerb,
} from './vocabulary.ts';

/** The values that the launch set for a session. */
export type AuSession = {
  sessionId: string;
  registration: string;
  activityId: string;
  publisherId: string;
  account: { homePage: string; name: string };
  launchMode: LaunchMode;
  masteryScore: number | null;
};

/** The AU's actions in a session so far. */
export type SessionState = {
  /** Whether the AU has read the learner's preferences. */
  prepared: boolean;
  /** The verbs of the cmi5 defined statements that the AU has sent. */
  verbs: AuVerb[];
};

export const newSession: SessionState = { prepared: false, verbs: [] };

/** The rule that a statement breaks, with its section in the specification. */
export type Violation = { section: string; message: string };

export type Accepted = { state: SessionState; record: AuRecord; verb: AuVerb | null };

type RuleInput = { session: AuSession; state: SessionState; record: AuRecord };

/**
 * Decides whether the LMS accepts a statement, and returns the effects. This is a pure function: `input`
 * contains everything known before the statement.
 */
export function acceptStatement(input: RuleInput, sent: SentStatement): Accepted | Violation {
  const statement = readStatement(sent);
  const rules = statement.isDefined ? [...forAll, ...forDefined] : [...forAll, ...forAllowed];
  for (const [section, isBroken, message] of rules) {
    if (isBroken(statement, input)) return { section, message };
  }
  return { ...after(input, statement), verb: statement.isDefined ? statement.verb : null };
}

export function isViolation(decision: Accepted | Violation): decision is Violation {
  return 'section' in decision;
}

/** Section 9.3: the statements of one request are processed in the order of their timestamps. */
export function inOrderOfTime<S extends SentStatement>(statements: readonly S[]): S[] {
  const timeOf = ({ timestamp }: S) => (typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN);
  return statements.toSorted((a, b) => timeOf(a) - timeOf(b) || 0);
}

type Rule = readonly [
  section: string,
  isBroken: (statement: Read, input: RuleInput) => boolean,
  message: string,
];

const forAll: Rule[] = [
  ['9.1', ({ sent }) => typeof sent.id !== 'string', 'The statement needs an id.'],
  ['9.7', ({ sent }) => typeof sent.timestamp !== 'string', 'The statement needs a timestamp.'],
  [
    '9.7',
    ({ sent }) => !isUtc(sent.timestamp),
    'The timestamp must be in UTC, such as 2026-01-31T09:00:00Z.',
  ],
  ['6.3', ({ verbId }) => verbId === voidedVerb, 'An AU cannot void statements.'],
  ['9.2', ({ sent }, { session }) => !isActor(sent.actor, session), "The actor must be the launch's actor."],
  [
    '9.6.3.1',
    (statement, { session }) => statement.extensions[extensions.sessionId] !== session.sessionId,
    'The session ID in the context must be the one in LMS.LaunchData.',
  ],
  [
    '11',
    (_, { state }) => !state.prepared,
    'The AU must read the agent profile cmi5LearnerPreferences before its first statement.',
  ],
  ['9.3.8', (_, { state }) => state.verbs.includes('terminated'), 'The session has ended.'],
];

const forAllowed: Rule[] = [
  [
    '9.3.2',
    (_, { state }) => !state.verbs.includes('initialized'),
    'The first statement of a session must be "initialized".',
  ],
  [
    '9.6.1',
    ({ context }, { session }) =>
      context.registration !== undefined && !isSameId(context.registration, session.registration),
    "The registration must be the launch's registration.",
  ],
  [
    '9.6.2.2',
    (statement) => statement.categories.includes(categories.moveOn),
    'Only statements defined by cmi5 may have the category moveon.',
  ],
];

const scored: (AuVerb | null)[] = ['passed', 'failed'];
const timed: (AuVerb | null)[] = ['terminated', 'completed', 'passed', 'failed'];

const forDefined: Rule[] = [
  ['7.1.3', ({ verb }) => verb === null, 'The category cmi5 requires a verb that cmi5 defines for AUs.'],
  [
    '9.6.1',
    ({ context }, { session }) => !isSameId(context.registration, session.registration),
    "The registration must be the launch's registration.",
  ],
  [
    '9.4',
    ({ sent }, { session }) => objectOf(sent.object).id !== session.activityId,
    "The object must be the activityId of the AU's launch URL.",
  ],
  [
    '9.6.2',
    ({ groupings }, { session }) => !groupings.includes(session.publisherId),
    'The grouping activities must include those of the contextTemplate.',
  ],
  [
    '9.3.2',
    ({ verb }, { state }) => verb !== 'initialized' && !state.verbs.includes('initialized'),
    'The first statement of a session must be "initialized".',
  ],
  [
    '9.3',
    ({ verb }, { state }) => verb !== null && state.verbs.includes(verb),
    'A session may use this verb only once.',
  ],
  [
    '9.3',
    ({ verb }, { state }) =>
      scored.includes(verb) && (state.verbs.includes('passed') || state.verbs.includes('failed')),
    'A session may report "passed" or "failed" only once.',
  ],
  [
    '10.2.2',
    ({ verb }, { session }) =>
      session.launchMode !== 'Normal' && verb !== 'initialized' && verb !== 'terminated',
    `In launch modes other than ${launchModes[0]}, only "initialized" and "terminated" are allowed.`,
  ],
  [
    '9.3.3',
    ({ verb }, { record }) => verb === 'completed' && record.completed !== null,
    'The AU already reported "completed" in this registration.',
  ],
  [
    '9.3.4',
    ({ verb }, { record }) => verb === 'passed' && record.passed !== null,
    'The AU already reported "passed" in this registration.',
  ],
  [
    '9.3.5',
    ({ verb }, { record }) => verb === 'failed' && record.passed !== null,
    '"failed" cannot follow "passed" in a registration.',
  ],
  [
    '9.5.1',
    ({ verb, score }) => score !== null && !scored.includes(verb),
    'Only "passed" and "failed" may have a score.',
  ],
  [
    '9.5.1',
    ({ score }) => score?.raw !== undefined && (score.min === undefined || score.max === undefined),
    'A raw score needs min and max.',
  ],
  [
    '9.5.1',
    ({ score }) => typeof score?.scaled === 'number' && (score.scaled < 0 || score.scaled > 1),
    'A scaled score must be from 0 to 1.',
  ],
  [
    '9.5.2',
    ({ verb, result }) =>
      result.success !== (verb === 'passed' ? true : verb === 'failed' ? false : undefined),
    'result.success must be true for "passed", false for "failed", and absent otherwise.',
  ],
  [
    '9.5.3',
    ({ verb, result }) => result.completion !== (verb === 'completed' ? true : undefined),
    'result.completion must be true for "completed", and absent otherwise.',
  ],
  [
    '9.5.4.1',
    ({ verb, result }) => timed.includes(verb) && typeof result.duration !== 'string',
    'The statement needs a result.duration.',
  ],
  [
    '9.3.4',
    ({ verb, score }, { session: { masteryScore } }) =>
      verb === 'passed' && masteryScore !== null && scaledOf(score, masteryScore) < masteryScore,
    'The score of "passed" must be at least the mastery score.',
  ],
  [
    '9.3.5',
    ({ verb, score }, { session: { masteryScore } }) =>
      verb === 'failed' && masteryScore !== null && scaledOf(score, -1) >= masteryScore,
    'The score of "failed" must be below the mastery score.',
  ],
  [
    '9.6.3.2',
    (statement, { session: { masteryScore } }) => {
      const given = statement.extensions[extensions.masteryScore];
      const isNeeded = masteryScore !== null && statement.score !== null;
      return given === undefined ? isNeeded : given !== masteryScore;
    },
    'The mastery score in the context must be the one in LMS.LaunchData.',
  ],
  [
    '9.6.2.2',
    (statement) => {
      const { result } = statement;
      const isNeeded = result.success !== undefined || result.completion !== undefined;
      return statement.categories.includes(categories.moveOn) !== isNeeded;
    },
    'Statements with result.success or result.completion need the category moveon. Others must not have it.',
  ],
];

function after({ session, state, record }: RuleInput, statement: Read): Omit<Accepted, 'verb'> {
  const { sent, result, score, isDefined, verb } = statement;
  const at = String(sent.timestamp);
  const progress = objectOf(result.extensions)[extensions.progress];
  const reported: AuRecord = isPercentage(progress) ? { ...record, progress } : record;
  if (!isDefined || verb === null) {
    const isRecorded = session.launchMode === 'Normal';
    return { state, record: isRecorded ? recordWithAnswer(reported, sent) : reported };
  }
  const scaled = typeof score?.scaled === 'number' ? score.scaled : record.score;
  return {
    state: { ...state, verbs: [...state.verbs, verb] },
    record:
      verb === 'completed'
        ? { ...reported, completed: at }
        : scored.includes(verb)
          ? { ...reported, [verb]: at, score: scaled }
          : reported,
  };
}

function isActor(actor: unknown, { account }: AuSession): boolean {
  const { objectType = 'Agent', account: given } = objectOf(actor);
  const { homePage, name } = objectOf(given);
  return objectType === 'Agent' && homePage === account.homePage && name === account.name;
}

function isSameId(given: unknown, own: string): boolean {
  return typeof given === 'string' && given.toLowerCase() === own.toLowerCase();
}

const isUtc = (timestamp: unknown) =>
  typeof timestamp === 'string' && /(?:Z|[+-]00(?::?00)?)$/i.test(timestamp);

const scaledOf = (score: Json | null, otherwise: number): number =>
  typeof score?.scaled === 'number' ? score.scaled : otherwise;

const isPercentage = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100;
