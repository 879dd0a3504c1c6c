import { confirmationID } from '../../../../standards/media.ts';
import type { RunTimeData, Standard, Unit } from '../../../../standards/types.ts';
import type { Play } from './schemas.ts';

/** The data that a unit reports through its API for the result that the robot has to report. */
export function robotData(standard: Standard, unit: Unit, { Status, Score }: Play): RunTimeData {
  const isDone = Status === 'passed' || Status === 'completed';
  if (standard === 'web' || unit.Kind !== 'sco')
    return { 'lectern.completion': isDone ? 'completed' : 'incomplete' };
  if (standard === 'scorm12')
    return {
      'cmi.core.lesson_status': Status,
      ...(Score !== undefined && { 'cmi.core.score.raw': String(Score), ...bounds('cmi.core.score') }),
    };
  const confirmation =
    unit.Media && 'Confirm' in unit.Media.CompleteWhen && isDone
      ? { 'cmi.interactions.0.id': confirmationID, 'cmi.interactions.0.learner_response': 'Robot' }
      : {};
  return {
    ...confirmation,
    'cmi.completion_status': Status === 'incomplete' ? 'incomplete' : 'completed',
    ...(Status === 'passed' || Status === 'failed' ? { 'cmi.success_status': Status } : {}),
    ...(isDone && { 'cmi.progress_measure': '1' }),
    ...(Score !== undefined && {
      'cmi.score.raw': String(Score),
      'cmi.score.scaled': String(Score / 100),
      ...bounds('cmi.score'),
    }),
  };
}

const bounds = (name: string) => ({ [`${name}.min`]: '0', [`${name}.max`]: '100' });

/** The message that AICC content sends with `PutParam`. */
export function hacpMessage({ Status, Score }: Play): string {
  const score = Score === undefined ? [] : [`Score=${Score},100,0`];
  return ['[Core]', `Lesson_Status=${Status}`, ...score, 'Time=00:00:01', ''].join('\r\n');
}
