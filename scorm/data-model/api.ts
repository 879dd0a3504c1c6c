import { call12, refused12 } from './api-12.ts';
import { call2004, refused2004 } from './api-2004.ts';
import type { Answer, Call, Environment } from './calls.ts';
import type { State } from './session.ts';

/** One call by the content: the state after it, and the value that the content receives. */
export function call(state: State, request: Call, environment: Environment): Answer {
  return state.edition === 'scorm12'
    ? call12(state, request, environment)
    : call2004(state, request, environment);
}

/** The answer if a commit or the end of a session could not be saved. Takes the state from before the call. */
export function refused(state: State, during: 'commit' | 'termination'): Answer {
  return state.edition === 'scorm12' ? refused12(state) : refused2004(state, during);
}
