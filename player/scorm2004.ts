import type { CourseTree } from '../standards/types.ts';
import { secondsIn, startClock, timespan2004 } from './clock.ts';
import { type Engine, engineSettings, flatSnapshot, loadData, publish, states } from './engine.ts';
import type { RunTime, RunTimeEvents } from './runtime.ts';
import { activityTree } from './sequencing.ts';
import { packState, unpackState } from './tree-state.ts';
import { applyStandardWeights, type WeightedSequencer } from './weights.ts';

/** The properties the player reads from an activity of the engine's tree. */
export type Activity = {
  id: string;
  children: Activity[];
  isActive: boolean;
  isAvailable: boolean;
  deliveryWasResumed?: boolean;
  completionStatus: string;
  successStatus: string;
  objectiveMeasureStatus: boolean;
  objectiveNormalizedMeasure: number;
  sequencingControls: { objectiveMeasureWeight: number };
  progressMeasureStatus: boolean;
  progressMeasure: number | null;
};

export type Validity = {
  continue: boolean;
  previous: boolean;
  choice: Record<string, 'true' | 'false'>;
  hideLmsUi: string[];
};

type Sequencer = WeightedSequencer & {
  processNavigationRequest(request: string, target?: string, exit?: string): boolean;
  previewNavigationRequest(request: string): { outcome: string; targetActivityId: string | null };
  getSequencingState(): { currentActivity: Activity | null; rootActivity: Activity | null };
};

export type Engine2004 = Engine & {
  adl: { nav: { request: string } };
  cmi: { getExitValueInternal(): string };
  Terminate(parameter?: string): string;
  storeData(isTermination: boolean): CommitResult;
  getSequencingService(): Sequencer;
  captureSharedDataSnapshot(): unknown;
  serializeSequencingState(): string;
  deserializeSequencingState(state: string): boolean;
};

type CommitResult = { result: string | boolean; errorCode?: number };

export type Navigation = { delivered: Activity | null; ended: boolean };

/** Uses one engine for the whole visit, because it holds the activity tree. */
export async function createScorm2004(tree: CourseTree, title: string, events: RunTimeEvents) {
  const { Scorm2004API } = await import('scorm-again/scorm2004/min');
  /** The result of the current navigation. */
  let navigation: Navigation | null = null;
  let validity: Validity = { continue: false, previous: false, choice: {}, hideLmsUi: [] };
  let clock = startClock();

  const commit = (isTermination: boolean) => {
    if (navigation || events.commit()) return { result: 'true', errorCode: 0 } as const;
    return { result: 'false', errorCode: isTermination ? 111 : 391 } as const;
  };
  const engine = new Scorm2004API(
    engineSettings(commit, {
      sequencing: {
        activityTree: activityTree(tree, title),
        // Keeps buttons and results up to date while a unit is still open.
        autoRollupOnCMIChange: true,
        logLevel: 'error',
        eventListeners: {
          onActivityDelivery: (delivered: Activity) => {
            if (navigation) navigation = { ...navigation, delivered };
          },
          onSequencingSessionEnd: () => {
            if (navigation) navigation = { ...navigation, ended: true };
          },
          onNavigationValidityUpdate: (update: Validity) => {
            validity = update;
          },
        },
      },
    }),
  );
  engine.on('SetValue', () => events.changed());
  engine.on('Initialize', () => events.begun());

  // The engine treats Terminate without a navigation request as Exit. Here, the session ends immediately for the
  // content, but for the sequencing only when the learner or the content's request moves on.
  engine.Terminate = (parameter = '') => {
    if (parameter !== '' || !engine.isInitialized()) return terminateUnready(engine, parameter);
    const { result } = engine.storeData(true);
    if (String(result) !== 'true') {
      engine.lastErrorCode = '111';
      return 'false';
    }
    engine.currentState = states.terminated;
    engine.lastErrorCode = '0';
    const { request } = engine.adl.nav;
    events.finished(engine.cmi.getExitValueInternal(), request === '_none_' ? null : request);
    return 'true';
  };
  applyStandardWeights(engine);
  publish('API_1484_11', engine);
  const fresh = engine.serializeSequencingState();

  const runTime: RunTime = {
    open(data) {
      engine.captureSharedDataSnapshot();
      engine.reset(undefined, { preserveListeners: true, resetTotalTime: true });
      loadData(engine, data);
      clock = startClock();
    },
    snapshot() {
      const data = flatSnapshot(engine);
      if (secondsIn(data['cmi.session_time']) === 0) data['cmi.session_time'] = timespan2004(clock.seconds());
      return data;
    },
    used: () => engine.currentState !== states.notInitialized,
  };

  return {
    ...runTime,
    validity: () => validity,
    state: () => engine.getSequencingService().getSequencingState(),
    serialize: () => packState(fresh, engine.serializeSequencingState()),
    restore(packed: string): boolean {
      const state = unpackState(fresh, packed);
      return state !== null && engine.deserializeSequencingState(state);
    },
    /** Tests a request in the engine, whose quick prediction ignores rules that disable the next activity. */
    may(request: 'continue' | 'previous'): boolean {
      const { outcome, targetActivityId } = engine.getSequencingService().previewNavigationRequest(request);
      return outcome === 'unknown' ? validity[request] : outcome === 'allowed' && targetActivityId !== null;
    },
    navigate(request: string, target?: string): Navigation {
      navigation = { delivered: null, ended: false };
      const exit = runTime.used() ? engine.cmi.getExitValueInternal() : '';
      // Evaluates the completion threshold and passing score, as at the end of every session.
      if (runTime.used()) engine.storeData(true);
      engine.getSequencingService().processNavigationRequest(request, target, exit);
      const outcome = navigation;
      navigation = null;
      return outcome;
    },
  };
}

/** Lets the engine return the error that the standard requires. */
function terminateUnready(engine: Engine2004, parameter: string): string {
  if (parameter !== '') engine.lastErrorCode = '201';
  else engine.lastErrorCode = engine.isTerminated() ? '113' : '112';
  return 'false';
}
