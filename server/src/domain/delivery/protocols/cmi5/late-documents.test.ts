import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { au, courseStructure } from '../../../../../../standards/cmi5/test-support.ts';
import { openAu } from '../../../../../test/support/au.ts';
import { packFiles } from '../../../../../test/support/packages.ts';
import type { Reply } from '../../../../../test/support/send.ts';
import { startService } from '../../../../../test/support/service.ts';
import { expectStatus, newTenant, unique } from '../../../../../test/support/tenant.ts';

const service = await startService();
after(service.close);
const { api, user } = await newTenant(service);
const CourseID = unique('cmi5');
await service.importPackage(
  CourseID,
  await packFiles({ 'cmi5.xml': courseStructure(au({})), 'index.html': '' }),
);
await service.api('PUT', `/course/${CourseID}/option/open`, {});

type Unit = Awaited<ReturnType<typeof openAu>>;

/** Starts a request whose body is sent later. */
async function begin(unit: Unit, path: string, query: Record<string, string>) {
  const sent = request(`${service.baseUrl}/xapi${path}?${new URLSearchParams(query)}`, {
    method: 'PUT',
    headers: {
      authorization: `Basic ${unit.token}`,
      ...{ 'x-experience-api-version': '1.0.3', 'if-none-match': '*', 'content-type': 'application/json' },
      'content-length': 2,
    },
  });
  sent.flushHeaders();
  return async (): Promise<number> => {
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.end('{}');
    const [response] = await answered;
    response.resume();
    return response.statusCode ?? 0;
  };
}

const ways: Record<string, (of: { LoginID: string; address: string }) => Promise<Reply>> = {
  'the learner is erased': ({ LoginID }) => api('DELETE', `/user/${LoginID}`),
  'the enrolment is withdrawn': ({ address }) => api('PUT', address, { Withdrawn: true }),
};
for (const [name, end] of Object.entries(ways))
  test(`a document is not stored if ${name} before its body arrives`, async () => {
    const LoginID = await user();
    const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
    const unit = await openAu(service, LaunchURL);
    await unit.preferences();
    const { activityId, registration } = unit;
    const agent = JSON.stringify(unit.actor);
    const finish = [
      await begin(unit, '/activities/state', { agent, activityId, registration, stateId: 'notes' }),
      await begin(unit, '/agents/profile', { agent, profileId: 'notes' }),
    ];
    // This is long enough for the service to check the token.
    await wait(300);
    expectStatus(await end({ LoginID, address: `/enrolment/${LoginID}/${EnrollID}` }), 200);
    for (const send of finish) assert.equal(await send(), 401);
    const { rows } = await service.ctx.engine.query<{ count: number }>({
      name: 'test_documents',
      text: "/* across tenants: a test counts documents */ select count(*)::integer as count from xapi_document where document_id = 'notes'",
      values: [],
    });
    assert.equal(rows[0]?.count, 0);
  });
