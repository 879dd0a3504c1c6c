import { parseSeconds } from '../durations.ts';
import type { RunTimeData } from '../types.ts';

type Json = Record<string, unknown>;

/** Data 2.4.4.1. The names and the formats of responses are those of SCORM 2004. */
const interactionTypes = [
  ...['true-false', 'choice', 'fill-in', 'long-fill-in', 'matching', 'performance', 'sequencing', 'likert'],
  ...['numeric', 'other'],
];

/** Limits of a unit's answers. Statements beyond them are stored, but do not appear in reports. */
const max = { questions: 1_000, patterns: 100, characters: 4_000, bytes: 256 * 1024 };

const prefix = 'cmi.interactions.';

export const answersIn = (data: RunTimeData): RunTimeData =>
  Object.fromEntries(Object.entries(data).filter(([name]) => name.startsWith(prefix)));

/**
 * The answers of a unit after a statement, in the elements of SCORM 2004. A question keeps its last answer. Statements
 * other than answers, and answers older than the recorded one, change nothing.
 */
export function withAnswer(answers: RunTimeData, statement: Json): RunTimeData {
  const answer = answerIn(statement);
  if (answer === null) return answers;
  const ids = Object.entries(answers).filter(
    ([name]) => name.endsWith('.id') && name.split('.').length === 4,
  );
  const known = ids.find(([, id]) => id === answer.id)?.[0].split('.')[2];
  const own = `${prefix}${known ?? ids.length}.`;
  const before = Object.fromEntries(Object.entries(answers).filter(([name]) => name.startsWith(own)));
  const earlier = (name: string) => before[`${own}${name}`];
  const isLate = Date.parse(answer.timestamp ?? '') < Date.parse(earlier('timestamp') ?? '');
  if (isLate || (known === undefined && ids.length >= max.questions)) return answers;
  // Clients may define a question only in its first statement.
  const entry = {
    ...answer,
    type: answer.type ?? earlier('type'),
    description: answer.description ?? earlier('description'),
    ...(Object.keys(answer).some(isPattern) ? {} : patternsIn(before, own)),
  };
  const others = Object.entries(answers).filter(([name]) => !name.startsWith(own));
  const added = Object.entries(entry).flatMap(([name, value]) =>
    value === undefined ? [] : [[`${own}${name}`, storable(value)] as const],
  );
  const next = Object.fromEntries([...others, ...added]);
  return JSON.stringify(next).length > max.bytes ? answers : next;
}

type Answer = { id: string } & { [element: string]: string | undefined };

const isPattern = (name: string) => name.startsWith('correct_responses.');
const patternsIn = (entry: RunTimeData, own: string) =>
  Object.fromEntries(
    Object.entries(entry).flatMap(([name, value]) =>
      isPattern(name.slice(own.length)) ? [[name.slice(own.length), value]] : [],
    ),
  );

/**
 * Tools use "answered" or "responded" from several vocabularies. Others only define the activity as an interaction and
 * give the response.
 */
function answerIn(statement: Json): Answer | null {
  const [object, result] = [objectOf(statement.object), objectOf(statement.result)];
  const definition = objectOf(object.definition);
  const { interactionType: type, correctResponsesPattern: patterns } = definition;
  const verb = textOf(objectOf(statement.verb).id) ?? '';
  const isKnown = typeof type === 'string' && interactionTypes.includes(type);
  const isAnswer = /\b(?:answered|responded)\/?$/i.test(verb.slice(-40));
  const id = textOf(object.id);
  const isActivity = id !== undefined && (object.objectType ?? 'Activity') === 'Activity';
  if (!isActivity || !(isAnswer || (isKnown && typeof result.response === 'string'))) return null;
  const correct = Array.isArray(patterns) ? patterns.slice(0, max.patterns) : [];
  return {
    ...{ id, type: isKnown ? type : undefined, timestamp: textOf(statement.timestamp) },
    description: anyOf(definition.description) ?? anyOf(definition.name),
    learner_response: textOf(result.response),
    result: result.success === true ? 'correct' : result.success === false ? 'incorrect' : undefined,
    latency: parseSeconds(textOf(result.duration)) > 0 ? textOf(result.duration) : undefined,
    ...Object.fromEntries(
      correct.map((pattern, n) => [`correct_responses.${n}.pattern`, textOf(pattern)] as const),
    ),
    ...Object.fromEntries(
      objectivesIn(statement)
        .slice(0, max.patterns)
        .map((objective, n) => [`objectives.${n}.id`, objective] as const),
    ),
  };
}

/** @xapi/cmi5 and others name the objective of a question among the context activities. */
function objectivesIn(statement: Json): string[] {
  const activities = Object.values(objectOf(objectOf(statement.context).contextActivities)).flat();
  return activities.map(objectOf).flatMap(({ id, definition }) => {
    const isObjective = /\/activities\/objective$/.test(textOf(objectOf(definition).type) ?? '');
    return isObjective && typeof id === 'string' ? [id] : [];
  });
}

/** The first text of a language map. */
const anyOf = (map: unknown) => Object.values(objectOf(map)).map(textOf)[0];

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The database cannot store U+0000 and unpaired surrogates. The statement itself is stored in full. */
const storable = (text: string) => text.slice(0, max.characters).toWellFormed().replaceAll('\0', '\u{FFFD}');

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
