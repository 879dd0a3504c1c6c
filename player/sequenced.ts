import type { Commit, Session } from '../server/src/modules/player/schemas.ts';
import { createAutosave } from './autosave.ts';
import { startClock } from './clock.ts';
import type { Commits, Snapshot } from './commits.ts';
import type { Course, CourseEvents } from './course.ts';
import { activityStatus, rollup } from './rollup.ts';
import { type Activity, createScorm2004, type Navigation } from './scorm2004.ts';
import { newAttempt2004, nextSitting2004, parseRequest, resumedAttempt2004 } from './sitting2004.ts';
import type { Stage } from './stage.ts';
import { addressOf, better, type PlayableUnit, pageNotes, playableUnits, statusOf } from './units.ts';

/** The server takes no larger one; then the position is lost at worst, never a result. */
const treeLimit = 524_288;

/** SCORM 2004: the sequencing engine decides what comes next. */
export async function createSequencedCourse(
  session: Session,
  commits: Commits,
  stage: Stage,
  events: CourseEvents,
): Promise<Course> {
  const units = playableUnits(session.Tree);
  const data = new Map(Object.entries(session.Data));
  let known = session.TreeState !== null;
  let current: PlayableUnit | null = null;
  let said: Snapshot | null = null;
  let finished = false;
  let shown = false;
  /** Requests that led nowhere from here. */
  const futile = new Set<string>();
  let moving = false;
  let over = false;
  let leaving = false;
  let clock = startClock();
  const autosave = createAutosave(() => save(2_750));

  const engine = await createScorm2004(session.Tree, session.CourseTitle, {
    changed: () => autosave.touch(),
    commit() {
      autosave.cancel();
      const now = snapshot();
      const kept = now === null || commits.commit(now);
      events.moved();
      return kept;
    },
    begun: () => events.moved(),
    finished(exit, request) {
      if (moving) return;
      finished = true;
      events.moved();
      const wanted = request ?? (exit === 'logout' || exit === 'time-out' ? 'exitAll' : null);
      // After the content has its answer.
      window.setTimeout(() => void (wanted ? navigate(...parseRequest(wanted)) : unlock()));
    },
  });

  function snapshot(): Snapshot | null {
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

  /** Takes the page away, lets the engine decide and shows what it delivers. */
  async function navigate(request: string, target?: string): Promise<void> {
    if (moving || over) return;
    moving = true;
    await stage.clear();
    autosave.cancel();
    if (leaving) return;
    const closing = current;
    const before = snapshot();
    if (closing && before) {
      said = before;
      const isSCO = closing.Kind === 'sco';
      data.set(closing.UnitID, isSCO ? nextSitting2004(before.Data) : before.Data);
    }
    const outcome = engine.navigate(request, target);
    if (closing && before) commits.save(withTree(closing.UnitID, before.Data), 0);
    moving = false;
    await arrive(outcome, closing, request);
  }

  /**
   * The engine counts a finished sitting only when the learner moves on. Where the contents are the only way on and
   * wait for this very unit, it counts at once.
   */
  async function unlock(): Promise<void> {
    const { choice } = engine.validity();
    const isLocked = units.some(({ UnitID }) => choice[UnitID] === 'false');
    if (moving || over || may('continue') || !isLocked) return;
    const outcome = engine.navigate('exit');
    if (outcome.delivered || outcome.ended) return arrive(outcome, current, 'exit');
    save(0);
  }

  async function arrive(
    { delivered, ended }: Navigation,
    from: PlayableUnit | null,
    request: string,
  ): Promise<void> {
    current = null;
    if (delivered) futile.clear();
    const unit = units.find(({ UnitID }) => UnitID === delivered?.id);
    if (unit && delivered) return open(unit, delivered);
    if (ended) {
      over = true;
      events.ended();
      return;
    }
    // Refused before anything was left: the unit goes on where it was.
    const active = engine.state().currentActivity;
    if (from && active?.isActive && active.id === from.UnitID) return open(from, active, true);
    futile.add(request);
    finished = true;
    events.moved();
  }

  function open(unit: PlayableUnit, activity: Activity, again = false): void {
    const before = data.get(unit.UnitID) ?? {};
    const resumed = again || activity.deliveryWasResumed === true || !known;
    known = true;
    current = unit;
    finished = false;
    shown = false;
    clock = startClock();
    if (unit.Kind === 'sco') engine.open(resumed ? resumedAttempt2004(before) : newAttempt2004(before));
    events.moved();
    void stage.show(addressOf(session, unit), unit.Title).then((isThere) => {
      if (current !== unit) return;
      shown = isThere;
      if (!isThere) events.missing(unit);
      else if (unit.Kind !== 'sco') save(0);
    });
  }

  function save(delay: number): void {
    const now = snapshot();
    if (now) commits.save(now, delay);
    events.moved();
  }

  const may = (request: 'continue' | 'previous') => !futile.has(request) && engine.may(request);
  const activities = () => {
    const root = engine.state().rootActivity;
    const walk = (activity: Activity): Activity[] => [activity, ...activity.children.flatMap(walk)];
    return new Map(root ? walk(root).map((activity) => [activity.id, activity]) : []);
  };

  return {
    async start() {
      if (session.TreeState && engine.restore(session.TreeState)) {
        // A page that vanished has left its unit open: that is a suspended course.
        if (engine.state().currentActivity) engine.navigate('suspendAll');
        const resumed = engine.navigate('resumeAll');
        if (resumed.delivered) return arrive(resumed, null, 'resumeAll');
      }
      let outcome = engine.navigate('start');
      for (const unit of units) {
        if (outcome.delivered) break;
        // Without flow nothing starts by itself; the first unit that may be chosen is what a learner would click.
        outcome = engine.navigate('choice', unit.UnitID);
      }
      await arrive({ ...outcome, ended: false }, null, 'start');
    },
    position() {
      const { choice, hideLmsUi } = engine.validity();
      const several = units.length > 1;
      const tree = activities();
      return {
        unit: current,
        finished,
        previous: several && !hideLmsUi.includes('previous') ? may('previous') : null,
        next: several && !hideLmsUi.includes('continue') ? may('continue') : null,
        mayChoose: (unitID) => choice[unitID] === 'true' && tree.get(unitID)?.isAvailable !== false,
        statusOf: (unitID) => better(statusOf(session.Evidence[unitID]), activityStatus(tree.get(unitID))),
      };
    },
    next: () => navigate('continue'),
    previous: () => navigate('previous'),
    choose: (unitID) => navigate('choice', unitID),
    async leave() {
      moving = true;
      leaving = true;
      await stage.clear();
      autosave.cancel();
      const before = snapshot() ?? said;
      if (!over) engine.navigate('suspendAll');
      over = true;
      current = null;
      return before && withTree(before.UnitID, before.Data);
    },
    snapshot,
  };
}
