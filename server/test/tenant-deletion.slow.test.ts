import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { tenantTables as generatedTables } from '../src/db/engine/generated.ts';
import { deployment } from '../src/domain/audit/chain.ts';
import { verifyAudit } from '../src/domain/audit/verify.ts';
import { finishDeletions } from '../src/domain/privacy/delete-tenant.ts';
import { publicName, tenantTables } from '../src/domain/privacy/tables.ts';
import { movableClock } from './support/clock.ts';
import { fill } from './support/filled-tenant.ts';
import { onEngine } from './support/nodes.ts';
import { click, play, scorm12 } from './support/player.ts';
import { bootstrapKey, cleanUp, databaseSettings, startProcess } from './support/process.ts';
import { startService } from './support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from './support/tenant.ts';
import { until } from './support/until.ts';
import { startReceiver } from './support/webhooks.ts';

const clock = movableClock();
const service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
const receiver = await startReceiver();
after(async () => {
  await receiver.kill();
  await service.close();
  await cleanUp();
});

const suspend = async (tenantId: string) =>
  expectStatus(await service.api('PUT', `/tenant/${tenantId}`, { Status: 'suspended' }), 200);
const remove = (tenantId: string, query = '') => service.api('DELETE', `/tenant/${tenantId}${query}`);

/** The number of a tenant's rows in each table, and a hash of their contents. */
async function rowsOf(tenantId: string): Promise<Record<string, [count: number, hash: string]>> {
  const found: Record<string, [number, string]> = {};
  for (const { table } of tenantTables) {
    const { rows } = await sql<{ count: number; hash: string }>`
      select count(*)::integer as count, md5(coalesce(string_agg(held::text, ',' order by held::text), '')) as hash
      from ${sql.table(table)} held where held.tenant_id = ${tenantId}`.execute(service.ctx.db);
    found[table] = [rows[0]?.count ?? 0, rows[0]?.hash ?? ''];
  }
  return found;
}

const counts = (rows: Awaited<ReturnType<typeof rowsOf>>) =>
  Object.fromEntries(Object.entries(rows).map(([table, [count]]) => [publicName(table), count]));

