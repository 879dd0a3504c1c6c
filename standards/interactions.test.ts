import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interactionsOf, objectivesOf } from './interactions.ts';

const nothing = { Type: null, Description: null, Time: null, Response: null, Result: null };

test('interactions of SCORM 2004 are read in the order of their numbers', () => {
  const data = {
    'cmi.interactions.10.id': 'last',
    'cmi.interactions.0.id': 'first',
    'cmi.interactions.0.type': 'choice',
    'cmi.interactions.0.description': 'Which one?',
    'cmi.interactions.0.timestamp': '2026-01-31T09:00:00Z',
    'cmi.interactions.0.learner_response': 'a',
    'cmi.interactions.0.correct_responses.1.pattern': 'c',
    'cmi.interactions.0.correct_responses.0.pattern': 'b',
    'cmi.interactions.0.objectives.0.id': 'exits',
    'cmi.interactions.0.result': 'incorrect',
    'cmi.interactions.0.weighting': '2',
    'cmi.interactions.0.latency': 'PT1M2.5S',
    'cmi.interactions._count': '2',
    'cmi.location': '3',
  };
  assert.deepEqual(interactionsOf('scorm2004-4th', data), [
    {
      ...{
        Number: 0,
        InteractionID: 'first',
        Type: 'choice',
        Description: 'Which one?',
        Time: '2026-01-31T09:00:00Z',
      },
      ...{
        Response: 'a',
        CorrectResponses: ['b', 'c'],
        Result: 'incorrect',
        Weighting: 2,
        LatencySeconds: 62.5,
      },
      ObjectiveIDs: ['exits'],
    },
    {
      ...{ ...nothing, Number: 10, InteractionID: 'last', CorrectResponses: [], Weighting: null },
      ...{ LatencySeconds: null, ObjectiveIDs: [] },
    },
  ]);
});

test('interactions of SCORM 1.2 have the same form', () => {
  const data = {
    'cmi.interactions.0.id': 'q',
    'cmi.interactions.0.time': '09:00:00',
    'cmi.interactions.0.student_response': 't',
    'cmi.interactions.0.result': 'wrong',
    'cmi.interactions.0.latency': '00:00:12.5',
  };
  const [found] = interactionsOf('scorm12', data);
  assert.deepEqual(
    [found?.Time, found?.Response, found?.Result, found?.LatencySeconds],
    ['09:00:00', 't', 'incorrect', 12.5],
  );
});

test('objectives have a result in both standards', () => {
  const of2004 = {
    'cmi.objectives.0.id': 'one',
    'cmi.objectives.0.description': 'First',
    'cmi.objectives.0.success_status': 'passed',
    'cmi.objectives.0.completion_status': 'incomplete',
    'cmi.objectives.0.score.scaled': '0.855',
  };
  assert.deepEqual(objectivesOf('scorm2004-4th', of2004), [
    { ObjectiveID: 'one', Description: 'First', Completion: 'incomplete', Success: 'passed', Score: 85.5 },
  ]);
  const of12 = {
    'cmi.objectives.0.id': 'one',
    'cmi.objectives.0.status': 'failed',
    'cmi.objectives.0.score.raw': '40',
  };
  assert.deepEqual(objectivesOf('scorm12', of12), [
    { ObjectiveID: 'one', Description: null, Completion: 'incomplete', Success: 'failed', Score: 40 },
  ]);
  const range = { 'cmi.objectives.0.score.min': '20', 'cmi.objectives.0.score.max': '60' };
  assert.equal(objectivesOf('aicc', { ...of12, ...range })[0]?.Score, 50);
});
