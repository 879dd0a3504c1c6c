import type { Commits, Snapshot } from './commits.ts';
import type { Session } from './contract.ts';
import { autosaveDelay, type Course, type CourseEvents, commitNow, saveDelay } from './course.ts';
import { isLoading } from './documents.ts';
import {
  beginLinear,
  firstUnit,
  type LinearEffect,
  neighbour,
  pageData,
  positionOf,
  reduceLinear,
  unitOf,
} from './linear-state.ts';
import { createMachine } from './machine.ts';
import { createRunTime } from './runtime.ts';
import type { Stage } from './stage.ts';
import { type Stopwatch, startStopwatch } from './stopwatch.ts';
import { createTimer } from './timer.ts';
import { addressOf, beginsAsSco, type PlayableUnit } from './units.ts';

/** The delay before the player leaves finished content, because the content may only be loading its next page. */
const advanceDelay = 400;

/** SCORM 1.2 and web courses. The units are in order, but the learner can choose any of them. */
export function createLinearCourse(
  session: Session,
  commits: Commits,
  stage: Stage,
  events: CourseEvents,
): Course {
  const initial = beginLinear(session);
  let stopwatch: Stopwatch = startStopwatch();
  let after: PlayableUnit | null = null;
  const autosave = createTimer(() => save(saveDelay));
  const advance = createTimer(() => {
    if (isLoading(stage.window())) advance.start(advanceDelay);
    else if (after) void open(after);
    else events.ended();
  });
  const note = createTimer(() => {
    save(saveDelay);
    commits.send();
  });

  const runTime = initial.isWeb
    ? null
    : createRunTime(
        'scorm12',
        {
          changed: () => autosave.start(autosaveDelay),
          commit() {
            autosave.cancel();
            return commitNow(commits, events, snapshot());
          },
          begun: () => machine.dispatch({ kind: 'begun' }),
          finished: (exit) => machine.dispatch({ kind: 'finished', exit, now: snapshot() }),
        },
        stage.window,
      );

  const machine = createMachine(initial, reduceLinear, {
    moved: events.moved,
    advance({ to }) {
      after = to;
      advance.start(advanceDelay);
    },
    stay: advance.cancel,
    show,
    missing: ({ unit }) => events.missing(unit, stage.loaded()),
    keep: ({ last }) => commits.save(last, 0),
    note: ({ delay }) => note.start(delay),
  });

  function snapshot(): Snapshot | null {
    const { current, data, shown } = machine.state;
    if (!current) return null;
    const { UnitID } = current;
    if (runTime?.used()) return { UnitID, Data: runTime.snapshot(), ...runTime.refused() };
    if (!shown || beginsAsSco(current, data.get(UnitID) ?? {})) return null;
    return { UnitID, Data: pageData(machine.state, UnitID, stopwatch.seconds()) };
  }

  function save(delay: number): void {
    const now = snapshot();
    if (now) commits.save(now, delay);
    events.moved();
  }

  function show({ unit, data }: LinearEffect & { kind: 'show' }): void {
    stopwatch = startStopwatch();
    runTime?.open({ data });
    events.shown?.(unit, data);
    events.moved();
    // Not awaited, because a slow page must not block the buttons.
    void stage
      .show(addressOf(session, unit), unit.Title)
      .then((loaded) => machine.dispatch({ kind: 'loaded', unit, isThere: loaded === 'shown' }));
  }

  async function close(): Promise<Snapshot | null> {
    advance.cancel();
    if (!machine.state.current) return null;
    machine.dispatch({ kind: 'closing' });
    await stage.clear();
    autosave.cancel();
    note.cancel();
    const last = snapshot();
    machine.dispatch({ kind: 'closed', last });
    return last;
  }

  async function open(unit: PlayableUnit | null | undefined): Promise<void> {
    if (!unit) return;
    await close();
    if (!machine.state.leaving) machine.dispatch({ kind: 'opened', unit });
  }

  const next = () => open(neighbour(machine.state, 1, snapshot()));
  const previous = () => open(neighbour(machine.state, -1, snapshot()));

  return {
    start: () => open(firstUnit(machine.state, session.LastUnitID)),
    position: () => positionOf(machine.state, snapshot()),
    next,
    previous,
    choose: (unitID) => open(unitOf(machine.state, unitID)),
    async leave() {
      machine.dispatch({ kind: 'leaving' });
      return close();
    },
    snapshot,
    ...(initial.isWeb && { complete: () => machine.dispatch({ kind: 'declared' }) }),
  };
}
