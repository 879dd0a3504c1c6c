import { type Answer, answer, type Call, type Environment, lookupOf, report, setValue } from './calls.ts';
import { codes12, explain } from './codes.ts';
import { type Error12, errorString, errors12 } from './errors.ts';
import { placeOf } from './model.ts';
import { canonical12 } from './model-12.ts';
import { valueAt } from './rules.ts';
import { begunSession, modelFor, type State } from './session.ts';
import { finalStatus12 } from './status.ts';
import { read, written } from './store.ts';

/** RTE 1.2 §3.3: the API adapter of SCORM 1.2. */
export function call12(state: State, { fn, args }: Call, environment: Environment): Answer {
  const [first = '', second = ''] = args;
  switch (fn) {
    case 'LMSInitialize':
      return initialize(state, first, environment);
    case 'LMSFinish':
      return finish(state, first);
    case 'LMSGetValue':
      return getValue(state, first);
    case 'LMSSetValue':
      return set(state, first, second);
    case 'LMSCommit':
      return commit(state, first);
    case 'LMSGetLastError':
      return report(state, state, String(state.error));
    case 'LMSGetErrorString':
      return report(state, state, errorString(errors12, first));
    case 'LMSGetDiagnostic':
      return report(state, state, diagnosticFor(state, first));
    default:
      return fail(state, 'false', 101, `${fn.slice(0, 100)} is not a function of the API`);
  }
}

export function refused12(state: State): Answer {
  return fail(state, 'false', 101, 'The data could not be saved');
}

function fail(state: State, returned: string, code: Error12, diagnostic: string = errors12[code]): Answer {
  return answer(state, returned, code, diagnostic);
}

const unexpected = 'The parameter must be an empty string';

/**
 * RTE 1.2 §3.3.1 permits only one session. However, some content finishes its session when it changes pages
 * and starts a new session on the next page.
 */
function initialize(state: State, parameter: string, { now, mayRestart = false }: Environment): Answer {
  if (parameter !== '') return fail(state, 'false', 201, unexpected);
  if (state.phase === 'running' && !mayRestart)
    return fail(state, 'false', 101, 'The session has already begun');
  return answer(begunSession(state, now), 'true', 0, '', { effect: 'initialised' });
}

function finish(state: State, parameter: string): Answer {
  if (parameter !== '') return fail(state, 'false', 201, unexpected);
  if (state.phase !== 'running') return fail(state, 'false', 301);
  const status = finalStatus12(lookupOf(state), state.unsetStatus);
  const isChanged = status !== read(state.store, 'cmi.core.lesson_status') && status !== 'not attempted';
  const store = isChanged ? written(state.store, [['cmi.core.lesson_status', status]]) : state.store;
  return answer({ ...state, phase: 'terminated', store }, 'true', 0, '', { effect: 'terminated' });
}

function commit(state: State, parameter: string): Answer {
  if (parameter !== '') return fail(state, 'false', 201, unexpected);
  if (state.phase !== 'running') return fail(state, 'false', 301);
  return answer(state, 'true', 0, '', { effect: 'commit' });
}

function set(state: State, name: string, value: string): Answer {
  if (state.phase !== 'running') return fail(state, 'false', 301);
  if (name === '') return fail(state, 'false', 201, 'The name of an element is missing');
  const place = placeOf(modelFor(state.edition), name);
  const kept = place.kind === 'element' ? canonical12(place.element.name, value) : value;
  const answered = setValue(state, name, kept, codes12);
  return kept === value || answered.error !== 0 ? answered : { ...answered, note: `kept as ${kept}` };
}

function getValue(state: State, name: string): Answer {
  if (state.phase !== 'running') return fail(state, '', 301);
  if (name === '') return fail(state, '', 201, 'The name of an element is missing');
  const model = modelFor(state.edition);
  const found = valueAt(model, lookupOf(state), placeOf(model, name), []);
  return 'value' in found
    ? answer(state, found.value, 0)
    : answer(state, '', codes12[found.problem], explain(name, found.problem));
}

function diagnosticFor(state: State, parameter: string): string {
  if (parameter === '' || parameter === String(state.error))
    return state.diagnostic || errorString(errors12, String(state.error));
  return errorString(errors12, parameter);
}
