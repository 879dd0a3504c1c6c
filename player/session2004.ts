import type { RunTimeData } from '../standards/types.ts';
import { secondsIn, timespan2004 } from './clock.ts';

/** The data for the unit's next start, if it is reopened on the same page. */
export function nextSession2004(data: RunTimeData): RunTimeData {
  const { 'cmi.session_time': sessionTime, 'cmi.exit': _, ...rest } = data;
  const total = secondsIn(data['cmi.total_time']) + secondsIn(sessionTime);
  return { ...rest, 'cmi.total_time': timespan2004(total), 'cmi.entry': 'resume' };
}

const givenElements =
  /^cmi\.(learner_id|learner_name|learner_preference\..*|credit|mode|launch_data|max_time_allowed|time_limit_action|scaled_passing_score|completion_threshold|comments_from_lms\..*)$/;

/** A new attempt gets only the system's data, and nothing that the content set in earlier attempts. */
export function newAttempt2004(data: RunTimeData): RunTimeData {
  const given = Object.entries(data).filter(([element]) => givenElements.test(element));
  return { ...Object.fromEntries(given), 'cmi.entry': 'ab-initio' };
}

/** If the learner suspends the course, all of its sessions are resumed later, whatever exit the content chose. */
export function resumedAttempt2004(before: RunTimeData): RunTimeData {
  const isFirst = before['cmi.entry'] === 'ab-initio';
  return isFirst ? before : { ...before, 'cmi.entry': 'resume' };
}

/** Splits `continue`, `{target=unit}choice`, … into two parts. */
export function parseRequest(text: string): [request: string, target?: string] {
  const [, target, request] = /^\{target=(.+)\}(choice|jump)$/.exec(text) ?? [];
  return request && target ? [request, target] : [text];
}
