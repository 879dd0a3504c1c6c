import type { Session } from '../server/src/modules/player/schemas.ts';
import type { RunTimeData } from '../server/src/modules/standards/types.ts';
import { createAutosave } from './autosave.ts';
import { type Clock, startClock } from './clock.ts';
import type { Commits, Snapshot } from './commits.ts';
import type { Course, CourseEvents } from './course.ts';
import { isOpen } from './prerequisites.ts';
import { createScorm12, nextSitting12 } from './scorm12.ts';
import type { Stage } from './stage.ts';
import {
  addressOf,
  better,
  type PlayableUnit,
  pageNotes,
  playableUnits,
  statusOf,
  statusOfData,
} from './units.ts';

/** A page that finishes may begin again at once, when the course moves on inside its own frame. */
const advanceDelay = 400;

/** SCORM 1.2 and web courses: the units in a row, and free choice among them. */
export async function createLinearCourse(
  session: Session,
  commits: Commits,
  stage: Stage,
  events: CourseEvents,
): Promise<Course> {
  const units = playableUnits(session.Tree);
  const data = new Map(Object.entries(session.Data));
  const isWeb = session.Standard === 'web';
  let current: PlayableUnit | null = null;
  let finished = false;
  let shown = false;
  let closing = false;
  let leaving = false;
  let clock: Clock = startClock();
  let advance: number | undefined;
  const autosave = createAutosave(save);

  const runTime = isWeb
    ? null
    : await createScorm12({
        changed() {
          autosave.touch();
        },
        commit() {
          autosave.cancel();
          const now = snapshot();
          const kept = now === null || commits.commit(now);
          events.moved();
          return kept;
        },
        begun() {
          window.clearTimeout(advance);
          finished = false;
          events.moved();
        },
        finished(exit, request) {
          if (closing) return;
          finished = true;
          events.moved();
          if (exit === 'logout') advance = window.setTimeout(() => events.ended(), advanceDelay);
          else if (request === 'previous') advance = window.setTimeout(previous, advanceDelay);
          else if (exit !== 'suspend' && neighbour(1)) advance = window.setTimeout(next, advanceDelay);
        },
      });

  function save(): void {
    const now = snapshot();
    if (now) commits.save(now, 2_750);
    events.moved();
  }

  function snapshot(): Snapshot | null {
    if (!current) return null;
    const { UnitID } = current;
    if (current.Kind === 'sco') return runTime?.used() ? { UnitID, Data: runTime.snapshot() } : null;
    return shown ? { UnitID, Data: pageData(UnitID) } : null;
  }

  /** Pages that do not talk: seen is completed, except a web course, which the learner declares done. */
  function pageData(unitID: string): RunTimeData {
    const before = data.get(unitID) ?? {};
    const completion = isWeb ? (before['lectern.completion'] ?? 'incomplete') : 'completed';
    return pageNotes(before, completion, clock.seconds());
  }

  function neighbour(step: 1 | -1): PlayableUnit | null {
    if (!current) return null;
    for (let index = units.indexOf(current) + step; units[index]; index += step) {
      const unit = units[index];
      if (unit?.Visible && mayOpen(unit)) return unit;
    }
    return null;
  }

  const unitStatus = (unitID: string) => {
    const now = current?.UnitID === unitID ? snapshot()?.Data : undefined;
    return better(statusOf(session.Evidence[unitID]), statusOfData(now ?? data.get(unitID) ?? {}));
  };
  const mayOpen = (unit: PlayableUnit) =>
    unit.Prerequisites === null || isOpen(unit.Prerequisites, unitStatus);

  async function close(): Promise<Snapshot | null> {
    window.clearTimeout(advance);
    if (!current) return null;
    closing = true;
    await stage.clear();
    closing = false;
    autosave.cancel();
    const last = snapshot();
    if (last) {
      commits.save(last, 0);
      data.set(last.UnitID, current.Kind === 'sco' ? nextSitting12(last.Data) : last.Data);
    }
    return last;
  }

  async function open(unit: PlayableUnit): Promise<void> {
    await close();
    if (leaving) return;
    current = unit;
    finished = false;
    shown = false;
    clock = startClock();
    if (unit.Kind === 'sco') runTime?.open(data.get(unit.UnitID) ?? {});
    events.moved();
    // Not awaited: a page that loads slowly must not hold the buttons.
    void stage.show(addressOf(session, unit), unit.Title).then((isThere) => {
      if (current !== unit) return;
      shown = isThere;
      if (!isThere) return events.missing(unit);
      if (unit.Kind === 'sco') return;
      save();
      commits.send();
    });
  }

  async function next(): Promise<void> {
    const unit = neighbour(1);
    if (unit) await open(unit);
  }

  async function previous(): Promise<void> {
    const unit = neighbour(-1);
    if (unit) await open(unit);
  }

  return {
    async start() {
      const last = units.find(({ UnitID }) => UnitID === session.LastUnitID);
      const first = last ?? units.find((unit) => unit.Visible) ?? units[0];
      if (first) await open(first);
    },
    position: () => ({
      unit: current,
      finished,
      previous: units.length > 1 ? neighbour(-1) !== null : null,
      next: units.length > 1 ? neighbour(1) !== null : null,
      mayChoose: (unitID) => {
        const unit = units.find((each) => each.UnitID === unitID);
        return unit !== undefined && mayOpen(unit);
      },
      statusOf: unitStatus,
    }),
    next,
    previous,
    async choose(unitID) {
      const unit = units.find((each) => each.UnitID === unitID);
      if (unit) await open(unit);
    },
    leave() {
      leaving = true;
      return close();
    },
    snapshot,
    ...(isWeb && {
      complete() {
        if (!current) return;
        data.set(current.UnitID, { ...data.get(current.UnitID), 'lectern.completion': 'completed' });
        save();
        commits.send();
      },
    }),
  };
}
