import { secondsIn } from '../scorm/data-model/intervals.ts';
import type { RunTimeData } from '../standards/types.ts';
import { createTimer } from './timer.ts';

/** What the course requires when a unit's time is up. */
export type TimeLimit = { seconds: number; exits: boolean; showsMessage: boolean };

/** Once the time is up, the content first gets this long to end on its own. */
const graceMilliseconds = 2_000;

/**
 * The time left for a unit, and what happens then (RTE 1.2 §3.4.2.7.2, RTE 4th §4.2.24); null if nothing happens.
 * Reviewing and browsing are not limited.
 */
export function timeLimitOf(data: RunTimeData): TimeLimit | null {
  const allowed = data['cmi.student_data.max_time_allowed'] ?? data['cmi.max_time_allowed'] ?? '';
  const action = data['cmi.student_data.time_limit_action'] ?? data['cmi.time_limit_action'] ?? '';
  const mode = data['cmi.core.lesson_mode'] ?? data['cmi.mode'] ?? 'normal';
  const [exits, showsMessage] = [action.startsWith('exit'), action.endsWith(',message')];
  if (allowed === '' || mode !== 'normal' || !(exits || showsMessage)) return null;
  const taken = secondsIn(data['cmi.core.total_time'] ?? data['cmi.total_time']);
  return { seconds: Math.max(0, secondsIn(allowed) - taken), exits, showsMessage };
}

/** Measures the time of one unit after another. Time in a hidden tab counts, too. */
export function createTimeLimits<Unit>(act: (unit: Unit, limit: TimeLimit) => void) {
  let running: { unit: Unit; limit: TimeLimit } | null = null;
  const timer = createTimer(() => {
    if (running) act(running.unit, running.limit);
  });
  return {
    start(unit: Unit, data: RunTimeData): void {
      timer.cancel();
      const limit = timeLimitOf(data);
      running = limit && { unit, limit };
      // A longer delay would overflow and fire immediately.
      if (limit && limit.seconds < 2_000_000) timer.start(limit.seconds * 1_000 + graceMilliseconds);
    },
    stop: timer.cancel,
  };
}
