import { formatInterval, formatTimespan, secondsIn } from './intervals.ts';
import type { Edition, RunTimeData } from './types.ts';

/** The data for the next session of the same attempt. The session time is added to the total time. */
export function nextSession(edition: Edition, data: RunTimeData): RunTimeData {
  if (edition === 'scorm12') {
    const { 'cmi.core.session_time': session, 'cmi.core.exit': exit, ...rest } = data;
    return {
      ...rest,
      'cmi.core.total_time': formatTimespan(secondsIn(data['cmi.core.total_time']) + secondsIn(session)),
      'cmi.core.entry': entryAfter(data, exit),
    };
  }
  const { 'cmi.session_time': session, 'cmi.exit': _, ...rest } = data;
  return {
    ...rest,
    'cmi.total_time': formatInterval(secondsIn(data['cmi.total_time']) + secondsIn(session)),
    'cmi.entry': 'resume',
  };
}

/**
 * The entry is `resume` even if a crash or a closed window ended the session before the content could set
 * `suspend`. Otherwise, content that checks the entry would ignore its own bookmark.
 */
export function entryAfter(data: RunTimeData, exit: string | undefined): string {
  const left = exit?.trim().toLowerCase() ?? '';
  return left === 'suspend' || (left === '' && hasBookmark(data) && !isFinished(data)) ? 'resume' : '';
}

function hasBookmark(data: RunTimeData): boolean {
  return Boolean(data['cmi.suspend_data'] || data['cmi.core.lesson_location'] || data['cmi.location']);
}

function isFinished(data: RunTimeData): boolean {
  const status = data['cmi.core.lesson_status'] ?? data['cmi.completion_status'] ?? '';
  return ['passed', 'completed', 'failed'].includes(status);
}

const given2004 =
  /^cmi\.(?:learner_id|learner_name|learner_preference\..*|credit|mode|launch_data|max_time_allowed|time_limit_action|scaled_passing_score|completion_threshold|comments_from_lms\..*)$/;
const given12 =
  /^cmi\.(?:core\.(?:student_id|student_name|credit|lesson_mode)|student_preference\..*|launch_data|student_data\..*|comments_from_lms)$/;

/**
 * The data for a new attempt: only system data. Values that the content set in earlier attempts are removed.
 */
export function newAttempt(edition: Edition, data: RunTimeData): RunTimeData {
  const is12 = edition === 'scorm12';
  const given = Object.entries(data).filter(([element]) => (is12 ? given12 : given2004).test(element));
  return { ...Object.fromEntries(given), [is12 ? 'cmi.core.entry' : 'cmi.entry']: 'ab-initio' };
}
