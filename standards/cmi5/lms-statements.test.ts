import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AssignableUnit } from '../types.ts';
import {
  abandoned,
  launchData,
  launched,
  satisfied,
  waived,
  withLaunchParameters,
} from './lms-statements.ts';
import { activityTypes, categories, extensions, lmsVerbs } from './vocabulary.ts';

const to = { account: { homePage: 'https://lms.example.com', name: 'anna' }, registration: 'r' };
const au: AssignableUnit = {
  ...{ MoveOn: 'Passed', MasteryScore: 0.8, OwnWindow: false, LaunchParameters: 'a=1' },
  ...{ EntitlementKey: 'key', ActivityType: null, Objectives: [] },
};
const launch = {
  ...{
    sessionId: 's',
    activityId: 'https://lms.example.com/activity',
    publisherId: 'https://example.com/au',
  },
  ...{ names: { en: 'A part' }, au, launchMode: 'Normal' as const },
};
const at = new Date('2026-01-31T09:00:00Z');
const grouping = [{ id: launch.publisherId }];
const sessionId = { [extensions.sessionId]: 's' };

describe('statements from the LMS', () => {
  it('the launched statement reports how an AU was launched (9.3.1, 9.6.3)', () => {
    const launchUrl = 'https://content.example.com/index.html';
    const statement = launched(to, launch, { at, launchUrl });
    assert.equal((statement.verb as { id: string }).id, lmsVerbs.launched);
    assert.deepEqual(statement.context, {
      registration: 'r',
      contextActivities: { grouping, category: [{ id: categories.cmi5 }] },
      extensions: {
        ...sessionId,
        [extensions.launchMode]: 'Normal',
        [extensions.launchUrl]: launchUrl,
        [extensions.moveOn]: 'Passed',
        [extensions.masteryScore]: 0.8,
        [extensions.launchParameters]: 'a=1',
      },
    });
  });

  it('the abandoned statement reports how long the session lasted (9.3.6, 9.5.4.2)', () => {
    assert.deepEqual(abandoned(to, launch, { at, duration: 'PT5S' }).result, { duration: 'PT5S' });
  });

  it('the waived statement reports why an AU was waived (9.3.7, 9.5.5.2)', () => {
    const { result, context } = waived(to, launch, { at, reason: 'Tested Out' });
    assert.deepEqual(result, {
      success: true,
      completion: true,
      extensions: { [extensions.reason]: 'Tested Out' },
    });
    const category = [{ id: categories.cmi5 }, { id: categories.moveOn }];
    assert.deepEqual(context, {
      registration: 'r',
      contextActivities: { grouping, category },
      extensions: sessionId,
    });
  });

  it('statements identify a block by the ID from the LMS and by the ID from the course (9.4, 9.6.2.3)', () => {
    const node = { kind: 'block' as const, id: 'https://example.com/block', names: { en: 'A block' } };
    const own = 'https://lms.example.com/block';
    const { object, context } = satisfied(to, node, { at, sessionId: 's', activityId: own });
    const definition = { type: activityTypes.block, name: node.names };
    assert.deepEqual(object, { objectType: 'Activity', id: own, definition });
    assert.match(JSON.stringify(context), /"grouping":\[\{"id":"https:\/\/example.com\/block"\}\]/);
  });
});

describe('AU launch', () => {
  it('a launch provides a document for the AU (10.2)', () => {
    assert.deepEqual(launchData(launch, 'https://content.example.com/returned'), {
      contextTemplate: { contextActivities: { grouping }, extensions: sessionId },
      ...{ launchMode: 'Normal', moveOn: 'Passed', returnURL: 'https://content.example.com/returned' },
      ...{ launchParameters: 'a=1', masteryScore: 0.8, entitlementKey: { courseStructure: 'key' } },
    });
    const plain = { ...au, MasteryScore: null, LaunchParameters: null, EntitlementKey: null };
    assert.deepEqual(Object.keys(launchData({ ...launch, au: plain }, 'u')), [
      'contextTemplate',
      'launchMode',
      'moveOn',
      'returnURL',
    ]);
  });

  it("a launch adds its parameters to the AU's own parameters (8.1)", () => {
    const parameters = { endpoint: 'https://lms.example.com/xapi', actor: '{"a":1}' };
    const added = 'endpoint=https%3A%2F%2Flms.example.com%2Fxapi&actor=%7B%22a%22%3A1%7D';
    for (const [address, expected] of [
      ['https://a.example/p', `https://a.example/p?${added}`],
      ['https://a.example/p?x=1#top', `https://a.example/p?x=1&${added}#top`],
      ['/p#top', `/p?${added}#top`],
    ] as const)
      assert.equal(withLaunchParameters(address, parameters), expected);
  });
});
