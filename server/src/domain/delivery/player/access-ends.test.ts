import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { packCourse } from '../../../../../test/journeys/course-packages.ts';
import { movableClock } from '../../../../test/support/clock.ts';
import { otherNode, serve } from '../../../../test/support/nodes.ts';
import { play } from '../../../../test/support/player.ts';
import { startService } from '../../../../test/support/service.ts';
import { signInUser } from '../../../../test/support/sign-in.ts';
import { expectStatus, newTenant } from '../../../../test/support/tenant.ts';

const clock = movableClock();
const service = await startService({ now: clock.now });
const node = await serve(otherNode(service.ctx));
after(async () => {
  await node.close();
  await service.close();
});
const tenant = await newTenant(service);
const { api, user } = tenant;
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
    LoginID,
    LaunchURL: LaunchURL as string,
    enrolment: `/enrolment/${LoginID}/${EnrollID}`,
    onOtherNode,
    onThisNode,
  };
}

/** What ends a learner's access. A directory disables the user by SCIM. */
const ends = {
  withdrawal: ({ enrolment }: Playing) => api('PUT', enrolment, { Withdrawn: true }),
  disabling: ({ LoginID }: Playing) => api('PUT', `/user/${LoginID}`, { Enabled: false }),
  directory: async ({ LoginID }: Playing) => {
    const { body } = await api('GET', `/scim/v2/Users?filter=userName%20eq%20%22${LoginID}%22`);
    const Operations = [{ op: 'Replace', path: 'active', value: 'False' }];
    return api('PATCH', `/scim/v2/Users/${body.Resources[0].id}`, { Operations });
  },
};
type Playing = Awaited<ReturnType<typeof playing>>;

test('course files and heartbeats stop on every node within 60 s after an enrolment is withdrawn or a user disabled', async () => {
  for (const [name, end] of Object.entries(ends)) {
    const learner = await playing();
    assert.deepEqual([await learner.onThisNode(), ...(await learner.onOtherNode())], [200, 200, 204]);
    expectStatus(await end(learner), 200);
    clock.advance({ seconds: 60 });
    const refused = name === 'withdrawal' ? 403 : 409;
    assert.deepEqual(
      [await learner.onThisNode(), ...(await learner.onOtherNode())],
      [refused, refused, refused],
      name,
    );
  }
});

test('sign-in sessions and launches of a disabled user end immediately on every node; results stay', async () => {
  for (const end of [ends.disabling, ends.directory]) {
    const learner = await playing();
    const cookie = await signInUser(service, tenant, learner.LoginID);
    const link = learner.LaunchURL.slice(service.baseUrl.length);
    const statuses = async () => {
      const session = await node.api.inject({ url: '/session', headers: { cookie } });
      const launch = await node.api.inject({ url: link });
      const [, alive] = await learner.onOtherNode();
      return [session.statusCode, launch.statusCode, alive];
    };
    assert.deepEqual(await statuses(), [200, 303, 204]);
    expectStatus(await end(learner), 200);
    assert.deepEqual(await statuses(), [401, 403, 409]);
    assert.equal((await api('GET', learner.enrolment)).body.Launches, 1);
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
