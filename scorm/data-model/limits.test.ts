import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytesOfElement, storageLimits } from '../../standards/storage-limits.ts';
import { snapshot } from './session.ts';
import { session } from './test-support.ts';

const { valueCharacters, unitBytes, unitElements } = storageLimits;
const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

describe('limits for the data of a unit', () => {
  it('a text that is too long is refused, and the one before it is kept', () => {
    const old = session({ edition: 'scorm12' });
    old.set('cmi.suspend_data', 'page 1');
    assert.deepEqual(old.set('cmi.suspend_data', 'x'.repeat(valueCharacters + 1)), ['false', 405]);
    assert.deepEqual(old.get('cmi.suspend_data'), ['page 1', 0]);
    assert.deepEqual(old.set('cmi.core.lesson_status', 'passed'), ['true', 0]);
    const one = session();
    for (const name of ['cmi.suspend_data', 'cmi.location'])
      assert.deepEqual(one.set(name, 'x'.repeat(valueCharacters + 1)), ['false', 351]);
    assert.deepEqual(one.set('cmi.suspend_data', 'x'.repeat(valueCharacters)), ['true', 0]);
  });

  it('answers and objectives are refused once the unit is full, and results still count', () => {
    for (const [edition, status, code] of [
      ['scorm12', 'cmi.core.lesson_status', 101],
      ['scorm2004-4th', 'cmi.success_status', 351],
    ] as const)
      for (const list of ['interactions', 'objectives']) {
        const one = session({ edition });
        const answers = Array.from({ length: unitElements + 1 }, (_, n) =>
          one.set(`cmi.${list}.${n}.id`, `q${n}`).join(),
        );
        const accepted = answers.indexOf(`false,${code}`);
        assert.ok(accepted > unitElements - 200 && accepted < unitElements, `${accepted} accepted`);
        assert.deepEqual(
          new Set(answers.slice(accepted + 1)),
          new Set([`false,${code === 101 ? 201 : 351}`]),
        );
        assert.deepEqual(
          one.state.refused.map(({ element, problem }) => [element, problem]),
          [[`cmi.${list}.${accepted}.id`, 'no space']],
        );
        assert.deepEqual(one.set(status, 'passed'), ['true', 0]);
        const data = snapshot(one.state, 0);
        assert.equal(data[status], 'passed');
        assert.ok(Object.keys(data).length <= unitElements);
      }
  });

  it('the limit in bytes counts the JSON that is stored, and a shorter text makes room', () => {
    const one = session();
    for (let n = 0; n < 4; n++) {
      one.set(`cmi.interactions.${n}.id`, `q${n}`);
      one.set(`cmi.interactions.${n}.type`, 'other');
      assert.equal(one.set(`cmi.interactions.${n}.learner_response`, 'é'.repeat(100_000))[0], 'true');
    }
    assert.deepEqual(one.set('cmi.suspend_data', '\ud800'.repeat(100_000)), ['false', 351]);
    assert.deepEqual(one.set('cmi.suspend_data', '\0'.repeat(30_000)), ['true', 0]);
    assert.deepEqual(one.set('cmi.location', 'x'.repeat(100_000)), ['false', 351]);
    assert.deepEqual(one.set('cmi.location', 'x'.repeat(1_000)), ['true', 0]);
    const { 'cmi.session_time': _, ...stored } = snapshot(one.state, 0);
    assert.equal(one.state.used.bytes, jsonBytes(stored) + 1);
    assert.equal(one.state.used.elements, Object.keys(stored).length);
    assert.ok(one.state.used.bytes <= unitBytes);
    assert.deepEqual(one.set('cmi.interactions.0.learner_response', ''), ['true', 0]);
    assert.deepEqual(one.set('cmi.location', 'x'.repeat(100_000)), ['true', 0]);
  });

  it('the next session starts with the size of the stored data', () => {
    const one = session();
    one.set('cmi.suspend_data', '漢\ud800"\\\n\0é😀');
    const { used } = session({ data: snapshot(one.state, 0) }).state;
    const { 'cmi.exit': _, ...stored } = snapshot(session({ data: snapshot(one.state, 0) }).state, 0);
    assert.equal(used.elements, Object.keys(stored).length);
    assert.equal(bytesOfElement('a', '漢\ud800"\\\n\0é😀'), jsonBytes({ a: '漢\ud800"\\\n\0é😀' }) - 1);
  });
});

describe('refused values', () => {
  it('are kept, but only the first member of each list, until the element is set', () => {
    const one = session({ edition: 'scorm12' });
    one.set('cmi.core.score.raw', '250');
    one.set('cmi.core.score.max', '500');
    one.set('cmi.core.lesson_status', 'excellent');
    one.set('cmi.core.lesson_status', 'passed');
    for (const name of ['cmi.core.student_id', 'cmi.core.unknown', 'cmi.core._children']) one.set(name, 'x');
    for (let n = 0; n < 20; n++) one.set(`cmi.interactions.${n}.id`, `${n}`);
    for (let n = 0; n < 20; n++) one.set(`cmi.interactions.${n}.time`, 'x'.repeat(200));
    assert.deepEqual(one.state.refused, [
      { element: 'cmi.core.score.raw', value: '250', problem: 'wrong type' },
      { element: 'cmi.core.score.max', value: '500', problem: 'wrong type' },
      { element: 'cmi.interactions.0.time', value: 'x'.repeat(100), problem: 'wrong type' },
    ]);
    one.set('cmi.core.score.raw', '50');
    one.set('cmi.core.score.max', '100');
    one.set('cmi.interactions.0.time', '10:00:00');
    assert.deepEqual(one.state.refused, []);
  });
});
