import { call } from './api.ts';
import type { Answer } from './calls.ts';
import { begin, type Launch, type State } from './session.ts';

/** A session that behaves like a page's API object, for tests. */
export function session(launch: Partial<Launch> = {}, initialised = true) {
  const edition = launch.edition ?? 'scorm2004-4th';
  const { state, notes } = begin({ data: {}, ...launch, edition });
  const names = edition === 'scorm12' ? 'LMS' : '';
  let last: Answer = { state, returned: '', error: 0, diagnostic: '' };
  const one = {
    notes,
    now: 0,
    mayRestart: false,
    get state(): State {
      return last.state;
    },
    get last(): Answer {
      return last;
    },
    /** The returned value and the error code, as the content sees them. */
    call(fn: string, ...args: string[]): [returned: string, error: number] {
      last = call(last.state, { fn, args }, { now: one.now, mayRestart: one.mayRestart });
      return [last.returned, last.error];
    },
    get: (name: string) => one.call(`${names}GetValue`, name),
    set: (name: string, value: string) => one.call(`${names}SetValue`, name, value),
  };
  if (initialised) one.call(`${names}Initialize`, '');
  return one;
}
