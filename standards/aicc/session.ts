import { nextSession } from '../../scorm/data-model/next.ts';
import { finalStatus12 } from '../../scorm/data-model/status.ts';
import type { RunTimeData, Unit } from '../types.ts';

/**
 * The data at the end of a session. If the content has reported a score and a final status, the mastery score
 * determines whether the learner has passed.
 */
export function atExit({ MasteryScore }: Pick<Unit, 'MasteryScore'>, data: RunTimeData): RunTimeData {
  const status = data['cmi.core.lesson_status'];
  if (!status || MasteryScore === null) return data;
  const given: RunTimeData = { 'cmi.student_data.mastery_score': String(MasteryScore) };
  const final = finalStatus12((element) => given[element] ?? data[element], status);
  return { ...data, 'cmi.core.lesson_status': final };
}

/**
 * The data for the next session. The previous session may have ended without `ExitAU`. If an unfinished unit
 * has a bookmark, its entry is `resume` even if the content did not request this.
 */
export function atLaunch(unit: Pick<Unit, 'MasteryScore'>, data: RunTimeData): RunTimeData {
  const next = nextSession('scorm12', atExit(unit, data));
  const status = next['cmi.core.lesson_status'] ?? '';
  const hasBookmark = Boolean(next['cmi.core.lesson_location'] || next['cmi.suspend_data']);
  const isFinished = ['passed', 'completed', 'failed'].includes(status);
  const resumes = next['cmi.core.entry'] === 'resume' || (hasBookmark && !isFinished);
  const isNew = status === '' && !hasBookmark;
  return { ...next, 'cmi.core.entry': isNew ? 'ab-initio' : resumes ? 'resume' : '' };
}
