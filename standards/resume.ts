import { entryAfter } from '../scorm/data-model/next.ts';
import { hasReported } from './assets.ts';
import { formatDuration, formatTimespan, parseSeconds } from './durations.ts';
import { completionThreshold, passingScore } from './thresholds.ts';
import type { RunTimeData, Standard, Unit } from './types.ts';

export type Learner = { ID: string; Name: string };

/** Prepares a unit's stored data for a new session. Only the last session's time and exit are removed. */
export function resume(standard: Standard, unit: Unit, data: RunTimeData, learner: Learner): RunTimeData {
  if (standard === 'web' || unit.Kind === 'au') return { ...data };
  return standard === 'scorm12' ? resume12(unit, data, learner) : resume2004(unit, data, learner);
}

function resume12(unit: Unit, data: RunTimeData, learner: Learner): RunTimeData {
  const {
    'cmi.core.session_time': session,
    'cmi.core.exit': exit,
    // It may have been removed since.
    'cmi.student_data.max_time_allowed': _,
    ...kept
  } = data;
  return {
    ...kept,
    'cmi.core.student_id': learner.ID,
    'cmi.core.student_name': learner.Name,
    'cmi.core.credit': data['cmi.core.credit'] || 'credit',
    'cmi.core.lesson_mode': data['cmi.core.lesson_mode'] || 'normal',
    'cmi.core.lesson_status': data['cmi.core.lesson_status'] || 'not attempted',
    'cmi.core.entry': entryOf(data, exit),
    'cmi.core.total_time': formatTimespan(parseSeconds(data['cmi.core.total_time']) + parseSeconds(session)),
    ...given('cmi.launch_data', unit.DataFromLMS),
    ...given('cmi.student_data.mastery_score', unit.MasteryScore),
    ...given('cmi.student_data.max_time_allowed', unit.MaxTimeAllowed),
    ...given('cmi.student_data.time_limit_action', unit.TimeLimitAction),
  };
}

function resume2004(unit: Unit, data: RunTimeData, learner: Learner): RunTimeData {
  const { 'cmi.session_time': session, 'cmi.exit': exit, 'cmi.max_time_allowed': _, ...kept } = data;
  return {
    ...kept,
    'cmi.learner_id': learner.ID,
    'cmi.learner_name': learner.Name,
    'cmi.credit': data['cmi.credit'] || 'credit',
    'cmi.mode': data['cmi.mode'] || 'normal',
    'cmi.entry': entryOf(data, exit),
    'cmi.total_time': formatDuration(parseSeconds(data['cmi.total_time']) + parseSeconds(session)),
    ...given('cmi.launch_data', unit.DataFromLMS),
    ...given('cmi.completion_threshold', completionThreshold(unit)),
    ...given('cmi.scaled_passing_score', passingScore(unit)),
    ...given('cmi.max_time_allowed', unit.Sequencing?.Limits.AttemptAbsoluteDurationLimit),
    ...given('cmi.time_limit_action', unit.TimeLimitAction),
  };
}

/**
 * The data of a unit that is opened for review. It is the data at the end of the attempt, without a time
 * limit, and with mode and credit set for a review (SCORM 1.2 RTE §3.4.4, SCORM 2004 RTE §4.2.5 and §4.2.14).
 */
export function forReview(standard: Standard, unit: Unit, data: RunTimeData): RunTimeData {
  if (standard === 'web' || unit.Kind === 'au') return data;
  const is12 = standard === 'scorm12';
  const limit = is12 ? 'cmi.student_data.max_time_allowed' : 'cmi.max_time_allowed';
  const { [limit]: _, ...unlimited } = data;
  return {
    ...unlimited,
    ...(is12
      ? { 'cmi.core.credit': 'no-credit', 'cmi.core.lesson_mode': 'review' }
      : { 'cmi.credit': 'no-credit', 'cmi.mode': 'review' }),
  };
}

/** In `entry`, the page also sees whether an asset has become a SCO. */
const entryOf = (data: RunTimeData, exit: string | undefined) =>
  hasReported(data) ? entryAfter(data, exit) : 'ab-initio';

function given(key: string, value: string | number | null | undefined): RunTimeData {
  return value === null || value === undefined ? {} : { [key]: String(value) };
}
