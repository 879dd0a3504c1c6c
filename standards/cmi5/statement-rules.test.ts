import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nothingReported } from './satisfaction.ts';
import {
  type Accepted,
  type AuSession,
  acceptStatement,
  inOrderOfTime,
  isViolation,
  newSession,
  type SessionState,
} from './statement-rules.ts';
import { type AuVerb, auVerbs, categories, extensions, lmsVerbs, voidedVerb } from './vocabulary.ts';

const session: AuSession = {
  sessionId: 's-1',
  registration: '0199c2f0-0000-7000-8000-000000000001',
  activityId: 'https://lms.example.com/activity/1',
  publisherId: 'https://example.com/au',
  account: { homePage: 'https://lms.example.com', name: 'anna' },
  launchMode: 'Normal',
  masteryScore: 0.8,
};
const prepared: SessionState = { ...newSession, prepared: true };
const begun: SessionState = { prepared: true, verbs: ['initialized'] };
const at = '2026-01-31T09:00:00.000Z';

type Json = Record<string, unknown>;
type Statement = Json & {
  actor: Json;
  context: Json & { contextActivities: Json; extensions: Json };
  result: Json;
};

const results: Partial<Record<AuVerb, Json>> = {
  completed: { completion: true, duration: 'PT1S' },
  passed: { success: true, duration: 'PT1S' },
  failed: { success: false, duration: 'PT1S' },
  terminated: { duration: 'PT9S' },
};
const isMoveOn = (verb: AuVerb) => ['completed', 'passed', 'failed'].includes(verb);

function allowed(): Statement {
  return {
    ...{ id: '0199c2f0-0000-7000-8000-0000000000aa', timestamp: at },
    actor: { objectType: 'Agent', account: { ...session.account } },
    verb: { id: 'http://adlnet.gov/expapi/verbs/experienced' },
    object: { id: 'https://example.com/page/1' },
    result: {},
    context: {
      registration: session.registration,
      contextActivities: { grouping: [{ id: session.publisherId }] },
      extensions: { [extensions.sessionId]: session.sessionId },
    },
  };
}

function defined(verb: AuVerb): Statement {
  const statement = allowed();
  const category = [{ id: categories.cmi5 }, ...(isMoveOn(verb) ? [{ id: categories.moveOn }] : [])];
  return {
    ...statement,
    verb: { id: auVerbs[verb] },
    object: { id: session.activityId },
    result: { ...results[verb] },
    context: {
      ...statement.context,
      contextActivities: { ...statement.context.contextActivities, category },
    },
  };
}

function scored(verb: 'passed' | 'failed', score: Json): Statement {
  const statement = defined(verb);
  statement.result.score = score;
  statement.context.extensions[extensions.masteryScore] = 0.8;
  return statement;
}

type Known = { session?: Partial<AuSession>; state?: SessionState; record?: Partial<typeof nothingReported> };

function decide(statement: Json, known: Known = {}) {
  return acceptStatement(
    {
      session: { ...session, ...known.session },
      state: known.state ?? begun,
      record: { ...nothingReported, ...known.record },
    },
    statement,
  );
}

function accepted(statement: Json, known?: Known): Accepted {
  const decision = decide(statement, known);
  assert.ok(!isViolation(decision), JSON.stringify(decision));
  return decision;
}

function altered<S extends Json>(statement: S, change: (statement: S) => void): S {
  change(statement);
  return statement;
}

