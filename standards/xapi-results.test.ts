import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cpuMilliseconds } from '../scorm/test-support/cpu-time.ts';
import { type AuRecord, nothingReported } from './cmi5/satisfaction.ts';
import { isActorOf, recordAfter } from './xapi-results.ts';

const timestamp = '2026-01-31T09:00:00Z';
const object = { id: 'urn:course' };
const verb = (name: string) => ({ id: `http://adlnet.gov/expapi/verbs/${name}` });

const after = (statement: object, record: AuRecord = nothingReported) =>
  recordAfter(record, { timestamp, object, ...statement }, 'urn:course');

describe('statements of an xAPI package', () => {
  it('count because of their verb or their result', () => {
    assert.equal(after({ verb: verb('completed') }).completed, timestamp);
    assert.equal(after({ verb: verb('passed') }).passed, timestamp);
    assert.equal(after({ verb: { id: 'https://w3id.org/xapi/adl/verbs/mastered' } }).passed, timestamp);
    assert.equal(after({ verb: verb('failed') }).failed, timestamp);
    const scored = after({
      verb: verb('scored'),
      result: { success: true, completion: true, score: { scaled: 0.5 } },
    });
    assert.deepEqual([scored.passed, scored.completed, scored.score], [timestamp, timestamp, 0.5]);
  });

  it('can have scores in any range', () => {
    const scoreOf = (score: object) => after({ verb: verb('passed'), result: { score } }).score;
    assert.deepEqual(
      [
        { raw: 80 },
        { raw: 15, min: 10, max: 20 },
        { scaled: 0.3, raw: 80 },
        { raw: 1, min: 1, max: 1 },
        {},
      ].map(scoreOf),
      [0.8, 0.5, 0.3, null, null],
    );
  });

  it('count only if they are about the launched activity', () => {
    for (const other of [{ id: 'urn:question' }, { id: 'urn:course', objectType: 'StatementRef' }])
      assert.equal(after({ verb: verb('completed'), object: other }), nothingReported);
    assert.equal(after({ verb: verb('experienced') }), nothingReported);
  });

  it('can have verbs of any length', () => {
    const started = cpuMilliseconds();
    assert.equal(after({ verb: { id: `a:${'a'.repeat(1_000_000)}1` } }), nothingReported);
    assert.ok(cpuMilliseconds() - started < 1_000);
  });

  it('change nothing when repeated, so the first timestamp is kept', () => {
    const record = { ...nothingReported, completed: 'earlier' };
    assert.equal(after({ verb: verb('completed') }, record), record);
  });

  it('count only if the learner is the actor', () => {
    const account = { homePage: 'https://lms.example.com', name: 'anna' };
    assert.ok(isActorOf({ actor: { account } }, account));
    for (const actor of [
      { account: { ...account, name: 'ben' } },
      { objectType: 'Group', account },
      { mbox: 'x' },
      null,
    ])
      assert.ok(!isActorOf({ actor }, account));
  });
});
