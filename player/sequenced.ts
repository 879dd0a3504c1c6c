import { type NavigationRequest, parseRequest } from '../scorm/sequencing/requests.ts';
import { courseResult } from '../scorm/sequencing/result.ts';
import { bucketsFor, predict, reported, statuses } from '../scorm/sequencing/session.ts';
import type { SequencingState } from '../scorm/sequencing/state.ts';
import { writeTreeState } from '../standards/tree-state.ts';
import type { RunTimeData } from '../standards/types.ts';
import type { Commits, Snapshot } from './commits.ts';
import type { Session } from './contract.ts';
import {
  autosaveDelay,
  type Course,
  type CourseEvents,
  commitNow,
  type ExitKind,
  firstCallDelay,
  saveDelay,
} from './course.ts';
import { createMachine } from './machine.ts';
import { endingsOf, type Predicted, positionIn } from './position.ts';
import { createRunTime } from './runtime.ts';
import {
  beginSequenced,
  type LeftUnit,
  leavesUnit,
  reduceSequenced,
  type SequencedEffect,
} from './sequenced-state.ts';
import type { Stage } from './stage.ts';
import { startStopwatch } from './stopwatch.ts';
import { createTimer } from './timer.ts';
import { addressOf, beginsAsSco, pageNotes, storedPart } from './units.ts';

/** A page without an API is completed once it is opened. */
const openedPage: RunTimeData = { 'cmi.completion_status': 'completed' };

