import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { snapshot } from './session.ts';
import { session } from './test-support.ts';

type Step = [fn: string, args: string[], returned: string, error: number];
const edition = 'scorm12';

const dialogues: [section: string, steps: Step[]][] = [
  [
    'RTE 1.2 §3.3.1 start and end of a session',
    [
      ['LMSGetValue', ['cmi.core.student_id'], '', 301],
      ['LMSSetValue', ['cmi.core.lesson_location', 'x'], 'false', 301],
      ['LMSCommit', [''], 'false', 301],
      ['LMSFinish', [''], 'false', 301],
      ['LMSInitialize', ['illegal'], 'false', 201],
      ['LMSInitialize', [''], 'true', 0],
      ['LMSInitialize', [''], 'false', 101],
      ['LMSCommit', ['illegal'], 'false', 201],
      ['LMSCommit', [''], 'true', 0],
      ['LMSFinish', ['illegal'], 'false', 201],
      ['LMSFinish', [''], 'true', 0],
      ['LMSFinish', [''], 'false', 301],
    ],
  ],
  [
    'RTE 1.2 §3.3.5 errors',
    [
      ['LMSInitialize', [''], 'true', 0],
      ['LMSGetValue', [''], '', 201],
      ['LMSGetValue', ['cmi.bogus'], '', 401],
      ['LMSGetLastError', [''], '401', 401],
      ['LMSGetErrorString', ['202'], 'Element cannot have children', 401],
      ['LMSGetErrorString', ['999'], '', 401],
      ['LMSGetDiagnostic', [''], 'cmi.bogus is not an element of the data model', 401],
      ['LMSGetValue', ['cmi.core.lesson_status._children'], '', 202],
      ['LMSGetValue', ['cmi.core._count'], '', 203],
      ['LMSSetValue', ['cmi.core._children', 'x'], 'false', 402],
      ['LMSSetValue', ['cmi.core.student_name', 'x'], 'false', 403],
      ['LMSGetValue', ['cmi.core.exit'], '', 404],
      ['LMSGetValue', ['cmi.interactions.0.id'], '', 404],
      ['LMSSetValue', ['cmi.core.score.raw', 'high'], 'false', 405],
      ['LMSSetValue', ['cmi.core.score.raw', '101'], 'false', 405],
    ],
  ],
  [
    'RTE 1.2 §3.4.4 initial values',
    [
      ['LMSInitialize', [''], 'true', 0],
      ['LMSGetValue', ['cmi._version'], '3.4', 0],
      ['LMSGetValue', ['cmi.core.lesson_status'], 'not attempted', 0],
      ['LMSGetValue', ['cmi.core.credit'], 'credit', 0],
      ['LMSGetValue', ['cmi.core.lesson_mode'], 'normal', 0],
      ['LMSGetValue', ['cmi.core.entry'], 'ab-initio', 0],
      ['LMSGetValue', ['cmi.core.total_time'], '0000:00:00.00', 0],
      ['LMSGetValue', ['cmi.suspend_data'], '', 0],
      ['LMSGetValue', ['cmi.core.score.raw'], '', 0],
      ['LMSGetValue', ['cmi.core.score._children'], 'raw,min,max', 0],
      ['LMSGetValue', ['cmi.student_data._children'], 'mastery_score,max_time_allowed,time_limit_action', 0],
      ['LMSGetValue', ['cmi.student_preference.audio'], '0', 0],
      ['LMSGetValue', ['cmi.interactions._count'], '0', 0],
    ],
  ],
  [
    'RTE 1.2 §3.4.4 lists grow by one member at a time',
    [
      ['LMSInitialize', [''], 'true', 0],
      ['LMSSetValue', ['cmi.objectives.1.id', 'one'], 'false', 201],
      ['LMSSetValue', ['cmi.objectives.0.id', 'one'], 'true', 0],
      ['LMSSetValue', ['cmi.objectives.0.status', 'p'], 'true', 0],
      ['LMSGetValue', ['cmi.objectives.0.status'], 'passed', 0],
      ['LMSGetValue', ['cmi.objectives.1.status'], '', 201],
      ['LMSSetValue', ['cmi.interactions.0.id', 'first'], 'true', 0],
      ['LMSSetValue', ['cmi.interactions.0.type', 'choice'], 'true', 0],
      ['LMSSetValue', ['cmi.interactions.0.student_response', 'a{b},c'], 'true', 0],
      ['LMSSetValue', ['cmi.interactions.0.correct_responses.0.pattern', 'a'], 'true', 0],
      ['LMSSetValue', ['cmi.interactions.0.result', 'correct'], 'true', 0],
      ['LMSSetValue', ['cmi.interactions.0.result', '0.5'], 'true', 0],
      ['LMSSetValue', ['cmi.interactions.0.latency', '00:00:12.5'], 'true', 0],
      ['LMSSetValue', ['cmi.interactions.0.time', '25:00:00'], 'false', 405],
      ['LMSGetValue', ['cmi.interactions._count'], '1', 0],
    ],
  ],
];

