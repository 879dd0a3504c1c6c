import { isTimespan } from './intervals.ts';
import { modelOf } from './model.ts';
import type { Check, Element } from './types.ts';
import { characters, numberIn } from './values.ts';

/**
 * Some content writes a word in upper case or, as in AICC, only its first letter. These forms are accepted
 * with a note, and `canonical12` converts them to the word.
 */
const vocabulary =
  (...allowed: readonly string[]): Check =>
  (text) => {
    if (allowed.includes(text)) return 'valid';
    return matchingWord(allowed, text) === null
      ? 'wrong type'
      : { note: `not a word of the vocabulary: ${text}` };
  };

/** The allowed word that the text spells differently or abbreviates to its first letter. */
function matchingWord(allowed: readonly string[], text: string): string | null {
  if (text.length > 20) return null;
  const normalized = text.trim().toLowerCase();
  if (normalized === '') return null;
  return (
    allowed.find((word) => word === normalized || (normalized.length === 1 && word.startsWith(normalized))) ??
    null
  );
}

const statuses = ['passed', 'completed', 'failed', 'incomplete', 'browsed'] as const;
const exits = ['time-out', 'suspend', 'logout', ''] as const;

/** RTE 1.2 §3.4.2, CMIDecimal. An empty text clears a score. */
const decimal: Check = (text) => (numberIn(text) === null ? 'wrong type' : 'valid');
const percent: Check = (text) => {
  if (text === '') return 'valid';
  const value = numberIn(text);
  return value !== null && value >= 0 && value <= 100 ? 'valid' : 'wrong type';
};
const whole =
  (least: number, most: number): Check =>
  (text) =>
    /^-?\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= most ? 'valid' : 'wrong type';

const time: Check = (text) =>
  /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?$/.test(text) ? 'valid' : 'wrong type';
const timespan: Check = (text) => {
  if (!isTimespan(text)) return 'wrong type';
  return /^\d{2,4}:\d\d:\d\d(?:\.\d{1,2})?$/.test(text) ? 'valid' : { note: 'not written as HHHH:MM:SS.SS' };
};

/** CMIIdentifier. Some content stores whole questions here, so longer texts are accepted with a note. */
const identifier: Check = (text) => {
  if (text.trim() === '') return 'wrong type';
  return /^[\x21-\x7e]{1,255}$/.test(text)
    ? 'valid'
    : { note: 'not an identifier of 255 printable characters' };
};

const result: Check = (text) => {
  const judged = vocabulary('correct', 'wrong', 'unanticipated', 'neutral')(text);
  if (judged === 'valid' || numberIn(text) !== null) return 'valid';
  // SCORM 2004 uses `incorrect` where SCORM 1.2 uses `wrong`.
  return text === 'incorrect' ? { note: 'a word of SCORM 2004' } : judged;
};

const types = [
  'true-false',
  'choice',
  'fill-in',
  'matching',
  'performance',
  'sequencing',
  'likert',
  'numeric',
] as const;

/** RTE 1.2 §3.4.4. */
function elements(): Element[] {
  const element =
    (access: Element['access']) =>
    (name: string, check: Check, initial?: string): Element => ({
      name,
      access,
      check,
      ...(initial !== undefined && { initial }),
    });
  const [read, both, write] = [element('read'), element('both'), element('write')];
  const score = (prefix: string) => [
    both(`${prefix}.score.raw`, percent, ''),
    both(`${prefix}.score.min`, percent, ''),
    both(`${prefix}.score.max`, percent, ''),
  ];
  const objective = 'cmi.objectives.n';
  const interaction = 'cmi.interactions.n';
  return [
    read('cmi.core.student_id', characters(255), ''),
    read('cmi.core.student_name', characters(255), ''),
    both('cmi.core.lesson_location', characters(255), ''),
    read('cmi.core.credit', vocabulary('credit', 'no-credit'), 'credit'),
    both('cmi.core.lesson_status', vocabulary(...statuses), 'not attempted'),
    read('cmi.core.entry', vocabulary('ab-initio', 'resume', ''), 'ab-initio'),
    ...score('cmi.core'),
    read('cmi.core.total_time', timespan, '0000:00:00.00'),
    read('cmi.core.lesson_mode', vocabulary('browse', 'normal', 'review'), 'normal'),
    write('cmi.core.exit', vocabulary(...exits)),
    write('cmi.core.session_time', timespan),
    both('cmi.suspend_data', characters(4_096), ''),
    read('cmi.launch_data', characters(4_096), ''),
    both('cmi.comments', characters(4_096), ''),
    read('cmi.comments_from_lms', characters(4_096), ''),
    both(`${objective}.id`, identifier, ''),
    ...score(objective),
    both(`${objective}.status`, vocabulary(...statuses, 'not attempted'), 'not attempted'),
    read('cmi.student_data.mastery_score', percent, ''),
    read('cmi.student_data.max_time_allowed', timespan, ''),
    read(
      'cmi.student_data.time_limit_action',
      vocabulary('exit,message', 'exit,no message', 'continue,message', 'continue,no message'),
      '',
    ),
    both('cmi.student_preference.audio', whole(-1, 100), '0'),
    both('cmi.student_preference.language', characters(255), ''),
    both('cmi.student_preference.speed', whole(-100, 100), '0'),
    both('cmi.student_preference.text', whole(-1, 1), '0'),
    write(`${interaction}.id`, identifier),
    write(`${interaction}.objectives.n.id`, identifier),
    write(`${interaction}.time`, time),
    write(`${interaction}.type`, vocabulary(...types)),
    write(`${interaction}.correct_responses.n.pattern`, characters(255)),
    write(`${interaction}.weighting`, decimal),
    write(`${interaction}.student_response`, characters(255)),
    write(`${interaction}.result`, result),
    write(`${interaction}.latency`, timespan),
  ];
}

export const model12 = modelOf('3.4', elements(), [
  'cmi.objectives',
  'cmi.interactions',
  'cmi.interactions.n.objectives',
  'cmi.interactions.n.correct_responses',
]);

/**
 * Returns the standard spelling of a word that was accepted with a note. Other values are stored as written.
 */
export function canonical12(element: string, text: string): string {
  if (element === 'cmi.core.lesson_status') return matchingWord(statuses, text) ?? text;
  if (element === 'cmi.core.exit') return matchingWord(exits, text) ?? text;
  if (element === 'cmi.objectives.n.status')
    return matchingWord([...statuses, 'not attempted'], text) ?? text;
  if (element === 'cmi.interactions.n.type') return matchingWord(types, text) ?? text;
  return text;
}
