import { type Answer, answer, type Call, type Environment, lookupOf, report, setValue } from './calls.ts';
import { explain, getCodes2004, setCodes2004 } from './codes.ts';
import { type Error2004, errorString, errors2004 } from './errors.ts';
import { placeOf } from './model.ts';
import { valueAt } from './rules.ts';
import { begunSession, modelFor, type State } from './session.ts';
import { completionOf, successOf } from './status.ts';
import { written } from './store.ts';

/** RTE 4th §3.1.2 to 3.1.6: the API instance of SCORM 2004. */
export function call2004(state: State, { fn, args }: Call, environment: Environment): Answer {
  const [first = '', second = ''] = args;
  switch (fn) {
    case 'Initialize':
      return initialize(state, first, environment);
    case 'Terminate':
      return terminate(state, first);
    case 'GetValue':
      return getValue(state, first, environment);
    case 'SetValue':
      return set(state, first, second);
    case 'Commit':
      return commit(state, first);
    case 'GetLastError':
      return report(state, state, String(state.error));
    case 'GetErrorString':
      return report(state, state, errorString(errors2004, first));
    case 'GetDiagnostic':
      return report(state, state, diagnosticFor(state, first));
    default:
      return fail(state, 'false', 101, `${fn.slice(0, 100)} is not a function of the API`);
  }
}

export function refused2004(state: State, during: 'commit' | 'termination'): Answer {
  return fail(state, 'false', during === 'commit' ? 391 : 111, 'The data could not be saved');
}

function fail(
  state: State,
  returned: string,
  code: Error2004,
  diagnostic: string = errors2004[code],
): Answer {
  return answer(state, returned, code, diagnostic);
}

const unexpected = 'The parameter must be an empty characterstring';

function initialize(state: State, parameter: string, { now, mayRestart = false }: Environment): Answer {
  if (parameter !== '') return fail(state, 'false', 201, unexpected);
  if (state.phase === 'running' && !mayRestart) return fail(state, 'false', 103);
  if (state.phase === 'terminated' && !mayRestart) return fail(state, 'false', 104);
  const begun = begunSession(state, now);
  // SN 4th §5.6.4: a request applies only to the session that made it.
  const store = written(begun.store, [['adl.nav.request', '_none_']]);
  return answer({ ...begun, store }, 'true', 0, '', { effect: 'initialised' });
}

function terminate(state: State, parameter: string): Answer {
  if (parameter !== '') return fail(state, 'false', 201, unexpected);
  if (state.phase === 'not initialised') return fail(state, 'false', 112);
  if (state.phase === 'terminated') return fail(state, 'false', 113);
  return answer({ ...state, phase: 'terminated' }, 'true', 0, '', { effect: 'terminated' });
}

function commit(state: State, parameter: string): Answer {
  if (parameter !== '') return fail(state, 'false', 201, unexpected);
  if (state.phase === 'not initialised') return fail(state, 'false', 142);
  if (state.phase === 'terminated') return fail(state, 'false', 143);
  return answer(state, 'true', 0, '', { effect: 'commit' });
}

function set(state: State, name: string, value: string): Answer {
  if (state.phase === 'not initialised') return fail(state, 'false', 132);
  if (state.phase === 'terminated') return fail(state, 'false', 133);
  if (name === '') return fail(state, 'false', 351, 'The name of an element is missing');
  if (validityIn(state, name)) return fail(state, 'false', 404, explain(name, 'read only'));
  return setValue(state, name, value, setCodes2004);
}

function getValue(state: State, name: string, environment: Environment): Answer {
  if (state.phase === 'not initialised') return fail(state, '', 122);
  if (state.phase === 'terminated') return fail(state, '', 123);
  if (name === '') return fail(state, '', 301, 'The name of an element is missing');
  const validity = validityIn(state, name);
  if (validity)
    return answer(state, environment.mayNavigate?.(validity.request, validity.target) ?? 'unknown', 0);
  const model = modelFor(state.edition);
  const lookup = lookupOf(state);
  if (name === 'cmi.completion_status') return answer(state, completionOf(lookup), 0);
  if (name === 'cmi.success_status') return answer(state, successOf(lookup), 0);
  const found = valueAt(model, lookup, placeOf(model, name), state.buckets);
  return 'value' in found
    ? answer(state, found.value, 0)
    : answer(state, '', getCodes2004[found.problem], explain(name, found.problem));
}

const prefix = 'adl.nav.request_valid.';
const plain = ['continue', 'previous', 'exit', 'exitAll', 'abandon', 'abandonAll', 'suspendAll'];
const targeted = /^(choice|jump)\.\{target=(.+)\}$/s;

/** SN 4th §5.6.5: `adl.nav.request_valid.continue`, `adl.nav.request_valid.choice.{target=…}`. */
function validityIn(state: State, name: string): { request: string; target: string | null } | null {
  if (!name.startsWith(prefix)) return null;
  const asked = name.slice(prefix.length);
  if (plain.includes(asked)) return { request: asked, target: null };
  const [, request, target] = targeted.exec(asked) ?? [];
  if (request === undefined || target === undefined) return null;
  return request === 'jump' && state.edition !== 'scorm2004-4th' ? null : { request, target };
}

/** RTE 4th §3.1.6.3: an empty parameter refers to the last error. */
function diagnosticFor(state: State, parameter: string): string {
  if (parameter === '' || parameter === String(state.error))
    return state.diagnostic || errorString(errors2004, String(state.error));
  return errorString(errors2004, parameter);
}
