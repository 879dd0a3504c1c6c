import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeLimitOf } from './time-limit.ts';

const data12 = (action: string, more: Record<string, string> = {}) => ({
  'cmi.student_data.max_time_allowed': '00:10:00',
  'cmi.student_data.time_limit_action': action,
  ...more,
});

test('earlier sessions reduce the remaining time', () => {
  const used = { 'cmi.core.total_time': '0000:04:00.00' };
  assert.deepEqual(timeLimitOf(data12('exit,message', used)), {
    seconds: 360,
    exits: true,
    showsMessage: true,
  });
  const over = { 'cmi.core.total_time': '0000:14:00.00' };
  assert.equal(timeLimitOf(data12('exit,message', over))?.seconds, 0);
});

test('SCORM 2004 uses other element names and duration formats', () => {
  const data = {
    'cmi.max_time_allowed': 'PT1H',
    'cmi.time_limit_action': 'exit,no message',
    'cmi.total_time': 'PT20M',
  };
  assert.deepEqual(timeLimitOf(data), { seconds: 2_400, exits: true, showsMessage: false });
});

test('a time limit applies only if its action exits the unit or shows a message', () => {
  assert.deepEqual(timeLimitOf(data12('continue,message')), {
    seconds: 600,
    exits: false,
    showsMessage: true,
  });
  for (const action of ['continue,no message', '']) assert.equal(timeLimitOf(data12(action)), null);
  assert.equal(timeLimitOf({ 'cmi.time_limit_action': 'exit,message' }), null);
});

test('a review is not limited', () => {
  assert.equal(timeLimitOf(data12('exit,message', { 'cmi.core.lesson_mode': 'review' })), null);
});