describe('SCORM 1.2 API', () => {
  for (const [section, steps] of dialogues)
    it(section, () => {
      const one = session({ edition }, false);
      for (const [fn, args, returned, error] of steps)
        assert.deepEqual(one.call(fn, ...args), [returned, error], `${fn}(${args.join(', ')})`);
    });

  it('accepts common deviations from the standard and notes them', () => {
    const one = session({ edition });
    for (const [name, value, kept] of [
      ['cmi.core.lesson_status', 'Completed', 'completed'],
      ['cmi.core.lesson_status', 'P', 'passed'],
      ['cmi.suspend_data', 'x'.repeat(20_000), 'x'.repeat(20_000)],
      ['cmi.objectives.0.id', 'What is a fire?', 'What is a fire?'],
    ] as const) {
      assert.deepEqual(one.set(name, value), ['true', 0]);
      assert.ok(one.last.note, name);
      assert.deepEqual(one.get(name), [kept, 0]);
    }
    assert.deepEqual(one.set('cmi.core.lesson_status', 'not attempted'), ['false', 405]);
  });

  it('can be initialised again after LMSFinish, as multi-page content expects, and adds up the times', () => {
    const one = session({ edition });
    one.set('cmi.core.session_time', '00:01:00');
    one.call('LMSFinish', '');
    assert.deepEqual(one.call('LMSInitialize', ''), ['true', 0]);
    one.set('cmi.core.session_time', '00:00:30');
    const data = snapshot(one.state, 0);
    assert.equal(data['cmi.core.total_time'], '0000:01:00.00');
    assert.equal(data['cmi.core.session_time'], '00:00:30');
  });
});

describe('lesson_status at the end of a session (RTE 1.2 §3.4.4)', () => {
  const rows: [given: Record<string, string>, set: Record<string, string>, status: string | undefined][] = [
    [{}, {}, 'incomplete'],
    [{ 'cmi.core.lesson_mode': 'browse' }, {}, 'browsed'],
    [{ 'cmi.core.lesson_mode': 'review' }, {}, undefined],
    [{}, { 'cmi.core.lesson_status': 'completed' }, 'completed'],
    [
      { 'cmi.student_data.mastery_score': '80' },
      { 'cmi.core.lesson_status': 'completed', 'cmi.core.score.raw': '80' },
      'passed',
    ],
    [
      { 'cmi.student_data.mastery_score': '80' },
      { 'cmi.core.lesson_status': 'passed', 'cmi.core.score.raw': '79.9' },
      'failed',
    ],
    [{ 'cmi.student_data.mastery_score': '80' }, { 'cmi.core.lesson_status': 'completed' }, 'completed'],
    [
      { 'cmi.student_data.mastery_score': '80' },
      { 'cmi.core.lesson_status': 'incomplete', 'cmi.core.score.raw': '0' },
      'incomplete',
    ],
    [
      { 'cmi.student_data.mastery_score': '80', 'cmi.core.credit': 'no-credit' },
      { 'cmi.core.lesson_status': 'completed', 'cmi.core.score.raw': '10' },
      'completed',
    ],
  ];
  for (const [data, set, status] of rows)
    it(`${JSON.stringify(data)} and ${JSON.stringify(set)}: ${status ?? 'unchanged'}`, () => {
      const one = session({ edition, data });
      for (const [name, value] of Object.entries(set)) assert.deepEqual(one.set(name, value), ['true', 0]);
      one.call('LMSFinish', '');
      assert.equal(snapshot(one.state, 0)['cmi.core.lesson_status'], status);
    });

  it('lesson_status becomes completed if the caller wants strict conformance', () => {
    const one = session({ edition, unsetStatus: 'completed' });
    one.call('LMSFinish', '');
    assert.equal(snapshot(one.state, 0)['cmi.core.lesson_status'], 'completed');
  });
});