describe('accepted statements', () => {
  it('a session starts with initialized and ends with terminated', () => {
    let { state, record } = accepted(defined('initialized'), { state: prepared });
    for (const statement of [allowed(), defined('completed'), defined('passed'), defined('terminated')])
      ({ state, record } = accepted(statement, { state, record }));
    assert.deepEqual(state.verbs, ['initialized', 'completed', 'passed', 'terminated']);
    assert.deepEqual([record.completed, record.passed], [at, at]);
  });

  it('statements may report scores', () => {
    assert.equal(accepted(scored('passed', { scaled: 0.8 })).record.score, 0.8);
    assert.equal(accepted(scored('failed', { scaled: 0.2, raw: 2, min: 0, max: 10 })).record.score, 0.2);
    const withoutMastery = scored('passed', { scaled: 0.1 });
    delete withoutMastery.context.extensions[extensions.masteryScore];
    accepted(withoutMastery, { session: { masteryScore: null } });
  });

  it('statements may report progress, even with a verb that cmi5 does not define (9.5.5.1)', () => {
    const statement = altered(allowed(), ({ result }) => {
      result.extensions = { [extensions.progress]: 40 };
    });
    assert.equal(accepted(statement).record.progress, 40);
    for (const wrong of [101, -1, 4.5, '40'])
      assert.equal(
        accepted(
          altered(statement, ({ result }) => {
            result.extensions = { [extensions.progress]: wrong };
          }),
        ).record.progress,
        null,
      );
  });

  it('a cmi5 allowed statement may use any verb (7.1.3)', () => {
    const statement = altered(allowed(), (it) => {
      it.verb = { id: auVerbs.passed };
    });
    assert.deepEqual(accepted(statement).state.verbs, ['initialized']);
    assert.equal(accepted(statement).record.passed, null);
  });

  it('a result may follow "failed" from an earlier session', () => {
    accepted(defined('passed'), { record: { failed: at } });
    accepted(defined('failed'), { record: { failed: at } });
  });

  it('a statement can have a single activity instead of a list, and +00:00 instead of Z', () => {
    const single = altered(defined('initialized'), ({ context }) => {
      context.contextActivities = {
        category: { id: categories.cmi5 },
        grouping: { id: session.publisherId },
      };
    });
    accepted({ ...single, timestamp: '2026-01-31T09:00:00+00:00' }, { state: prepared });
  });
});