/** Every database table that contains the text. */
async function mentions(text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(
    service.ctx.db,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows } = await sql`/* across tenants: a test looks at all */
      select 1 from ${sql.table(name)} held where strpos(held::text, ${text}) > 0 limit 1`.execute(
      service.ctx.db,
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

test('the plan, the deletion and the export each list every tenant table', () => {
  const listed = tenantTables.map(({ table }) => table);
  assert.deepEqual(listed.toSorted(), [...generatedTables, 'api_key', 'lti_deployment'].toSorted());
});

test('deleting a tenant removes all of its data and leaves other tenants unchanged', async () => {
  const doomed = await newTenant(service);
  const other = await newTenant(service);
  const { LoginID = '', EnrollID } = await fill(service, receiver.url, doomed);
  await fill(service, receiver.url, other);
  const shared = await newCourse(service, {}, { seats: { Seats: 5 } });
  for (const one of [doomed, other])
    expectStatus(await one.api('POST', `/enrol/${await one.user()}/${shared}`), 201);
  const launchUrl = (await doomed.api('GET', `/enrolment/${LoginID}/${EnrollID}`)).body.LaunchURL;
  const { commit, file } = await play(service, launchUrl);
  expectProblem(await remove(doomed.TenantID), 409, 'tenant_not_suspended');
  await suspend(doomed.TenantID);

  const before = await rowsOf(doomed.TenantID);
  for (const [table, [count]] of Object.entries(before)) assert.ok(count > 0, `${table} still has rows`);
  const plan = await remove(doomed.TenantID, '?Plan=true');
  expectStatus(plan, 200);
  const planned = Object.fromEntries(
    plan.body.Deleted.map(({ Data, Records }: { Data: string; Records: number }) => [Data, Records]),
  );
  // The course that is offered to it, and its own external tool.
  assert.deepEqual(planned, { ...counts(before), CourseOffer: 2, OperatorResponse: 0 });
  assert.deepEqual(await rowsOf(doomed.TenantID), before, 'a plan changes nothing');
  const others = await rowsOf(other.TenantID);

  const receipt = await remove(doomed.TenantID);
  expectStatus(receipt, 200);
  assert.deepEqual(receipt.body.Deleted, plan.body.Deleted);
  assert.ok(receipt.body.ReceiptID && receipt.body.StartedAt);
  assert.deepEqual((await remove(doomed.TenantID)).body, receipt.body);
  expectProblem(await service.api('GET', `/tenant/${doomed.TenantID}`), 404, 'tenant_not_found');
  const list = await service.api('GET', `/tenant?Search=${doomed.TenantID}`);
  assert.ok(!list.body.Items.some((one: { TenantID: string }) => one.TenantID === doomed.TenantID));
  const acting = { tenant: doomed.TenantID };
  expectProblem(await service.api('GET', '/user', undefined, undefined, acting), 404, 'tenant_not_found');
  await until('the key is rejected', async () => (await doomed.api('GET', '/user')).status === 401);
  assert.equal((await click(launchUrl)).status, 404);
  assert.equal((await commit({ Data: scorm12('passed') })).body.code, 'tenant_not_found');
  assert.equal((await file('index.html')).status, 404);
  const again = { TenantID: doomed.TenantID };
  expectProblem(await service.api('POST', '/tenant', again), 409, 'tenant_being_deleted');

  await finishDeletions(service.ctx);
  expectProblem(await service.api('POST', '/tenant', again), 409, 'tenant_being_deleted');
  clock.advance({ seconds: 11 });
  await Promise.all([finishDeletions(service.ctx), finishDeletions(service.ctx)]);
  assert.deepEqual(new Set(Object.values(counts(await rowsOf(doomed.TenantID)))), new Set([0]));
  // Deleting the tenant does not delete the course. Change its title, which contains the TenantID.
  await service.api('PUT', `/course/${encodeURIComponent(`course of ${doomed.TenantID}`)}`, { Title: 'x' });
  const left = await mentions(`,${doomed.TenantID},`);
  assert.deepEqual(left, ['audit_entry'], 'only the record of the deletion names the tenant');
  assert.deepEqual(await rowsOf(other.TenantID), others, 'the other tenant is unchanged');
  const option = (await service.api('GET', `/course/${shared}`)).body.EnrolOptions[0];
  assert.equal(option.SeatsLeft, 4, 'its seats are free again');

  const { rows } = await sql<{ action: string; actor: string; data: { Deleted?: unknown[] } }>`
    select action, actor, data from audit_entry where tenant_id = ${deployment} and target_id = ${doomed.TenantID}
    order by number`.execute(service.ctx.db);
  assert.deepEqual(
    rows.map(({ action, actor }) => [action, actor]),
    [
      ['audit.began', 'operator_key'],
      ['tenant.deleted', 'operator_key'],
      ['tenant.deletion_finished', 'service'],
    ],
  );
  assert.equal(rows[1]?.data.Deleted?.length, tenantTables.length + 2);
  assert.equal((await verifyAudit(service.ctx)).Intact, true);
  expectProblem(await remove(doomed.TenantID), 404, 'tenant_not_found');
  expectStatus(await service.api('POST', '/tenant', again), 201);
  assert.deepEqual((await service.api('GET', '/user', undefined, undefined, acting)).body.Items, []);
});

test('deleting a tenant erases stored responses about it, and a late retry does not recreate the tenant', async () => {
  const TenantID = 'keyed-tenant';
  const send = (path: string, body: object, key: string) =>
    service.api('POST', path, body, undefined, { 'idempotency-key': `${key} of a deletion` });
  const requests: [string, object, string][] = [
    ['/tenant', { TenantID }, 'tenant'],
    [`/tenant/${TenantID}/key`, { Name: 'first' }, 'key'],
  ];
  for (const request of requests) expectStatus(await send(...request), 201);
  expectStatus(await send('/tenant', { TenantID: 'keyed-other' }, 'other'), 201);
  const responses = async () => {
    const { rows } = await sql<{ left: number }>`select count(*)::integer as left from stored_answer
      where tenant_id = '' and answer is not null`.execute(service.ctx.db);
    return rows[0]?.left ?? 0;
  };
  const before = await responses();
  await suspend(TenantID);
  const { body } = await remove(TenantID);
  const counted = body.Deleted.find(({ Data }: { Data: string }) => Data === 'OperatorResponse');
  assert.equal(counted.Records, 2);
  assert.equal(await responses(), before - 2);
  clock.advance({ seconds: 11 });
  await finishDeletions(service.ctx);
  for (const request of requests) expectProblem(await send(...request), 404, 'tenant_not_found');
  const replayed = await send('/tenant', { TenantID: 'keyed-other' }, 'other');
  assert.equal(replayed.headers.get('idempotency-replayed'), 'true');
  expectStatus(await service.api('GET', `/tenant/${TenantID}`), 404);
  expectStatus(await send('/tenant', { TenantID }, 'a new one'), 201);
});

test('a slow node does not delete the data of a new tenant with the ID of a deleted one', async () => {
  const tenant = await newTenant(service);
  await suspend(tenant.TenantID);
  expectStatus(await remove(tenant.TenantID), 200);
  clock.advance({ seconds: 11 });
  const acting = { tenant: tenant.TenantID };
  const { engine } = service.ctx;
  let isFirst = true;
  const slow = onEngine(service.ctx, {
    ...engine,
    transaction: async (work, queue) => {
      if (isFirst) {
        isFirst = false;
        await finishDeletions(service.ctx);
        expectStatus(await service.api('POST', '/tenant', { TenantID: tenant.TenantID }), 201);
        expectStatus(await service.api('POST', '/user', { LoginID: 'new' }, undefined, acting), 201);
      }
      return engine.transaction(work, queue);
    },
  });
  await finishDeletions(slow);
  const users = await service.api('GET', '/user', undefined, undefined, acting);
  assert.deepEqual(
    users.body.Items.map(({ LoginID }: { LoginID: string }) => LoginID),
    ['new'],
  );
});

test('an export contains every record of the tenant but no secret, and only the operator can request it', async () => {
  const tenant = await newTenant(service);
  const { webhookSecret = '', unusedKey = '', LoginID } = await fill(service, receiver.url, tenant);
  await suspend(tenant.TenantID);
  const address = `/tenant/${tenant.TenantID}/export`;
  const reply = await service.api('GET', address);
  expectStatus(reply, 200);
  const lines = String(reply.body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { Type: string; Record: Record<string, unknown> });
  assert.deepEqual([lines[0]?.Type, lines[0]?.Record.TenantID], ['Tenant', tenant.TenantID]);
  const held = counts(await rowsOf(tenant.TenantID));
  for (const { table, notExported, secrets = [] } of tenantTables) {
    const type = publicName(table);
    const records = lines.filter(({ Type }) => Type === type);
    assert.equal(records.length, notExported ? 0 : held[type], type);
    for (const name of Object.keys(records[0]?.Record ?? {})) {
      assert.ok(!secrets.map(publicName).includes(name), `${type}.${name}`);
      if (!table.startsWith('audit_')) assert.doesNotMatch(name, /(hash|secret|mark)$/i, `${type}.${name}`);
    }
  }
  assert.ok(lines.some((line) => line.Type === 'User' && line.Record.LoginID === LoginID));
  for (const secret of [tenant.key, webhookSecret, unusedKey])
    assert.ok(!String(reply.body).includes(secret));
  const other = await newTenant(service);
  expectProblem(await other.api('GET', address), 403, 'operator_only');
});

test('the next process finishes a deletion that was interrupted by kill -9', async () => {
  const home = await databaseSettings();
  const headers = { authorization: `Bearer ${bootstrapKey}`, tenant: 'doomed' };
  const call = (base: string, method: string, path: string, body?: string, type = 'application/json') =>
    fetch(base + path, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': type } : {}) },
      ...(body ? { body } : {}),
    });
  const create = (base: string) => call(base, 'POST', '/tenant', '{"TenantID":"doomed"}');
  const first = await startProcess(home);
  assert.equal((await create(first.baseUrl)).status, 201);
  const users = Array.from({ length: 3_000 }, (_, n) => `{"LoginID":"u${n}"}`).join('\n');
  await (await call(first.baseUrl, 'POST', '/user/bulk', users, 'application/x-ndjson')).text();
  await call(first.baseUrl, 'PUT', '/tenant/doomed', '{"Status":"suspended"}');
  assert.equal((await call(first.baseUrl, 'DELETE', '/tenant/doomed')).status, 200);
  first.child.kill('SIGKILL');
  await first.exited;
  const next = await startProcess(home);
  assert.equal((await call(next.baseUrl, 'GET', '/tenant/doomed')).status, 404);
  assert.equal((await create(next.baseUrl)).status, 409);
  await until(
    'the TenantID is available again',
    async () => (await create(next.baseUrl)).status === 201,
    120,
  );
  assert.deepEqual((await (await call(next.baseUrl, 'GET', '/user')).json()).Items, []);
});
