import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, refused } from './api.ts';
import { errors2004 } from './errors.ts';
import { session } from './test-support.ts';

type Step = [fn: string, args: string[], returned: string, error: number];

/** Calls in order, each with its result and the last error after it. */
const dialogues: [section: string, steps: Step[]][] = [
  [
    'RTE 4th §3.1.3.1 Initialize is called once, with an empty parameter',
    [
      ['Initialize', ['illegal'], 'false', 201],
      ['Initialize', [''], 'true', 0],
      ['Initialize', [''], 'false', 103],
      ['Terminate', [''], 'true', 0],
      ['Initialize', [''], 'false', 104],
    ],
  ],
  [
    'RTE 4th §3.1.3.2 Terminate is called once, after Initialize',
    [
      ['Terminate', [''], 'false', 112],
      ['Initialize', [''], 'true', 0],
      ['Terminate', ['illegal'], 'false', 201],
      ['Terminate', [''], 'true', 0],
      ['Terminate', [''], 'false', 113],
    ],
  ],
  [
    'RTE 4th §3.1.4 GetValue, SetValue, Commit before Initialize and after Terminate',
    [
      ['GetValue', ['cmi.location'], '', 122],
      ['SetValue', ['cmi.location', 'x'], 'false', 132],
      ['Commit', [''], 'false', 142],
      ['Initialize', [''], 'true', 0],
      ['Commit', ['illegal'], 'false', 201],
      ['Commit', [''], 'true', 0],
      ['Terminate', [''], 'true', 0],
      ['GetValue', ['cmi.location'], '', 123],
      ['SetValue', ['cmi.location', 'x'], 'false', 133],
      ['Commit', [''], 'false', 143],
    ],
  ],
  [
    'RTE 4th §3.1.5 error functions do not change the last error',
    [
      ['Initialize', [''], 'true', 0],
      ['GetValue', [''], '', 301],
      ['GetLastError', [''], '301', 301],
      ['GetErrorString', ['403'], errors2004[403], 301],
      ['GetErrorString', ['001'], '', 301],
      ['GetErrorString', ['__proto__'], '', 301],
      ['GetErrorString', [''], '', 301],
      ['GetDiagnostic', ['406'], errors2004[406], 301],
      ['GetDiagnostic', ['001'], '', 301],
      ['GetDiagnostic', [''], 'The name of an element is missing', 301],
      ['SetValue', ['', 'x'], 'false', 351],
      ['GetLastError', [''], '351', 351],
    ],
  ],
  [
    'RTE 4th §3.1.7.6 undefined, keyword, read-only, write-only and uninitialised elements',
    [
      ['Initialize', [''], 'true', 0],
      ['GetValue', ['cmi'], '', 401],
      ['SetValue', ['cmi.bogus', 'x'], 'false', 401],
      ['GetValue', ['cmi.objectives'], '', 401],
      ['GetValue', ['cmi.objectives.n.id'], '', 401],
      ['GetValue', ['cmi._version'], '1.0', 0],
      ['GetValue', ['cmi.location._version'], '', 301],
      ['SetValue', ['cmi._version', '2'], 'false', 404],
      ['GetValue', ['cmi.objectives._count'], '0', 0],
      ['SetValue', ['cmi.objectives._count', '1'], 'false', 404],
      ['GetValue', ['cmi.score._children'], 'scaled,raw,min,max', 0],
      ['SetValue', ['cmi.score._children', 'raw'], 'false', 404],
      ['GetValue', ['cmi.location._children'], '', 301],
      ['GetValue', ['cmi.score._count'], '', 301],
      ['SetValue', ['cmi.mode', 'review'], 'false', 404],
      ['GetValue', ['cmi.exit'], '', 405],
      ['GetValue', ['cmi.session_time'], '', 405],
      ['GetValue', ['cmi.location'], '', 403],
      ['GetValue', ['constructor'], '', 401],
    ],
  ],
  [
    'RTE 4th §4.2.17 an objective identifier is unique, set only once, in order and before other elements',
    [
      ['Initialize', [''], 'true', 0],
      ['GetValue', ['cmi.objectives.0.id'], '', 301],
      ['SetValue', ['cmi.objectives.0.success_status', 'passed'], 'false', 408],
      ['SetValue', ['cmi.objectives.0.id', ''], 'false', 406],
      ['SetValue', ['cmi.objectives.0.id', 'urn:'], 'false', 406],
      ['SetValue', ['cmi.objectives.1.id', 'one'], 'false', 351],
      ['SetValue', ['cmi.objectives.0.id', 'one'], 'true', 0],
      ['SetValue', ['cmi.objectives.0.id', 'one'], 'true', 0],
      ['SetValue', ['cmi.objectives.0.id', 'two'], 'false', 351],
      ['SetValue', ['cmi.objectives.1.id', 'one'], 'false', 351],
      ['GetValue', ['cmi.objectives._count'], '1', 0],
      ['GetValue', ['cmi.objectives.0.completion_status'], 'unknown', 0],
      ['GetValue', ['cmi.objectives.0.progress_measure'], '', 403],
      ['SetValue', ['cmi.objectives.0.score.scaled', '-1.5'], 'false', 407],
      ['SetValue', ['cmi.objectives.0.score.scaled', 'high'], 'false', 406],
      ['SetValue', ['cmi.objectives.00.score.scaled', '0.5'], 'true', 0],
      ['GetValue', ['cmi.objectives.0.score.scaled'], '0.5', 0],
    ],
  ],
  [
    'RTE 4th §4.2.9 interactions need an identifier, then a type, then responses',
    [
      ['Initialize', [''], 'true', 0],
      ['SetValue', ['cmi.interactions.0.type', 'choice'], 'false', 408],
      ['SetValue', ['cmi.interactions.1.type', 'choice'], 'false', 351],
      ['SetValue', ['cmi.interactions.0.objectives.0.id', 'one'], 'false', 408],
      ['SetValue', ['cmi.interactions.0.id', 'first'], 'true', 0],
      ['SetValue', ['cmi.interactions.0.learner_response', 'a'], 'false', 408],
      ['SetValue', ['cmi.interactions.0.correct_responses.0.pattern', 'a'], 'false', 408],
      ['SetValue', ['cmi.interactions.0.type', 'essay'], 'false', 406],
      ['SetValue', ['cmi.interactions.0.type', 'choice'], 'true', 0],
      ['SetValue', ['cmi.interactions.0.learner_response', 'a[,]b'], 'true', 0],
      ['SetValue', ['cmi.interactions.0.correct_responses.0.pattern', 'a[,]b'], 'true', 0],
      ['SetValue', ['cmi.interactions.0.correct_responses.1.pattern', 'a[,]b'], 'false', 351],
      ['SetValue', ['cmi.interactions.0.correct_responses.1.pattern', 'c'], 'true', 0],
      ['SetValue', ['cmi.interactions.0.objectives.0.id', 'one'], 'true', 0],
      ['SetValue', ['cmi.interactions.0.objectives.1.id', 'one'], 'false', 351],
      ['SetValue', ['cmi.interactions.0.objectives.0.id', 'two'], 'true', 0],
      ['SetValue', ['cmi.interactions.0.objectives.1.id', 'one'], 'true', 0],
      ['GetValue', ['cmi.interactions.0.objectives._count'], '2', 0],
      ['SetValue', ['cmi.interactions.0.id', 'renamed'], 'true', 0],
      ['GetValue', ['cmi.interactions.1.objectives._count'], '', 301],
    ],
  ],
  [
    'RTE 4th §4.2.9.1 some types have only one correct response',
    [
      ['Initialize', [''], 'true', 0],
      ['SetValue', ['cmi.interactions.0.id', 'first'], 'true', 0],
      ['SetValue', ['cmi.interactions.0.type', 'true-false'], 'true', 0],
      ['SetValue', ['cmi.interactions.0.correct_responses.0.pattern', 'maybe'], 'false', 406],
      ['SetValue', ['cmi.interactions.0.correct_responses.0.pattern', 'true'], 'true', 0],
      ['SetValue', ['cmi.interactions.0.correct_responses.1.pattern', 'false'], 'false', 351],
      ['SetValue', ['cmi.interactions.0.correct_responses.0.pattern', 'false'], 'true', 0],
    ],
  ],
  [
    'SN 4th §5.6.4 navigation requests',
    [
      ['Initialize', [''], 'true', 0],
      ['GetValue', ['adl.nav.request'], '_none_', 0],
      ['SetValue', ['adl.nav.request', 'continue'], 'true', 0],
      ['SetValue', ['adl.nav.request', '{target=one}choice'], 'true', 0],
      ['SetValue', ['adl.nav.request', '{target=one}jump'], 'true', 0],
      ['SetValue', ['adl.nav.request', 'choice'], 'false', 406],
      ['SetValue', ['adl.nav.request', '{target=}choice'], 'false', 406],
      ['GetValue', ['adl.nav.request'], '{target=one}jump', 0],
      ['SetValue', ['adl.nav.request_valid.continue', 'true'], 'false', 404],
      ['GetValue', ['adl.nav.request_valid.choice'], '', 401],
      ['GetValue', ['adl.nav.request_valid.sideways'], '', 401],
      ['GetValue', ['adl.nav.request_valid.continue'], 'unknown', 0],
    ],
  ],
];

