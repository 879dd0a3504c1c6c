import { formatTimespan, parseSeconds } from '../durations.ts';
import type { RunTimeData } from '../types.ts';
import { type Groups, readGroups } from './groups.ts';
import { countOf, mergeObjectives, type ReportedObjective } from './lists.ts';
import { exitOf, statusOf, withScore } from './words.ts';

const preferences = ['audio', 'language', 'speed', 'text'];

/** The data after `PutParam`. Elements that the message does not mention keep their values. */
export function afterPutParam(data: RunTimeData, message: string): RunTimeData {
  const groups = readGroups(message);
  const core = groups.get('core')?.values ?? new Map<string, string>();
  const [location, status] = [core.get('lesson_location'), core.get('lesson_status')];
  const time = core.get('time');
  const word = statusOf(status);
  return mergeObjectives(
    {
      ...withScore(data, 'cmi.core', core.get('score')),
      ...(location !== undefined && { 'cmi.core.lesson_location': location }),
      ...(word !== null && { 'cmi.core.lesson_status': word }),
      ...(status?.includes(',') && { 'cmi.core.exit': exitOf(status) }),
      ...(time && { 'cmi.core.session_time': formatTimespan(parseSeconds(time.slice(0, 100))) }),
      ...textIn(groups, 'core_lesson', 'cmi.suspend_data'),
      ...textIn(groups, 'comments', 'cmi.comments'),
      ...preferencesIn(groups),
    },
    objectivesIn(groups),
  );
}

function textIn(groups: Groups, group: string, element: string): RunTimeData {
  const found = groups.get(group);
  return found ? { [element]: found.text } : {};
}

function preferencesIn(groups: Groups): RunTimeData {
  const values = groups.get('student_preferences')?.values;
  return Object.fromEntries(
    preferences.flatMap((name) => {
      const value = values?.get(name);
      return value ? [[`cmi.student_preference.${name}`, value.slice(0, 255)]] : [];
    }),
  );
}

/** Reads `J_ID.n`, `J_Score.n` and `J_Status.n` for every number n. */
function objectivesIn(groups: Groups): ReportedObjective[] {
  const values = groups.get('objectives_status')?.values ?? new Map<string, string>();
  return [...values].flatMap(([name, id]) => {
    const [, number] = /^j_id\.(\d{1,6})$/.exec(name) ?? [];
    if (number === undefined || id === '') return [];
    return [{ id, score: values.get(`j_score.${number}`), status: values.get(`j_status.${number}`) }];
  });
}

/** Appends text to an element such as the comments. A repeated request adds nothing. */
export function withMore(data: RunTimeData, element: string, text: string): RunTimeData {
  const before = data[element] ?? '';
  if (before.endsWith(text)) return data;
  return { ...data, [element]: before === '' ? text : `${before}\r\n${text}` };
}

/** The values that `GetParam` returns in addition to the content's own data. */
export type Learning = {
  learner: { ID: string; Name: string };
  courseId: string;
  /** Results count only in the mode `Normal`. */
  mode: 'Normal' | 'Browse' | 'Review';
  unit: {
    MasteryScore: number | null;
    MaxTimeAllowed: string | null;
    TimeLimitAction: string | null;
    DataFromLMS: string | null;
  };
};

/**
 * The message that `GetParam` returns. Scores have a maximum and minimum only in version 3 and later. Names
 * are case-insensitive, but some content expects lower case.
 */
export function paramMessage(data: RunTimeData, version: string, learning: Learning): string {
  const { learner, courseId, mode, unit } = learning;
  const of = (element: string) => oneLine(data[element] ?? '');
  const score = (prefix: string) => scoreText(of, prefix, version);
  const status = titleCase(of('cmi.core.lesson_status') || 'not attempted');
  const entry = { 'ab-initio': ',Ab-initio', resume: ',Resume' }[of('cmi.core.entry')] ?? '';
  const objectives = Array.from({ length: countOf(data, 'objectives') }, (_, at) => [
    `j_id.${at + 1}=${of(`cmi.objectives.${at}.id`)}`,
    `j_score.${at + 1}=${score(`cmi.objectives.${at}`)}`,
    `j_status.${at + 1}=${titleCase(of(`cmi.objectives.${at}.status`))}`,
  ]).flat();
  return [
    '[Core]',
    `student_id=${oneLine(learner.ID)}`,
    `student_name=${oneLine(learner.Name)}`,
    `lesson_location=${of('cmi.core.lesson_location')}`,
    `credit=${mode === 'Normal' ? 'Credit' : 'No-credit'}`,
    `lesson_status=${status}${entry}`,
    `lesson_mode=${mode}`,
    `score=${score('cmi.core')}`,
    `time=${clock(data['cmi.core.total_time'])}`,
    '[Core_Lesson]',
    ...textLines(data['cmi.suspend_data']),
    '[Core_Vendor]',
    ...textLines(unit.DataFromLMS ?? ''),
    '[Evaluation]',
    `course_id={${oneLine(courseId)}}`,
    '[Student_Data]',
    `mastery_score=${unit.MasteryScore ?? ''}`,
    `max_time_allowed=${oneLine(unit.MaxTimeAllowed ?? '')}`,
    `time_limit_action=${oneLine(unit.TimeLimitAction ?? '')}`,
    ...(objectives.length > 0 ? ['[Objectives_Status]', ...objectives] : []),
    '[Student_Preferences]',
    ...preferences.map((name) => `${name}=${of(`cmi.student_preference.${name}`)}`),
    '',
  ].join('\r\n');
}

function scoreText(of: (element: string) => string, prefix: string, version: string): string {
  const [raw, max, min] = ['raw', 'max', 'min'].map((part) => of(`${prefix}.score.${part}`));
  return !max || Number.parseInt(version, 10) < 3 ? (raw ?? '') : `${raw},${max},${min}`;
}

/** Older content cannot read fractions of a second or four-digit hours. */
function clock(total: string | undefined): string {
  return formatTimespan(Math.floor(parseSeconds(total)))
    .slice(0, -3)
    .replace(/^00/, '');
}

const textLines = (text: string | undefined) => (text ? [text] : []);
const oneLine = (text: string) => text.replace(/[\r\n]+/g, ' ');
const titleCase = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
