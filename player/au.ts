import { type AuState, neighbourOf, positionOf } from './au-state.ts';
import type { OpenedUnit, Session, SessionResults } from './contract.ts';
import type { Course, CourseEvents } from './course.ts';
import { messages } from './messages.ts';
import { showPage } from './pages.ts';
import type { Stage } from './stage.ts';
import { problemOf } from './transport.ts';
import { type PlayableUnit, playableUnits, resumedUnit } from './units.ts';

/** How often the page asks for the results that a unit reports to the service. */
const refreshInterval = 10_000;

/** In cmi5, xAPI and AICC, units report to the service. The page opens their sessions and shows their results. */
export function createAuCourse(session: Session, stage: Stage, events: CourseEvents): Course {
  const path = `/play/${encodeURIComponent(session.Session)}`;
  let state: AuState = {
    ...{ units: playableUnits(session.Tree), evidence: session.Evidence },
    ...{ current: null, finished: false, refused: false },
  };
  const change = (changes: Partial<AuState>) => {
    state = { ...state, ...changes };
    events.moved();
  };
  const timer = window.setInterval(() => {
    if (!document.hidden && state.current) void refresh();
  }, refreshInterval);

  async function refresh(): Promise<void> {
    const results = await readResults(path);
    if (!results) return;
    events.reported?.(results.Receipt);
    change({ evidence: results.Evidence, refused: results.Refused !== null });
  }

  async function returned(): Promise<void> {
    change({ finished: true });
    await refresh();
  }

  /** Opens a session for the unit. Shows the reason if that is not possible. */
  async function begin(unit: PlayableUnit): Promise<OpenedUnit | null> {
    const opened = await openUnit(path, unit.UnitID);
    if (opened && 'URL' in opened) return opened;
    if (opened === null) events.missing(unit, 'unreachable');
    else showPage(messages.refused, opened.detail, []);
    return null;
  }

  async function open(unit: PlayableUnit | null | undefined): Promise<void> {
    if (!unit) return;
    await stage.clear();
    change({ current: unit, finished: false });
    const opened = await begin(unit);
    if (!opened) return;
    if (opened.OwnWindow) offerWindow(unit, opened, messages.ownWindow.text);
    else {
      const moved = (at: string) => at.endsWith('/returned') && void returned();
      void stage.show(opened.URL, unit.Title, moved).then((loaded) => {
        if (loaded !== 'shown' && state.current === unit) events.missing(unit, loaded);
      });
    }
    await refresh();
  }

  /**
   * Shows a button for opening the window, because browsers open windows only when the learner clicks. Each window gets a
   * session of its own, because the token of a session can be fetched only once.
   */
  function offerWindow(unit: PlayableUnit, prepared: OpenedUnit | null, text: string): void {
    const { title, action, unseen } = messages.ownWindow;
    const act = async () => {
      const session = prepared ?? (await begin(unit));
      if (!session) return;
      // With `noopener`, this page could not detect that the window was closed.
      const opened = window.open(session.URL, '_blank');
      if (opened) opened.opener = null;
      change({ finished: false });
      offerWindow(unit, null, opened ? text : unseen);
      if (opened) watch(unit, opened);
    };
    showPage(title(unit.Title), text, [{ text: action, act: () => void act() }]);
  }

  /** A page with `Cross-Origin-Opener-Policy` and a pop-up blocker hide the window, so that its end is not noticed. */
  function watch(unit: PlayableUnit, opened: Window): void {
    const timer = window.setInterval(() => {
      if (!opened.closed) return;
      window.clearInterval(timer);
      if (state.current === unit) void returned();
    }, 1_000);
  }

  return {
    start: () =>
      open(
        resumedUnit(state.units, session.LastUnitID, {
          statusOf: positionOf(state).statusOf,
          mayOpen: () => true,
        }),
      ),
    position: () => positionOf(state),
    next: () => open(neighbourOf(state, 1)),
    previous: () => open(neighbourOf(state, -1)),
    choose: (unitID) => open(state.units.find(({ UnitID }) => UnitID === unitID)),
    async leave() {
      window.clearInterval(timer);
      await stage.clear();
      await refresh();
      return null;
    },
    snapshot: () => null,
    refused: () => state.refused,
  };
}

type Refused = { detail: string };

/** Null if the service cannot be reached. */
async function openUnit(path: string, UnitID: string): Promise<OpenedUnit | Refused | null> {
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${path}/au`, { method: 'POST', headers, body: JSON.stringify({ UnitID }) });
    const text = await response.text();
    if (response.status === 201) return JSON.parse(text);
    const problem = problemOf({ type: response.headers.get('content-type'), text });
    return problem && response.status < 500 ? { detail: String(problem.detail) } : null;
  } catch {
    return null;
  }
}

async function readResults(path: string): Promise<SessionResults | null> {
  try {
    const response = await fetch(`${path}/results`, { cache: 'no-store' });
    return response.status === 200 ? await response.json() : null;
  } catch {
    return null;
  }
}
