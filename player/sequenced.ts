import { startClock } from './clock.ts';
import type { Commits, Snapshot } from './commits.ts';
import type { Commit, Session } from './contract.ts';
import { autosaveDelay, type Course, type CourseEvents, type Position, saveDelay } from './course.ts';
import { createMachine } from './machine.ts';
import { activityStatus, rollup } from './rollup.ts';
import { type Activity, createScorm2004, type Navigation } from './scorm2004.ts';
import { beginSequenced, reduceSequenced, type SequencedEffect } from './sequenced-state.ts';
import { parseRequest } from './session2004.ts';
import type { Stage } from './stage.ts';
import { createTimer } from './timer.ts';
import { addressOf, better, type PlayableUnit, pageNotes, statusOf } from './units.ts';

/** The server's limit. Beyond it the position may be lost, but never a result. */
const treeLimit = 524_288;

/** SCORM 2004: the engine decides what comes next, and `sequenced-state.ts` what this means for the page. */
export async function createSequencedCourse(
  session: Session,
  commits: Commits,
  stage: Stage,
  events: CourseEvents,
): Promise<Course> {
  let clock = startClock();
  const autosave = createTimer(() => save(saveDelay));

  const engine = await createScorm2004(session.Tree, session.CourseTitle, {
    changed: () => autosave.start(autosaveDelay),
    commit() {
      autosave.cancel();
      const now = snapshot();
      const kept = now === null || commits.commit(now);
      events.moved();
      return kept;
    },
    begun: () => events.moved(),
    finished: (exit, request) => machine.dispatch({ kind: 'finished', exit, request }),
  });

  const machine = createMachine(beginSequenced(session), reduceSequenced, {
    moved: events.moved,
    follow: ({ request }) =>
      void window.setTimeout(() => (request ? navigate(...parseRequest(request)) : unlock())),
    show,
    'save-now': () => save(0),
    missing: ({ unit }) => events.missing(unit),
    ended: events.ended,
  });

  function snapshot(): Snapshot | null {
    const { current, shown, data } = machine.state;
    if (!current) return null;
    const { UnitID } = current;
    if (current.Kind === 'sco') return engine.used() ? withTree(UnitID, engine.snapshot()) : null;
    if (!shown) return null;
    return withTree(UnitID, pageNotes(data.get(UnitID) ?? {}, 'completed', clock.seconds()));
  }

  function withTree(UnitID: string, unitData: Commit['Data']): Snapshot {
    const Tree = engine.serialize();
    return {
      UnitID,
      Data: unitData,
      ...(Tree.length <= treeLimit && { Tree }),
      Root: rollup(engine.state().rootActivity),
    };
  }

  function save(delay: number): void {
    const now = snapshot();
    if (now) commits.save(now, delay);
    events.moved();
  }

  function show({ unit, data }: SequencedEffect & { kind: 'show' }): void {
    clock = startClock();
    if (unit.Kind === 'sco') engine.open(data);
    events.moved();
    void stage
      .show(addressOf(session, unit), unit.Title)
      .then((isThere) => machine.dispatch({ kind: 'loaded', unit, isThere }));
  }

  /** Closes the page, lets the engine decide, and shows the unit that it delivers. */
  async function navigate(request: string, target?: string): Promise<void> {
    if (machine.state.moving || machine.state.over) return;
    machine.dispatch({ kind: 'moving' });
    await stage.clear();
    autosave.cancel();
    if (machine.state.leaving) return;
    const from = machine.state.current;
    const last = snapshot();
    machine.dispatch({ kind: 'closed', last });
    const outcome = engine.navigate(request, target);
    if (last) commits.save(withTree(last.UnitID, last.Data), 0);
    arrive(outcome, from, request);
  }

  function arrive({ delivered, ended }: Navigation, from: PlayableUnit | null, request: string): void {
    const { currentActivity } = engine.state();
    const active = currentActivity?.isActive ? currentActivity.id : null;
    machine.dispatch({ kind: 'decided', request, delivered, ended, active, from });
  }

  /**
   * The engine counts a finished session only when the learner moves on. If the contents list is the only way to
   * continue and depends on this unit, the session counts immediately.
   */
  function unlock(): void {
    const { choice } = engine.validity();
    const isLocked = machine.state.units.some(({ UnitID }) => choice[UnitID] === 'false');
    if (machine.state.moving || machine.state.over || may('continue') || !isLocked) return;
    const outcome = engine.navigate('exit');
    if (outcome.delivered || outcome.ended) arrive(outcome, machine.state.current, 'exit');
    else save(0);
  }

  function start(): void {
    if (session.TreeState && engine.restore(session.TreeState)) {
      // A page that disappeared left its unit open, which means a suspended course.
      if (engine.state().currentActivity) engine.navigate('suspendAll');
      const resumed = engine.navigate('resumeAll');
      if (resumed.delivered) {
        arrive(resumed, null, 'resumeAll');
        return;
      }
    }
    let outcome = engine.navigate('start');
    for (const unit of machine.state.units) {
      if (outcome.delivered) break;
      // Without flow, nothing starts automatically, so the first available unit is chosen, as a learner would.
      outcome = engine.navigate('choice', unit.UnitID);
    }
    arrive({ ...outcome, ended: false }, null, 'start');
  }

  async function leave(): Promise<Snapshot | null> {
    machine.dispatch({ kind: 'leaving' });
    await stage.clear();
    autosave.cancel();
    const last = snapshot() ?? machine.state.last;
    if (!machine.state.over) engine.navigate('suspendAll');
    machine.dispatch({ kind: 'left' });
    return last && withTree(last.UnitID, last.Data);
  }

  const may = (request: 'continue' | 'previous') => !machine.state.futile.has(request) && engine.may(request);

  function position(): Position {
    const { choice, hideLmsUi } = engine.validity();
    const hasSeveral = machine.state.units.length > 1;
    const tree = activitiesIn(engine.state().rootActivity);
    return {
      unit: machine.state.current,
      finished: machine.state.finished,
      previous: hasSeveral && !hideLmsUi.includes('previous') ? may('previous') : null,
      next: hasSeveral && !hideLmsUi.includes('continue') ? may('continue') : null,
      mayChoose: (unitID) => choice[unitID] === 'true' && tree.get(unitID)?.isAvailable !== false,
      statusOf: (unitID) => better(statusOf(session.Evidence[unitID]), activityStatus(tree.get(unitID))),
    };
  }

  return {
    start: async () => start(),
    position,
    next: () => navigate('continue'),
    previous: () => navigate('previous'),
    choose: (unitID) => navigate('choice', unitID),
    leave,
    snapshot,
  };
}

function activitiesIn(root: Activity | null): Map<string, Activity> {
  const walk = (activity: Activity): Activity[] => [activity, ...activity.children.flatMap(walk)];
  return new Map(root ? walk(root).map((activity) => [activity.id, activity]) : []);
}