const wrong: [section: string, name: string, statement: Json, known?: Known][] = [
  ['6.3', 'voids', { ...allowed(), verb: { id: voidedVerb } }],
  [
    '7.1.3',
    'has the category cmi5 but not a verb for AUs',
    { ...defined('completed'), verb: { id: lmsVerbs.satisfied } },
  ],
  [
    '9.1',
    'has no id',
    altered(allowed(), (it) => {
      delete it.id;
    }),
  ],
  ['9.2', 'has the wrong actor', { ...allowed(), actor: { account: { ...session.account, name: 'ben' } } }],
  [
    '9.2',
    'has a group as its actor',
    { ...defined('passed'), actor: { objectType: 'Group', account: session.account } },
  ],
  [
    '9.2',
    'identifies the actor by email address',
    { ...defined('passed'), actor: { mbox: 'mailto:a@example.com' } },
  ],
  [
    '9.3',
    'repeats a verb in a session',
    defined('completed'),
    { state: { ...begun, verbs: ['initialized', 'completed'] } },
  ],
  [
    '9.3',
    'fails after passing in a session',
    defined('failed'),
    { state: { ...begun, verbs: ['initialized', 'passed'] } },
  ],
  [
    '9.3',
    'passes after failing in a session',
    defined('passed'),
    { state: { ...begun, verbs: ['initialized', 'failed'] } },
  ],
  ['9.3', 'initializes the session a second time', defined('initialized')],
  ['9.3.2', 'comes before initialized', defined('completed'), { state: prepared }],
  ['9.3.2', 'is a cmi5 allowed statement and comes before initialized', allowed(), { state: prepared }],
  ['9.3.3', 'completes a second time in a registration', defined('completed'), { record: { completed: at } }],
  ['9.3.4', 'passes a second time in a registration', defined('passed'), { record: { passed: at } }],
  ['9.3.4', 'passes below the mastery score', scored('passed', { scaled: 0.79 })],
  ['9.3.5', 'fails after passing in a registration', defined('failed'), { record: { passed: at } }],
  ['9.3.5', 'fails although the mastery score is reached', scored('failed', { scaled: 0.8 })],
  ['9.3.8', 'follows terminated', allowed(), { state: { ...begun, verbs: ['initialized', 'terminated'] } }],
  ['9.4', 'is about another activity', { ...defined('passed'), object: { id: 'https://example.com/other' } }],
  [
    '9.5.1',
    'completes with a score',
    altered(defined('completed'), ({ result }) => {
      result.score = { scaled: 1 };
    }),
  ],
  ['9.5.1', 'has a raw score without min', scored('passed', { scaled: 0.9, raw: 9, max: 10 })],
  ['9.5.1', 'has a raw score without max', scored('passed', { scaled: 0.9, raw: 9, min: 0 })],
  ['9.5.1', 'has a score above 1', scored('passed', { scaled: 1.5 })],
  [
    '9.5.2',
    'passes without success',
    altered(defined('passed'), ({ result }) => {
      delete result.success;
    }),
  ],
  [
    '9.5.2',
    'passes with success false',
    altered(defined('passed'), ({ result }) => {
      result.success = false;
    }),
  ],
  [
    '9.5.2',
    'fails with success true',
    altered(defined('failed'), ({ result }) => {
      result.success = true;
    }),
  ],
  [
    '9.5.2',
    'completes with success',
    altered(defined('completed'), ({ result }) => {
      result.success = true;
    }),
  ],
  [
    '9.5.3',
    'completes without completion',
    altered(defined('completed'), ({ result }) => {
      delete result.completion;
    }),
  ],
  [
    '9.5.3',
    'passes with completion',
    altered(defined('passed'), ({ result }) => {
      result.completion = true;
    }),
  ],
  ...(['terminated', 'completed', 'passed', 'failed'] as const).map((verb): [string, string, Json] => [
    '9.5.4.1',
    `has the verb "${verb}" and no duration`,
    altered(defined(verb), ({ result }) => {
      delete result.duration;
    }),
  ]),
  [
    '9.6.1',
    'has no registration',
    altered(defined('passed'), ({ context }) => {
      delete context.registration;
    }),
  ],
  [
    '9.6.1',
    'has the wrong registration',
    altered(allowed(), ({ context }) => {
      context.registration = 'x';
    }),
  ],
  [
    '9.6.2',
    'lacks the grouping of the template',
    altered(defined('passed'), ({ context }) => {
      delete context.contextActivities.grouping;
    }),
  ],
  [
    '9.6.2.2',
    'completes without the category moveon',
    altered(defined('completed'), ({ context }) => {
      context.contextActivities.category = [{ id: categories.cmi5 }];
    }),
  ],
  [
    '9.6.2.2',
    'terminates with the category moveon',
    altered(defined('terminated'), ({ context }) => {
      context.contextActivities.category = [{ id: categories.cmi5 }, { id: categories.moveOn }];
    }),
  ],
  [
    '9.6.2.2',
    'is a cmi5 allowed statement with the category moveon',
    altered(allowed(), ({ context }) => {
      context.contextActivities.category = [{ id: categories.moveOn }];
    }),
  ],
  [
    '9.6.3.1',
    'has the wrong session ID',
    altered(allowed(), ({ context }) => {
      context.extensions = {};
    }),
  ],
  [
    '9.6.3.2',
    'has a score without the mastery score',
    altered(scored('passed', { scaled: 1 }), ({ context }) => {
      delete context.extensions[extensions.masteryScore];
    }),
  ],
  [
    '9.6.3.2',
    'has the wrong mastery score',
    altered(scored('passed', { scaled: 1 }), ({ context }) => {
      context.extensions[extensions.masteryScore] = 0.7;
    }),
  ],
  [
    '9.7',
    'has no timestamp',
    altered(allowed(), (it) => {
      delete it.timestamp;
    }),
  ],
  ['9.7', 'has a timestamp that is not in UTC', { ...allowed(), timestamp: '2026-01-31T09:00:00-06:00' }],
  ...(['Browse', 'Review'] as const).map((launchMode): [string, string, Json, Known] => [
    '10.2.2',
    `completes in the launch mode ${launchMode}`,
    defined('completed'),
    { session: { launchMode } },
  ]),
  ['11', 'comes before the preferences have been read', defined('initialized'), { state: newSession }],
];

describe('rejected statements', () => {
  for (const [section, name, statement, known] of wrong)
    it(`${name} (${section})`, () => {
      const decision = decide(statement, known);
      assert.ok(isViolation(decision), 'it was accepted');
      assert.equal(decision.section, section, decision.message);
    });

  it('anything that is not a statement is rejected', () => {
    for (const sent of [{}, { actor: [], context: 1, verb: null, result: 'x', timestamp: at, id: 'a' }])
      assert.ok(isViolation(decide(sent)));
  });
});

describe('statements in one request', () => {
  it('statements are processed in the order of their timestamps (9.3)', () => {
    const [later, earlier] = ['2026-01-31T09:00:01Z', '2026-01-31T09:00:00Z'].map((timestamp) => ({
      timestamp,
    }));
    assert.deepEqual(
      inOrderOfTime([later, earlier, {}] as Json[])
        .slice(0, 2)
        .map((it) => it.timestamp),
      [earlier?.timestamp, later?.timestamp],
    );
  });
});
