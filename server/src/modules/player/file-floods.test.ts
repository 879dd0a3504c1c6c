import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { onEngine, serve } from '../../../test/support/nodes.ts';
import { packFiles } from '../../../test/support/packages.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import { newTenant } from '../../../test/support/tenant.ts';
import { guardTenants } from '../../platform/db/guard/tenant-guard.ts';
import { spend } from '../../platform/load/budgets.ts';
import { knownTenant } from '../tenants/tenants.ts';

const service = await startService();
const queries: { queue: string | undefined; text: string }[] = [];
const ctx = onEngine(
  service.ctx,
  guardTenants({
    ...service.ctx.engine,
    query: (statement, queue) => {
      queries.push({ queue, text: statement.text });
      return service.ctx.engine.query(statement, queue);
    },
  }),
);
const node = await serve(ctx);
after(async () => {
  await node.close();
  await service.close();
});
await service.importPackage('files', await packFiles({ 'index.html': 'x' }));
await service.api('PUT', '/course/files/option/open', {});
const [flooding, honest] = [await newTenant(service), await newTenant(service)];

async function openCourse({ api, user }: typeof honest) {
  const LoginID = await user();
  const { EnrollID, LaunchURL } = (await api('POST', `/enrol/${LoginID}/files`)).body;
  const { session } = await play(service, LaunchURL);
  const url = `/play/${session.Session}/content/index.html`;
  return { EnrollID, read: async () => (await node.content.inject({ url })).statusCode };
}

const learners = await Promise.all(Array.from({ length: 4 }, () => openCourse(flooding)));
const victim = await openCourse(honest);

/** Each learner sends 100 requests, the maximum number at a time. */
const flood = () => learners.flatMap(({ read }) => Array.from({ length: 100 }, () => read()));

test('hundreds of simultaneous file requests share the statement that reads their tenant', async () => {
  await Promise.all(learners.map(({ read }) => read()));
  queries.length = 0;
  knownTenant.forget(ctx, flooding.TenantID);
  assert.deepEqual([...new Set(await Promise.all(flood()))], [200]);
  assert.deepEqual(
    [...new Set(queries.map(({ text }) => text))],
    ['select * from "tenant" where "tenant_id" = $1'],
  );
  assert.ok(queries.length <= 3, `${queries.length} statements; it is read again after 3 s`);
});

test("a tenant's file requests do not delay another tenant's", async () => {
  await victim.read();
  let answered = 0;
  const all = flood().map((request) => request.then(() => answered++));
  assert.equal(await victim.read(), 200);
  const before = answered;
  await Promise.all(all);
  assert.equal(answered, 400);
  assert.ok(before < 100, `${before} of 400 requests were answered first`);
});

test('an enrolment that requests more than 6,000 files a minute gets 429; other enrolments are unaffected', async () => {
  const [{ EnrollID, read }, other] = [await openCourse(honest), await openCourse(honest)];
  spend(ctx.admission.learnerFiles, `${honest.TenantID} ${EnrollID}`, ctx.now(), 5_999);
  assert.deepEqual([await read(), await read(), await other.read()], [200, 429, 200]);
});
