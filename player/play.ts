import { isMedia } from '../standards/media.ts';
import { reportsDirectly, traits } from '../standards/traits.ts';
import { createAuCourse } from './au.ts';
import { createCommits } from './commits.ts';
import { createContents } from './contents.ts';
import type { Session } from './contract.ts';
import type { Course, CourseEvents, ExitKind, Position } from './course.ts';
import { elements } from './elements.ts';
import { reportResult } from './embedder.ts';
import { leaveCourse, stopCourse } from './exit.ts';
import { offerFit } from './fit.ts';
import { fittedCourse, forgottenChoice } from './fitted-courses.ts';
import { showSaveState } from './indicator.ts';
import type { Journal } from './journal.ts';
import { createLinearCourse } from './linear.ts';
import { messages } from './messages.ts';
import { ask, hidePage, showPage } from './pages.ts';
import { hideReason, showReason } from './reason.ts';
import type { Stop } from './save-state.ts';
import { createSequencedCourse } from './sequenced.ts';
import { startHeartbeat } from './session.ts';
import { createStage } from './stage.ts';
import { startStopwatch } from './stopwatch.ts';
import { createTimeLimits, type TimeLimit } from './time-limit.ts';
import { showPosition } from './toolbar.ts';
import { type PlayableUnit, playableUnits } from './units.ts';
import { isUnloadForbidden } from './unload.ts';

/** The course as a row of the contents list. Null if the learner can choose only its units. */
function wholeCourse({ CourseTitle, Tree }: Session, { rootID }: Course) {
  return rootID ? { UnitID: rootID, Title: CourseTitle, Href: null, Children: Tree.Units } : null;
}