/** A SCORM 2004 course. Sequencing chooses the next unit, and `sequenced-state.ts` decides what the page does. */
export function createSequencedCourse(
  session: Session,
  commits: Commits,
  stage: Stage,
  events: CourseEvents,
): Course {
  let stopwatch = startStopwatch();
  let seen: { key: readonly unknown[]; predicted: Predicted } | null = null;
  const autosave = createTimer(() => save(saveDelay));
  const note = createTimer(() => save(0));

  const runTime = createRunTime(
    session.Standard === 'scorm2004-2nd' || session.Standard === 'scorm2004-3rd'
      ? session.Standard
      : 'scorm2004-4th',
    {
      changed: () => autosave.start(autosaveDelay),
      commit() {
        autosave.cancel();
        return commitNow(commits, events, snapshot());
      },
      begun: () => machine.dispatch({ kind: 'begun' }),
      finished() {
        const left = leftUnit();
        if (left) machine.dispatch({ kind: 'finished', report: left.report });
      },
    },
    stage.window,
    mayNavigate,
  );

  const begun = beginSequenced(session, { seed: seedNow(), now: Date.now() });
  const machine = createMachine(begun, reduceSequenced, {
    moved: events.moved,
    follow: () => void window.setTimeout(() => void follow()),
    show,
    note: () => note.start(firstCallDelay),
    missing: ({ unit }) => events.missing(unit, stage.loaded()),
    ended: events.ended,
  });

  /** Null if there is nothing to save: no unit is open, or its content has not used the API. */
  function leftUnit(): LeftUnit | null {
    const { current, shown, data } = machine.state;
    if (!current) return null;
    const { UnitID: unitID } = current;
    if (runTime.used()) {
      const data = runTime.snapshot();
      const contentRequest = runTime.request();
      return { report: { unitID, data, buckets: runTime.shared(), contentRequest }, data };
    }
    if (!shown || beginsAsSco(current, data.get(unitID) ?? {})) return null;
    const notes = pageNotes(data.get(unitID) ?? {}, 'completed', stopwatch.seconds());
    return { report: { unitID, data: openedPage }, data: notes };
  }

  /** Content that never used the API has reported nothing, but the service must know that its unit was open. */
  function visited(): LeftUnit | null {
    const { current, data } = machine.state;
    if (!current) return null;
    const { UnitID: unitID } = current;
    return { report: { unitID, data: {} }, data: storedPart(current, data.get(unitID) ?? {}) };
  }

  /** The sequencing state, including the data that the open unit has reported so far. */
  function sequencingNow(left: LeftUnit | null): SequencingState {
    const { course, sequencing } = machine.state;
    return left ? reported(course, sequencing, left.report) : sequencing;
  }

  function snapshot(): Snapshot | null {
    const left = leftUnit();
    return left && snapshotOf(left, sequencingNow(left));
  }

  function snapshotOf({ report, data }: LeftUnit, sequencing: SequencingState): Snapshot {
    const { course } = machine.state;
    const Tree = writeTreeState(course, sequencing);
    const Root = courseResult(course, new Map(statuses(course, sequencing)));
    return { UnitID: report.unitID, Data: data, Tree, Root, ...runTime.refused() };
  }

  function save(delay: number): void {
    const now = snapshot();
    if (now) commits.save(now, delay);
    events.moved();
  }

  function show({ unit, data }: SequencedEffect & { kind: 'show' }): void {
    stopwatch = startStopwatch();
    const { course, sequencing } = machine.state;
    runTime.open({ data, buckets: bucketsFor(course, sequencing, unit.UnitID) });
    events.shown?.(unit, data);
    events.moved();
    void stage
      .show(addressOf(session, unit), unit.Title)
      .then((loaded) => machine.dispatch({ kind: 'loaded', unit, isThere: loaded === 'shown' }));
  }

  /** Closes the page, processes the request, and shows the unit that sequencing delivers. */
  async function navigate(asked: NavigationRequest | null): Promise<void> {
    if (machine.state.moving || machine.state.over) return;
    machine.dispatch({ kind: 'moving' });
    await stage.clear();
    autosave.cancel();
    note.cancel();
    if (machine.state.leaving) return;
    const left = leftUnit() ?? visited();
    machine.dispatch({ kind: 'closed', left, asked, now: Date.now() });
    if (left) saveLast(left);
  }

  function saveLast(left: LeftUnit): void {
    const last = snapshotOf(left, machine.state.sequencing);
    machine.dispatch({ kind: 'saved', last });
    if (!machine.state.over) commits.save(last, 0);
  }

  /**
   * The content has finished with a request. If the request is rejected, the page stays open, because the content has
   * nothing more to report.
   */
  async function follow(): Promise<void> {
    const left = leftUnit();
    if (left && leavesUnit(machine.state, left.report, Date.now())) await navigate(null);
    else events.moved();
  }

  async function leave(how: ExitKind): Promise<Snapshot | null> {
    machine.dispatch({ kind: 'leaving' });
    await stage.clear();
    autosave.cancel();
    note.cancel();
    const left = leftUnit() ?? visited();
    const ends = how === 'end' || (how === 'exit' && endingsOf(predicted().prediction.hidden).exitEnds);
    machine.dispatch({ kind: 'left', left, how: ends ? 'exitAll' : 'suspendAll', now: Date.now() });
    const { last, sequencing } = machine.state;
    if (left) return snapshotOf(left, sequencing);
    return (
      last && snapshotOf({ report: { unitID: last.UnitID, data: last.Data }, data: last.Data }, sequencing)
    );
  }

  /** Cached for several callers, until the learner moves or the content reports something else. */
  function predicted(): Predicted {
    const { course, sequencing, current, shown } = machine.state;
    const key = [sequencing, current, shown, runTime.state()];
    if (seen && key.every((part, index) => part === seen?.key[index])) return seen.predicted;
    const now = sequencingNow(leftUnit());
    const found = { prediction: predict(course, now, Date.now()), statuses: new Map(statuses(course, now)) };
    seen = { key, predicted: found };
    return found;
  }

  function mayNavigate(request: string, target: string | null): 'true' | 'false' {
    const { requests, contents } = predicted().prediction;
    const text = target === null ? request : `{target=${target}}${request}`;
    const asked = parseRequest(text);
    if (!asked) return 'false';
    if (asked.kind !== 'choice' && asked.kind !== 'jump')
      return requests[asked.kind].allowed ? 'true' : 'false';
    const entry = contents.find(({ id }) => id === asked.target);
    return (asked.kind === 'jump' ? entry?.jump : entry?.allowed) ? 'true' : 'false';
  }

  return {
    start: async () => machine.dispatch({ kind: 'started', now: Date.now() }),
    position: () => positionIn(machine.state, predicted(), session.Evidence),
    next: () => navigate({ kind: 'continue' }),
    previous: () => navigate({ kind: 'previous' }),
    choose: (target) => navigate({ kind: 'choice', target }),
    leave,
    snapshot,
    rootID: begun.course.root.id,
  };
}

/** The random seed for the selection and order of activities. */
const seedNow = () => crypto.getRandomValues(new Uint32Array(1))[0] ?? 1;
