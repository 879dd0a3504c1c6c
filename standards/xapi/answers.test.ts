import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { interactionsOf } from '../interactions.ts';
import { withAnswer } from './answers.ts';

const answered = { id: 'http://adlnet.gov/expapi/verbs/answered' };
const question = (id: string, definition?: object) => ({ id: `https://example.com/${id}`, definition });
const choice = { interactionType: 'choice', correctResponsesPattern: ['b'], name: { en: 'Which?' } };
const first = {
  verb: answered,
  object: question('one', choice),
  result: { response: 'a', success: false, duration: 'PT12.5S' },
  timestamp: '2026-01-31T09:00:00Z',
};
const recorded = (...statements: object[]) =>
  interactionsOf(
    'cmi5',
    statements.reduce<Record<string, string>>((answers, one) => withAnswer(answers, { ...one }), {}),
  );

describe('answers in statements', () => {
  it('become the records that SCORM 2004 has', () => {
    const objective = {
      id: 'https://example.com/objective',
      definition: { type: 'http://adlnet.gov/expapi/activities/objective' },
    };
    const other = { id: 'https://example.com/quiz' };
    assert.deepEqual(recorded({ ...first, context: { contextActivities: { parent: [other, objective] } } }), [
      {
        ...{ Number: 0, InteractionID: 'https://example.com/one', Type: 'choice', Description: 'Which?' },
        ...{ Time: first.timestamp, Response: 'a', CorrectResponses: ['b'], Result: 'incorrect' },
        ...{ Weighting: null, LatencySeconds: 12.5, ObjectiveIDs: [objective.id] },
      },
    ]);
  });

  it('replace the earlier answer to the question, and keep its definition', () => {
    const again = {
      verb: answered,
      object: question('one'),
      result: { response: 'b', success: true },
      timestamp: '2026-01-31T09:05:00Z',
    };
    const [one, two, ...more] = recorded(first, { ...first, object: question('two') }, again);
    assert.deepEqual(
      [one?.Response, one?.Result, one?.Type, one?.CorrectResponses],
      ['b', 'correct', 'choice', ['b']],
    );
    assert.deepEqual([two?.InteractionID, more.length], ['https://example.com/two', 0]);
    const [late] = recorded(again, first);
    assert.equal(late?.Response, 'b', 'an earlier answer that arrives later changes nothing');
  });

  it('are recognised by the verb, or by the definition and the response', () => {
    const verbs = ['https://w3id.org/xapi/verbs/answered/', 'http://adlnet.gov/expapi/verbs/responded'];
    for (const id of verbs)
      assert.equal(recorded({ ...first, verb: { id }, object: question('x') }).length, 1);
    const interacted = { id: 'http://adlnet.gov/expapi/verbs/interacted' };
    assert.equal(recorded({ ...first, verb: interacted }).length, 1);
    for (const no of [
      { verb: interacted, result: {} },
      { verb: interacted, object: question('one', { interactionType: 'riddle' }) },
      { verb: { id: 'https://example.com/unanswered' }, object: question('one') },
      { object: { ...first.object, objectType: 'SubStatement' } },
      { object: null },
    ])
      assert.deepEqual(recorded({ ...first, ...no }), []);
  });

  it('are limited, so that a unit cannot fill the database', () => {
    const long = recorded({ ...first, result: { response: `\0\uD800${'a'.repeat(5_000)}` } });
    assert.equal(long[0]?.Response?.length, 4_000);
    assert.ok(long[0]?.Response?.startsWith('\uFFFD\uFFFDa'));
    const answers = Array.from({ length: 100 }, (_, n) => ({
      ...first,
      object: question(String(n)),
      result: { response: 'a'.repeat(4_000) },
    }));
    const kept = recorded(...answers).length;
    assert.ok(kept > 50 && kept < 100, String(kept));
  });
});