/** Plays a session's course until the learner leaves. */
export async function play(session: Session, journal: Journal): Promise<void> {
  const stopwatch = startStopwatch();
  let receipt = session.Receipt;
  let left = false;
  let moving = false;
  const units = playableUnits(session.Tree);
  const media = isMedia(session.Standard) ? await import('./media.ts') : null;

  const commits = createCommits(session, journal, {
    state: showSaveState,
    // Runs after the content has received the response to its call.
    stopped: (why) => void window.setTimeout(() => void stop(why)),
    receipt: showReceipt,
  });
  const heartbeat = startHeartbeat(session.Session, {
    heard: () => {
      const { unit } = course.position();
      const now = unit?.Kind === 'asset' || unit?.Media ? course.snapshot() : null;
      if (now) commits.save(now, 0);
    },
    ended: (why) => void stop({ ended: why }),
  });

  const limits = createTimeLimits(timeUp);
  const choice = session.Mode === 'normal' ? fittedCourse(session.EnrollID) : forgottenChoice;
  const stage = createStage(elements.stage, elements.loading, offerFit(elements.stage, choice), closing);
  const events: CourseEvents = {
    moved: update,
    shown: limits.start,
    ended: () => void leave(),
    reported: showReceipt,
    missing: (unit, why) => {
      void heartbeat.beat();
      const { title, text, unreachable } = messages.missing(unit.Title);
      showPage(title, why === 'unreachable' ? unreachable : text, [
        { text: messages.tryAgain, act: () => void act(() => course.choose(unit.UnitID)) },
      ]);
    },
  };
  const create = traits[session.Standard].isSequenced ? createSequencedCourse : createLinearCourse;
  const course: Course = reportsDirectly(session.Standard)
    ? createAuCourse(session, stage, events)
    : media
      ? media.createMediaCourse(session, commits, elements.stage, events)
      : create(session, commits, stage, events);
  const contents =
    units.length > 1
      ? createContents(session.Tree.Units, wholeCourse(session, course), {
          choose: (unitID) => void act(() => course.choose(unitID)),
          explain: ({ UnitID, Href }) => {
            const { why } = course.position().choice(UnitID);
            // A heading opens nothing, so it needs no reason.
            if (why !== null || Href !== null) showReason(why ?? messages.locked);
          },
        })
      : null;

  document.title = session.CourseTitle;
  elements.courseTitle.textContent = session.CourseTitle;
  if (session.Language) {
    for (const element of [elements.courseTitle, elements.unitTitle, elements.units])
      element.lang = session.Language;
  }
  // An external page may refuse to be framed. This cannot be detected, so a link to the page is always shown.
  const [only] = units;
  if (session.ContentPath === null && only) {
    elements.windowLink.href = only.Href;
    elements.windowLink.hidden = false;
  }
  elements.progress.value = receipt.Progress;
  elements.previous.addEventListener('click', () => void step('previous'));
  elements.next.addEventListener('click', () => void step('next'));
  elements.exit.addEventListener('click', () => void leave());
  elements.endAttempt.addEventListener('click', () => {
    const { title, text, confirm, cancel } = messages.endAttempt;
    ask(title, text, [
      { text: confirm, act: () => void leave('end') },
      { text: cancel, act: () => {}, primary: false },
    ]);
  });
  elements.noticeAction.addEventListener('click', () => {
    if (course.position().next?.may) void act(course.next);
    else void leave();
  });
  elements.skip.addEventListener('click', (event) => {
    event.preventDefault();
    stage.focus();
  });
  elements.mark.addEventListener('click', () => course.complete?.());
  listenToThePage();
  showSaveState('saved');
  await act(course.start);

  function showReceipt(latest: Session['Receipt']): void {
    receipt = latest;
    reportResult(session, latest);
    elements.progress.value = Math.max(elements.progress.value, latest.Progress);
    showCurrent(course.position());
  }

  function showCurrent(position: Position): void {
    const isCompleted = receipt.Completion === 'completed';
    showPosition(position, units, { isMarked: course.complete !== undefined, isCompleted });
  }

  function update(): void {
    const position = course.position();
    showCurrent(position);
    contents?.update(position);
    if (course.refused?.()) showSaveState('refused');
    if (position.unit !== null || moving || left) return;
    showPage(messages.chooseUnit.title, messages.chooseUnit.text, []);
    contents?.open();
  }

  /**
   * Tries a locked step too, because some content reports only when its page is closed. If the learner stays, says why.
   */
  async function step(direction: 'previous' | 'next'): Promise<void> {
    if (moving || left) return;
    const { unit, [direction]: offer } = course.position();
    await act(course[direction]);
    if (offer?.may || left || course.position().unit !== unit) return;
    showReason(offer?.why ?? messages.locked);
  }

  /** Allows one navigation at a time. Also closes any page that is shown in place of the unit. */
  async function act(move: () => Promise<void>): Promise<void> {
    if (moving || left) return;
    moving = true;
    hideReason();
    hidePage();
    try {
      await move();
    } catch (error) {
      console.error(error);
      const { title, text } = messages.broken;
      showPage(title, text, [{ text: messages.tryAgain, act: () => location.reload() }]);
      return;
    } finally {
      moving = false;
    }
    update();
  }

  /** Does nothing if the content has already finished, because it has then handled the time limit itself. */
  function timeUp(unit: PlayableUnit, { exits, showsMessage }: TimeLimit): void {
    const position = course.position();
    if (left || moving || position.unit !== unit || position.finished) return;
    const { title, goesOn, goOn } = messages.timeUp;
    if (exits) void leave('end', showsMessage ? unit.Title : null);
    else ask(title, goesOn(unit.Title), [{ text: goOn, act: () => stage.focus() }]);
  }

  /** `timeUp` is the title of the unit whose time is up, if the learner must be informed. */
  async function leave(how: ExitKind = 'exit', timeUp: string | null = null): Promise<void> {
    if (left) return;
    left = true;
    hideReason();
    heartbeat.stop();
    limits.stop();
    const summary = () => ({ receipt, seconds: stopwatch.seconds() });
    await leaveCourse(session, course, commits, { how, timeUp, summary });
  }

  async function stop(why: Stop): Promise<void> {
    if (left) return;
    left = true;
    hideReason();
    heartbeat.stop();
    limits.stop();
    await stopCourse(session, course, commits, why);
  }

  function flush(): void {
    const now = left ? null : course.snapshot();
    if (now) commits.save(now, 0);
  }

  /** The content may have set values without committing them. */
  function closing(): void {
    if (commits.leaving) flush();
  }

  function listenToThePage(): void {
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) flush();
    });
    window.addEventListener('pagehide', () => {
      commits.leave();
      stage.unload();
      flush();
    });
    window.addEventListener('pageshow', (event) => {
      if (!event.persisted) return;
      // The learner came back after the content's session ended, so a new one is needed.
      if (left || isUnloadForbidden()) location.reload();
      else commits.stay();
    });
    window.addEventListener('online', () => {
      commits.online();
      const { unit } = course.position();
      if (unit && stage.isLost()) void act(() => course.choose(unit.UnitID));
    });
    window.addEventListener('offline', commits.offline);
    window.addEventListener('storage', commits.storageChanged);
  }
}
