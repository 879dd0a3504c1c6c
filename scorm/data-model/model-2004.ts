import { modelOf } from './model.ts';
import { interactionTypes } from './responses.ts';
import type { Check, Edition, Element, Model } from './types.ts';
import {
  characters,
  identifier,
  interval,
  language,
  localised,
  navigationRequest,
  numberIn,
  real,
  timestamp,
  words,
} from './values.ts';

const requests = ['continue', 'previous', 'exit', 'exitAll', 'abandon', 'abandonAll', 'suspendAll', '_none_'];

const completion = words('completed', 'incomplete', 'not attempted', 'unknown');
const success = words('passed', 'failed', 'unknown');
const result: Check = (text) =>
  numberIn(text) === null ? words('correct', 'incorrect', 'unanticipated', 'neutral')(text) : real()(text);

/** A score of the unit (RTE 4th §4.2.20) or of an objective (§4.2.17). */
function score(prefix: string, needs: readonly string[] = []): Element[] {
  const part = (name: string, check: Check): Element => ({
    name: `${prefix}.score.${name}`,
    access: 'both',
    check,
    needs,
  });
  return [part('scaled', real(-1, 1)), part('raw', real()), part('min', real()), part('max', real())];
}

/** RTE 4th §4.2, in the order of its sections. */
function elements(edition: Edition): Element[] {
  const is4th = edition === 'scorm2004-4th';
  const read = (name: string, check: Check, initial?: string): Element => ({
    name,
    access: 'read',
    check,
    ...(initial !== undefined && { initial }),
  });
  const both = (name: string, check: Check, more: Partial<Element> = {}): Element => ({
    name,
    access: 'both',
    check,
    ...more,
  });
  const write = (name: string, check: Check): Element => ({ name, access: 'write', check });
  const comments = (list: string, make: (name: string, check: Check) => Element) => [
    make(`${list}.n.comment`, localised(4_000)),
    make(`${list}.n.location`, characters(250)),
    make(`${list}.n.timestamp`, timestamp),
  ];
  const objective = 'cmi.objectives.n';
  const ofObjective = { needs: [`${objective}.id`] };
  const interaction = 'cmi.interactions.n';
  const ofInteraction = { needs: [`${interaction}.id`] };
  const ofType = { needs: [`${interaction}.id`, `${interaction}.type`] };
  return [
    ...comments('cmi.comments_from_learner', both),
    ...comments('cmi.comments_from_lms', read),
    both('cmi.completion_status', completion, { initial: 'unknown' }),
    read('cmi.completion_threshold', real(0, 1)),
    read('cmi.credit', words('credit', 'no-credit'), 'credit'),
    read('cmi.entry', words('ab-initio', 'resume', ''), 'ab-initio'),
    write('cmi.exit', words('time-out', 'suspend', 'logout', 'normal', '')),
    both(`${interaction}.id`, identifier(4_000)),
    both(`${interaction}.type`, words(...interactionTypes), ofInteraction),
    both(`${interaction}.objectives.n.id`, identifier(4_000), {
      ...ofInteraction,
      identity: 'unique',
    }),
    both(`${interaction}.timestamp`, timestamp, ofInteraction),
    both(`${interaction}.correct_responses.n.pattern`, () => 'valid', { ...ofType, format: 'pattern' }),
    both(`${interaction}.weighting`, real(), ofInteraction),
    both(`${interaction}.learner_response`, () => 'valid', { ...ofType, format: 'response' }),
    both(`${interaction}.result`, result, ofInteraction),
    both(`${interaction}.latency`, interval, ofInteraction),
    both(`${interaction}.description`, localised(250), ofInteraction),
    read('cmi.launch_data', characters(4_000)),
    read('cmi.learner_id', characters(4_000), ''),
    read('cmi.learner_name', characters(250), ''),
    both('cmi.learner_preference.audio_level', real(0), { initial: '1' }),
    both('cmi.learner_preference.language', language, { initial: '' }),
    both('cmi.learner_preference.delivery_speed', real(0), { initial: '1' }),
    both('cmi.learner_preference.audio_captioning', words('-1', '0', '1'), { initial: '0' }),
    both('cmi.location', characters(1_000)),
    read('cmi.max_time_allowed', interval),
    read('cmi.mode', words('browse', 'normal', 'review'), 'normal'),
    both(`${objective}.id`, identifier(4_000), { identity: 'once' }),
    ...score(objective, ofObjective.needs),
    both(`${objective}.success_status`, success, { ...ofObjective, initial: 'unknown' }),
    both(`${objective}.completion_status`, completion, { ...ofObjective, initial: 'unknown' }),
    both(`${objective}.progress_measure`, real(0, 1), ofObjective),
    both(`${objective}.description`, localised(250), ofObjective),
    both('cmi.progress_measure', real(0, 1)),
    read('cmi.scaled_passing_score', real(-1, 1)),
    ...score('cmi'),
    write('cmi.session_time', interval),
    both('cmi.success_status', success, { initial: 'unknown' }),
    both('cmi.suspend_data', characters(edition === 'scorm2004-2nd' ? 4_000 : 64_000)),
    read(
      'cmi.time_limit_action',
      words('exit,message', 'continue,message', 'exit,no message', 'continue,no message'),
      'continue,no message',
    ),
    read('cmi.total_time', interval, 'PT0H0M0S'),
    both('adl.nav.request', navigationRequest(requests, is4th ? ['choice', 'jump'] : ['choice']), {
      initial: '_none_',
    }),
    // RTE 4th §4.3. Earlier editions have no shared data.
    ...(is4th
      ? [
          read('adl.data.n.id', identifier(4_000)),
          both('adl.data.n.store', characters(64_000), { isShared: true }),
        ]
      : []),
  ];
}

function build(edition: Edition): Model {
  return modelOf('1.0', elements(edition), [
    'cmi.comments_from_learner',
    'cmi.comments_from_lms',
    'cmi.interactions',
    'cmi.interactions.n.objectives',
    'cmi.interactions.n.correct_responses',
    'cmi.objectives',
    'adl.data',
  ]);
}

export const models2004 = {
  'scorm2004-2nd': build('scorm2004-2nd'),
  'scorm2004-3rd': build('scorm2004-3rd'),
  'scorm2004-4th': build('scorm2004-4th'),
} as const satisfies Partial<Record<Edition, Model>>;
