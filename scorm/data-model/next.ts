import { formatInterval, formatTimespan, secondsIn } from './intervals.ts';
import type { Edition, RunTimeData } from './types.ts';

/** The data for the next session of the same attempt. The session time is added to the total time. */
export function nextSession(edition: Edition, data: RunTimeData): RunTimeData {
  if (edition === 'scorm12') {
    const { 'cmi.core.session_time': session, 'cmi.core.exit': exit, ...rest } = data;
    return {
      ...rest,
      'cmi.core.total_time': formatTimespan(secondsIn(data['cmi.core.total_time']) + secondsIn(session)),
      'cmi.core.entry': exit === 'suspend' ? 'resume' : '',
    };
  }
  const { 'cmi.session_time': session, 'cmi.exit': _, ...rest } = data;
  return {
    ...rest,
    'cmi.total_time': formatInterval(secondsIn(data['cmi.total_time']) + secondsIn(session)),
    'cmi.entry': 'resume',
  };
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
