import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newAttempt, nextSession } from './next.ts';
import { navigationRequest, remainingSeconds, sharedData, snapshot } from './session.ts';
import { completionStatus, successStatus } from './status.ts';
import { session } from './test-support.ts';

describe('data at the start of a session', () => {
  it('the data contains what an earlier session stored', () => {
    const one = session();
    one.set('cmi.objectives.0.id', 'one');
    one.set('cmi.interactions.0.id', 'first');
    one.set('cmi.interactions.0.type', 'fill-in');
    one.set('cmi.interactions.0.learner_response', 'a');
    one.set('cmi.location', '');
    const stored = snapshot(one.state, 0);
    const again = session({ data: nextSession('scorm2004-4th', stored) });
    assert.deepEqual(again.notes, []);
    assert.deepEqual(again.get('cmi.interactions.0.learner_response'), ['a', 0]);
    assert.deepEqual(again.get('cmi.location'), ['', 0]);
    assert.deepEqual(again.set('cmi.objectives.1.id', 'one'), ['false', 351]);
    assert.deepEqual(again.get('cmi.entry'), ['resume', 0]);
  });

  it('the data can be in any order and contain gaps and invalid values', () => {
    const { notes, get } = session({
      data: {
        'cmi.objectives.10.success_status': 'passed',
        'cmi.objectives.10.id': 'ten',
        'cmi.objectives.2.id': 'two',
        'cmi.objectives.3.success_status': 'failed',
        'cmi.objectives.2.score.scaled': '7',
        'cmi.objectives._count': '12',
        'cmi.location': 'here',
        'cmi.bogus': 'x',
        'cmi.mode': 'sideways',
      },
    });
    assert.deepEqual(get('cmi.objectives._count'), ['2', 0]);
    assert.deepEqual(get('cmi.objectives.0.id'), ['two', 0]);
    assert.deepEqual(get('cmi.objectives.1.success_status'), ['passed', 0]);
    assert.deepEqual(get('cmi.location'), ['here', 0]);
    assert.deepEqual(get('cmi.mode'), ['normal', 0]);
    assert.deepEqual(notes.map(({ element }) => element).sort(), [
      'cmi.bogus',
      'cmi.mode',
      'cmi.objectives.0.score.scaled',
      'cmi.objectives.1.success_status',
    ]);
  });

  it("the data contains the manifest's objectives (RTE 4th §4.2.17.1), which cannot be renamed", () => {
    const one = session({ objectives: ['primary', 'two'], data: { 'cmi.objectives.0.id': 'two' } });
    assert.deepEqual(one.get('cmi.objectives.0.id'), ['two', 0]);
    assert.deepEqual(one.get('cmi.objectives.1.id'), ['primary', 0]);
    assert.deepEqual(one.set('cmi.objectives.1.id', 'other'), ['false', 351]);
  });
});

describe('data at the end of a session', () => {
  it('the data contains the measured time unless the content reports its own', () => {
    const one = session();
    assert.equal(snapshot(one.state, 65_250)['cmi.session_time'], 'PT1M5.25S');
    one.set('cmi.session_time', 'PT0S');
    assert.equal(snapshot(one.state, 65_250)['cmi.session_time'], 'PT0S');
    const old = session({ edition: 'scorm12' });
    old.set('cmi.core.session_time', '00:00:00');
    assert.equal(snapshot(old.state, 65_250)['cmi.core.session_time'], '0000:01:05.25');
  });

  it('the data contains no time before the content has initialised', () => {
    assert.deepEqual(snapshot(session({}, false).state, 65_250), {});
  });

  it('the data excludes shared data and the navigation request, which have their own functions', () => {
    const one = session({ buckets: [{ id: 'note', store: null, read: true, write: true }] });
    assert.equal(navigationRequest(one.state), null);
    one.set('adl.data.0.store', 'hello');
    one.set('adl.nav.request', 'continue');
    assert.deepEqual(Object.keys(snapshot(one.state, 0)), ['cmi.session_time']);
    assert.deepEqual([...sharedData(one.state)], [['note', 'hello']]);
    assert.equal(navigationRequest(one.state), 'continue');
  });

  it('adds the session time to the total for the next session, and keeps only system data for a new attempt', () => {
    const one = session({ data: { 'cmi.total_time': 'PT1M', 'cmi.learner_id': 'lee', 'cmi.location': '3' } });
    one.set('cmi.session_time', 'PT01H059M020S');
    one.set('cmi.exit', 'suspend');
    const data = snapshot(one.state, 0);
    const next = nextSession('scorm2004-4th', data);
    assert.deepEqual(
      [next['cmi.total_time'], next['cmi.entry'], next['cmi.exit']],
      ['PT2H20S', 'resume', undefined],
    );
    assert.deepEqual(newAttempt('scorm2004-4th', data), {
      'cmi.learner_id': 'lee',
      'cmi.entry': 'ab-initio',
    });
  });

  it('the status is the one that the content last saw', () => {
    const data = {
      'cmi.completion_threshold': '0.5',
      'cmi.progress_measure': '0.5',
      'cmi.success_status': 'failed',
    };
    assert.equal(completionStatus(data), 'completed');
    assert.equal(successStatus(data), 'failed');
  });
});

it('the remaining time takes earlier sessions and the current one into account', () => {
  const one = session({ data: { 'cmi.max_time_allowed': 'PT10M', 'cmi.total_time': 'PT4M' } });
  assert.equal(remainingSeconds(one.state, 60_000), 300);
  assert.equal(remainingSeconds(one.state, 600_000), 0);
  assert.equal(remainingSeconds(session().state, 0), null);
});

it('a page that replaces the one that began the session begins another session of the same attempt', () => {
  for (const edition of ['scorm12', 'scorm2004-4th'] as const) {
    const [names, element] = edition === 'scorm12' ? ['LMS', 'cmi.core'] : ['', 'cmi'];
    for (const ended of [false, true]) {
      const one = session({ edition });
      one.set('cmi.suspend_data', 'half');
      one.set(`${element}.exit`, 'suspend');
      if (ended) one.call(edition === 'scorm12' ? 'LMSFinish' : 'Terminate', '');
      one.now = 60_000;
      one.mayRestart = true;
      assert.deepEqual(one.call(`${names}Initialize`, ''), ['true', 0]);
      assert.deepEqual(one.get(`${element}.entry`), ['resume', 0]);
      assert.deepEqual(one.get('cmi.suspend_data'), ['half', 0]);
      assert.match(one.get(`${element}.total_time`)[0], /^(?:PT1M|0000:01:00.00)$/);
      one.now = 90_000;
      const time = snapshot(one.state, one.now)[`${element}.session_time`];
      assert.match(time ?? '', /^(?:PT30S|0000:00:30.00)$/);
    }
  }
});
