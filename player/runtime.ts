import { call, refused } from '../scorm/data-model/api.ts';
import { type Answer, argument, type Environment } from '../scorm/data-model/calls.ts';
import {
  begin,
  type Launch,
  navigationRequest,
  resumedSession,
  type State,
  sharedData,
  snapshot,
} from '../scorm/data-model/session.ts';
import type { Edition, RunTimeData } from '../scorm/data-model/types.ts';
import type { Commit } from './contract.ts';
import { closingPage, isClosed, pagesIn } from './documents.ts';
import { type Stopwatch, startStopwatch } from './stopwatch.ts';

/** The run-time API for one unit at a time. The content searches its parent frames and finds it on this window. */
export type RunTime = {
  /** Starts a unit's session with its data. After that, the content can call the API. */
  open(launch: Omit<Launch, 'edition' | 'unsetStatus'>): void;
  /** The state of the current session. Each call that changes something creates a new object. */
  state(): State | null;
  /** The unit's complete data. */
  snapshot(): RunTimeData;
  /** The values that were not accepted from the content. */
  refused(): Pick<Commit, 'Refused'>;
  /** The values that the content wrote to shared data. */
  shared(): Map<string, string | null>;
  /** The content's navigation request. */
  request(): string | null;
  /** Whether the content has called the API in this session. */
  used(): boolean;
};

export type RunTimeEvents = {
  /** The content set a value that is not committed yet. */
  changed(): void;
  /** The content commits and waits. Returns true only if nothing can be lost. */
  commit(): boolean;
  begun(): void;
  /** The content has finished, with its exit value. */
  finished(exit: string): void;
};

const names12 = ['Initialize', 'Finish', 'GetValue', 'SetValue', 'Commit'];
const names2004 = ['Initialize', 'Terminate', 'GetValue', 'SetValue', 'Commit'];
const errorNames = ['GetLastError', 'GetErrorString', 'GetDiagnostic'];

/** Calls that a page makes only while it is open. */
const continuing = /^(?:LMS)?(?:Initialize|GetValue|SetValue|Commit)$/;
/** How often to check whether a page that finished while it was closing has closed. */
const closingDelay = 200;

/** The pages of the current session, and the one that finished it because it was about to close. */
type Pages = { begun: readonly Document[]; closing: Document | null };

/** `frame` returns the window of the content's frame. */
export function createRunTime(
  edition: Edition,
  events: RunTimeEvents,
  frame: () => Window | null,
  mayNavigate?: NonNullable<Environment['mayNavigate']>,
): RunTime {
  const is12 = edition === 'scorm12';
  let state: State | null = null;
  let stopwatch: Stopwatch = startStopwatch();
  let pages: Pages = { begun: [], closing: null };
  // Uses whole seconds. Otherwise, a repeated commit would have a different time and would therefore be sent again.
  const now = () => stopwatch.seconds() * 1_000;

  function perform(known: State, fn: string, args: unknown[]): string {
    const isBack = pages.closing !== null && continuing.test(fn);
    const mayRestart = isBack || pages.begun.some(isClosed);
    const isResumed = isBack && !fn.endsWith('Initialize');
    if (isBack) pages = { ...pages, closing: null };
    const before = isResumed ? resumedSession(known) : known;
    if (isResumed) events.begun();
    const environment = { now: now(), mayRestart, ...(mayNavigate && { mayNavigate }) };
    const answer = call(before, { fn, args: args.map(argument) }, environment);
    state = answer.state;
    const settled = settle(before, answer);
    state = settled.state;
    if (settled.effect === 'terminated') finish();
    return settled.returned;
  }

  /** A page that finishes because it may be about to close has finished only once it has closed. */
  function finish(): void {
    const closing = closingPage(frame());
    pages = { ...pages, closing };
    if (closing) awaitClosing(closing);
    else announceEnd();
  }

  function awaitClosing(page: Document): void {
    window.setTimeout(() => {
      if (pages.closing !== page) return;
      if (!isClosed(page)) return awaitClosing(page);
      pages = { ...pages, closing: null };
      announceEnd();
    }, closingDelay);
  }

  function announceEnd(): void {
    if (state) events.finished(exitOf(snapshot(state, now())));
  }

  function settle(before: State, answer: Answer): Answer {
    const { effect } = answer;
    if (effect === 'initialised') {
      pages = { begun: pagesIn(frame()), closing: null };
      events.begun();
    }
    if (effect === 'changed') events.changed();
    if ((effect !== 'commit' && effect !== 'terminated') || events.commit()) return answer;
    return refused(before, effect === 'commit' ? 'commit' : 'termination');
  }

  const prefix = is12 ? 'LMS' : '';
  const functions = [...(is12 ? names12 : names2004), ...errorNames].map((name) => {
    const fn = prefix + name;
    return [fn, (...args: unknown[]) => (state ? perform(state, fn, args) : '')] as const;
  });
  const api = { ...Object.fromEntries(functions), ...(is12 ? {} : { version: '1.0' }) };

  return {
    open(launch) {
      // RTE 1.2 §3.4.4: content that ends without a status has completed the unit.
      ({ state } = begin({ ...launch, edition, unsetStatus: 'completed' }));
      stopwatch = startStopwatch();
      pages = { begun: [], closing: null };
      Reflect.set(window, is12 ? 'API' : 'API_1484_11', api);
    },
    state: () => state,
    snapshot: () => (state ? snapshot(state, now()) : {}),
    refused() {
      const Refused = state?.refused.map(({ element: Element, value: Value, problem: Problem }) => {
        return { Element, Value, Problem };
      });
      return Refused?.length ? { Refused } : {};
    },
    shared: () => (state ? sharedData(state) : new Map()),
    request: () => state && navigationRequest(state),
    used: () => state !== null && state.phase !== 'not initialised',
  };
}

const exitOf = (data: RunTimeData) => data['cmi.exit'] ?? data['cmi.core.exit'] ?? '';