describe('SCORM 2004 API', () => {
  for (const [section, steps] of dialogues)
    it(section, () => {
      const one = session({}, false);
      for (const [fn, args, returned, error] of steps)
        assert.deepEqual(one.call(fn, ...args), [returned, error], `${fn}(${args.join(', ')})`);
    });

  it('asks the caller whether a navigation request would succeed (SN 4th §5.6.5)', () => {
    const { state } = session();
    const asked: unknown[] = [];
    const mayNavigate = (...request: unknown[]) => {
      asked.push(request);
      return 'true' as const;
    };
    for (const name of ['continue', 'choice.{target=a.b}', 'jump.{target=c}'])
      assert.equal(
        call(state, { fn: 'GetValue', args: [`adl.nav.request_valid.${name}`] }, { now: 0, mayNavigate })
          .returned,
        'true',
      );
    assert.deepEqual(asked, [
      ['continue', null],
      ['choice', 'a.b'],
      ['jump', 'c'],
    ]);
  });

  it('supports jump and shared data only in the 4th edition', () => {
    for (const edition of ['scorm2004-2nd', 'scorm2004-3rd'] as const) {
      const one = session({ edition, buckets: [{ id: 'a', store: 'x', read: true, write: true }] });
      assert.deepEqual(one.get('adl.data._count'), ['', 401]);
      assert.deepEqual(one.set('adl.nav.request', '{target=one}jump'), ['false', 406]);
      assert.deepEqual(one.get('adl.nav.request_valid.jump.{target=one}'), ['', 401]);
    }
  });

  it('reports the effect of each successful call, and none for a failed call', () => {
    const one = session({}, false);
    const effects = [
      ['Commit', ''],
      ['Initialize', ''],
      ['SetValue', 'cmi.location', 'x'],
      ['SetValue', 'cmi.bogus', 'x'],
      ['GetValue', 'cmi.location'],
      ['Commit', ''],
      ['Terminate', ''],
      ['Terminate', ''],
    ].map(([fn = '', ...args]) => {
      one.call(fn, ...args);
      return one.last.effect ?? null;
    });
    assert.deepEqual(effects, [null, 'initialised', 'changed', null, null, 'commit', 'terminated', null]);
  });

  it('returns error 391 or 111 if the data cannot be saved (RTE 4th §3.1.7.4), and keeps running', () => {
    const { state } = session();
    for (const [during, error] of [
      ['commit', 391],
      ['termination', 111],
    ] as const) {
      const answer = refused(state, during);
      assert.deepEqual([answer.returned, answer.error, answer.state.phase], ['false', error, 'running']);
    }
  });
});

