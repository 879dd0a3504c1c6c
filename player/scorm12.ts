import type { RunTimeData } from '../standards/types.ts';
import { secondsIn, startClock, timespan12 } from './clock.ts';
import { type Engine, engineSettings, flatSnapshot, loadData, publish, states } from './engine.ts';
import type { RunTime, RunTimeEvents } from './runtime.ts';

export type Engine12 = Engine & {
  LMSInitialize(parameter?: string): string;
};

/** Uses one engine per unit. The content finds `API` on this window through its parent frames. */
export async function createScorm12(events: RunTimeEvents): Promise<RunTime> {
  const { Scorm12API } = await import('scorm-again/scorm12/min');
  let engine: Engine12 | null = null;
  let clock = startClock();

  function snapshot(): RunTimeData {
    if (!engine) return {};
    const data = flatSnapshot(engine);
    if (secondsIn(data['cmi.core.session_time']) === 0)
      data['cmi.core.session_time'] = timespan12(clock.seconds());
    return data;
  }

  return {
    snapshot,
    used: () => engine !== null && engine.currentState !== states.notInitialized,
    open(data) {
      const fresh = new Scorm12API(
        engineSettings(() => ({
          ...(events.commit() ? { result: 'true', errorCode: 0 } : { result: 'false', errorCode: 101 }),
        })),
      );
      engine = fresh;
      clock = startClock();
      loadData(fresh, data);
      fresh.on('LMSSetValue', () => events.changed());
      fresh.on('LMSFinish', () => {
        if (fresh.isTerminated()) events.finished(snapshot()['cmi.core.exit'] ?? '', null);
      });
      fresh.on('SequenceNext', () => events.finished('', 'continue'));
      fresh.on('SequencePrevious', () => events.finished('', 'previous'));
      const initialize = fresh.LMSInitialize.bind(fresh);
      // A page that finishes while moving to the course's next page starts a new session there.
      fresh.LMSInitialize = (parameter) => {
        if (fresh.isTerminated()) fresh.currentState = states.notInitialized;
        const answer = initialize(parameter);
        if (answer === 'true') events.begun();
        return answer;
      };
      publish('API', fresh);
    },
  };
}

/** The data for the unit's next start, if it is reopened on the same page. */
export function nextSession12(data: RunTimeData): RunTimeData {
  const { 'cmi.core.session_time': sessionTime, 'cmi.core.exit': exit, ...rest } = data;
  const total = secondsIn(data['cmi.core.total_time']) + secondsIn(sessionTime);
  return {
    ...rest,
    'cmi.core.total_time': timespan12(total),
    'cmi.core.entry': exit === 'suspend' ? 'resume' : '',
  };
}
