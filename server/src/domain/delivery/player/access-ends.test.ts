import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../../test/support/clock.ts';
import { otherNode, serve } from '../../../../test/support/nodes.ts';
import { play } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { expectStatus, newTenant } from '../../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
const node = await serve(otherNode(service.ctx));
after(async () => {
  await node.close();
  await service.close();
});
const { api, user } = await newTenant(service);
await service.importPackage('phishing', await packCourse('phishing'));
await service.api('PUT', '/course/phishing/option/open', {});

/**
 * Opens a course as a learner. `onOtherNode` requests a course file and the session's state from
 * the other node.
 */
async function playing() {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/phishing`)).body;
  const { session, file } = await play(service, LaunchURL);
  const ask = async (path: string) => {
    const { host } = new URL(service.contentUrl);
    const reply = await node.content.inject({ url: `/play/${session.Session}/${path}`, headers: { host } });
    return reply.statusCode;
  };
  const onOtherNode = async () => [await ask('content/index.html'), await ask('alive')];
  const onThisNode = async () => (await file('index.html')).status;
  return {
    user: `/user/${LoginID}`,
    enrolment: `/enrolment/${LoginID}/${EnrollID}`,
    onOtherNode,
    onThisNode,
  };
}

test('course files and heartbeats stop on every node within 60 s after an enrolment is withdrawn or a user disabled', async () => {
  for (const end of ['withdrawal', 'disabling'] as const) {
    const { user, enrolment, onOtherNode, onThisNode } = await playing();
    assert.deepEqual([await onThisNode(), ...(await onOtherNode())], [200, 200, 204]);
    const ended =
      end === 'withdrawal'
        ? await api('PUT', enrolment, { Withdrawn: true })
        : await api('PUT', user, { Enabled: false });
    expectStatus(ended, 200);
    clock.advance({ seconds: 60 });
    const refused = end === 'withdrawal' ? 403 : 409;
    assert.deepEqual([await onThisNode(), ...(await onOtherNode())], [refused, refused, refused], end);
  }
});

test('course files and heartbeats stop on every node within 60 s after access has expired', async () => {
  const { enrolment, onOtherNode, onThisNode } = await playing();
  const ExpiresAt = new Date(clock.now().getTime() + 3_600_000).toISOString();
  expectStatus(await api('PUT', enrolment, { ExpiresAt }), 200);
  clock.advance({ minutes: 59, seconds: 55 });
  assert.deepEqual([await onThisNode(), ...(await onOtherNode())], [200, 200, 204]);
  clock.advance({ seconds: 60 });
  assert.deepEqual([await onThisNode(), ...(await onOtherNode())], [403, 403, 403]);
});
