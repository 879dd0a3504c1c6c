import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitVerb } from './result.ts';

const words = { invite: 'invite einladen', erase: 'erase löschen' };

test('a verb before or after a name is split off, and a name alone stays whole', () => {
  assert.deepEqual(splitVerb('Invite ann lee', words), ['invite', 'ann lee']);
  assert.deepEqual(splitVerb('ann lee Loschen', words), ['erase', 'ann lee']);
  assert.deepEqual(splitVerb('invite', words), [null, 'invite']);
  assert.deepEqual(splitVerb('ann invited', words), [null, 'ann invited']);
});