describe('Status (RTE 4th §4.2.4.1 and §4.2.22.1)', () => {
  const data = { 'cmi.completion_threshold': '0.6', 'cmi.scaled_passing_score': '0.6' };
  it('depends only on the measures if there are a threshold and a passing score', () => {
    const one = session({ data });
    one.set('cmi.completion_status', 'completed');
    one.set('cmi.success_status', 'passed');
    assert.deepEqual(one.get('cmi.completion_status'), ['unknown', 0]);
    assert.deepEqual(one.get('cmi.success_status'), ['unknown', 0]);
    one.set('cmi.progress_measure', '0.6');
    one.set('cmi.score.scaled', '0.59');
    assert.deepEqual(one.get('cmi.completion_status'), ['completed', 0]);
    assert.deepEqual(one.get('cmi.success_status'), ['failed', 0]);
  });

  it('is set by the content if there is no threshold or passing score', () => {
    const one = session();
    one.set('cmi.progress_measure', '0');
    one.set('cmi.completion_status', 'completed');
    assert.deepEqual(one.get('cmi.completion_status'), ['completed', 0]);
    assert.deepEqual(one.get('cmi.success_status'), ['unknown', 0]);
  });
});

describe('Shared data (RTE 4th §4.3)', () => {
  const buckets = [
    { id: 'both', store: 'kept', read: true, write: true },
    { id: 'read', store: null, read: true, write: false },
    { id: 'write', store: 'hidden', read: false, write: true },
  ];
  it('buckets can be read and written as the manifest permits', () => {
    const one = session({ buckets });
    assert.deepEqual(one.get('adl.data._children'), ['id,store', 0]);
    assert.deepEqual(one.get('adl.data._count'), ['3', 0]);
    assert.deepEqual(one.get('adl.data.0.store'), ['kept', 0]);
    assert.deepEqual(one.get('adl.data.1.store'), ['', 403]);
    assert.deepEqual(one.get('adl.data.2.store'), ['', 405]);
    assert.deepEqual(one.set('adl.data.0.id', 'x'), ['false', 404]);
    assert.deepEqual(one.set('adl.data.1.store', 'x'), ['false', 404]);
    assert.deepEqual(one.set('adl.data.2.store', 'x'), ['true', 0]);
    assert.deepEqual(one.set('adl.data.3.store', 'x'), ['false', 351]);
    assert.deepEqual(one.get('adl.data.3.store'), ['', 301]);
    assert.deepEqual(one.set('adl.data.0.store', ''), ['true', 0]);
    assert.deepEqual(one.get('adl.data.0.store'), ['', 403]);
  });
});
