import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { Statement } from '../../../../standards/xapi/types.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../../../test/support/tenant.ts';
import { forTenant } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import type { AuSession } from './au-session.ts';
import { agentOf } from './personal-data.ts';
import { storeStatements } from './store-statements.ts';

const service = await startService();
after(service.close);
const v2 = { 'x-experience-api-version': '2.0.0' };
const verb = { id: 'https://example.com/verbs/did' };
const object = { id: 'https://example.com/activity' };

test("an AU's statements are checked, and their effects are committed together with them", async () => {
  const tenant = await newTenant(service);
  const ctx = forTenant(service.ctx, tenant.TenantID);
  const authority = { mbox: 'mailto:lms@example.com' };
  const stored: string[] = [];
  const session: AuSession = {
    authority,
    learner: authority,
    registration: randomUUID(),
    launchParameters: async () => new Set(),
    processStatements: async (_ctx, sent) => {
      if (sent.some(({ verb: { id } }) => id.endsWith('/forbidden')))
        throw new Problem('scope_missing', 'Not for an AU.');
      stored.push(...sent.map(({ id = '' }) => id));
      if (sent.some(({ verb: { id } }) => id.endsWith('/fails'))) throw new Error('not stored');
      return { following: [], defines: () => true, isResult: false };
    },
    checkDocument: async () => {},
    countStorage: async () => {},
  };
  const store = (statements: Statement[]) =>
    storeStatements(ctx, { statements, authority, edition: '1.0.3', session });
  const id = randomUUID();
  const first: Statement = { id, actor: authority, verb, object };
  assert.deepEqual(await store([first]), [id]);
  assert.deepEqual(await store([first]), [id]);
  assert.deepEqual(stored, [id], 'a repeated statement has no effect');
  for (const name of ['forbidden', 'fails'])
    await assert.rejects(
      store([{ ...first, id: randomUUID(), verb: { id: `https://example.com/${name}` } }]),
    );
  const { body } = await tenant.api('GET', '/xapi/statements', undefined, v2);
  assert.deepEqual(
    body.statements.map((found: Statement) => [found.id, found.authority]),
    [[id, authority]],
  );
});

test('an erasure deletes statements by and about the user, and removes the user from others', async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service);
  const LoginID = await tenant.user();
  const { EnrollID } = (await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`)).body;
  const person = { ...agentOf(service.ctx, LoginID), name: 'Secret Name' };
  const other = { mbox: 'mailto:other@example.com' };
  const own = randomUUID();
  const statements = [
    { id: own, actor: person, verb, object },
    { actor: other, verb, object, context: { registration: EnrollID } },
    { actor: other, verb, object: { objectType: 'StatementRef', id: own } },
    { actor: other, verb, object, context: { instructor: person } },
  ];
  expectStatus(await tenant.api('POST', '/xapi/statements', statements, v2), 200);
  const agent = JSON.stringify(agentOf(service.ctx, LoginID));
  const query = new URLSearchParams({ agent, activityId: object.id, stateId: 'a' });
  const state = `/xapi/activities/state?${query}`;
  expectStatus(await tenant.api('PUT', state, { at: 1 }, v2), 204);
  const exported = (await tenant.api('GET', `/user/${LoginID}/export`)).body;
  assert.equal(exported.Statements.length, 2);
  assert.equal(exported.Documents.length, 1);
  const erased = await tenant.api('DELETE', `/user/${LoginID}`);
  expectStatus(erased, 200);
  const { body } = await tenant.api('GET', '/xapi/statements', undefined, v2);
  assert.equal(body.statements.length, 2);
  assert.doesNotMatch(JSON.stringify(body), new RegExp(`Secret Name|"${LoginID}"`));
  const found = await tenant.api(
    'GET',
    `/xapi/statements?${new URLSearchParams({ agent, related_agents: 'true' })}`,
    undefined,
    v2,
  );
  assert.deepEqual(found.body.statements, []);
  expectStatus(await tenant.api('GET', state, undefined, v2), 404);
});
