import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';
import { verifyAudit } from './verify.ts';

const service = await startService();
after(service.close);

/** A tenant with a trail of five entries. */
async function trail(): Promise<TestTenant> {
  const tenant = await newTenant(service);
  for (const Name of ['first', 'second'])
    expectStatus(await service.api('PUT', `/tenant/${tenant.TenantID}`, { Name }), 200);
  expectStatus(await service.api('DELETE', `/tenant/${tenant.TenantID}/key/${tenant.keyId}`), 200);
  return tenant;
}

const chainOf = async ({ TenantID }: TestTenant, known: Parameters<typeof verifyAudit>[1] = {}) => {
  const { Chains } = await verifyAudit(service.ctx, known);
  return Chains.find((chain) => chain.TenantID === TenantID);
};

const change = (statement: RawBuilder<unknown>) =>
  sql`/* across tenants: a test forges */ ${statement}`.execute(service.ctx.db);

test('an unchanged trail passes verification', async () => {
  const tenant = await trail();
  const found = await chainOf(tenant);
  assert.deepEqual({ ...found, Hash: '' }, { TenantID: tenant.TenantID, Entries: 5, Hash: '', Break: null });
});

test('entries written at the same time form a single chain', async () => {
  const tenant = await newTenant(service);
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: `key ${n}` }),
    ),
  );
  const found = await chainOf(tenant);
  assert.equal(found?.Break, null);
  assert.equal(found?.Entries, 22);
});

const forgeries: [string, (tenantId: string) => RawBuilder<unknown>, number | null][] = [
  [
    'a changed entry',
    (id) => sql`update audit_entry set address = '192.0.2.1' where tenant_id = ${id} and number = 3`,
    3,
  ],
  [
    'changed data',
    (id) => sql`update audit_entry set data = '{"Changed": []}' where tenant_id = ${id} and number = 4`,
    4,
  ],
  ['a removed entry', (id) => sql`delete from audit_entry where tenant_id = ${id} and number = 2`, 3],
  [
    'an inserted entry',
    (
      id,
    ) => sql`insert into audit_entry select tenant_id, gen_random_uuid(), number, at, action, actor, actor_id,
      actor_user_id, address, request_id, target, target_id, event_id, data, hash
      from audit_entry where tenant_id = ${id} and number = 3`,
    3,
  ],
  ['a missing head', (id) => sql`delete from audit_chain where tenant_id = ${id}`, null],
  ['a missing last entry', (id) => sql`delete from audit_entry where tenant_id = ${id} and number = 5`, null],
];

for (const [what, forge, number] of forgeries)
  test(`${what} is detected`, async () => {
    const tenant = await trail();
    await change(forge(tenant.TenantID));
    const found = await chainOf(tenant);
    assert.equal(found?.Break?.Number, number, JSON.stringify(found));
    assert.ok(found?.Break?.Reason);
  });

test('an attacker with access only to the database cannot rebuild or truncate a chain unnoticed', async () => {
  const tenant = await trail();
  const id = tenant.TenantID;
  const { hashOf } = await import('./chain.ts');
  const rows = await service.ctx.db
    .selectFrom('audit_entry')
    .selectAll()
    .where('tenant_id', '=', id)
    .orderBy('number')
    .execute();
  const [, , third, fourth, fifth] = rows;
  assert.ok(third && fourth && fifth);
  // Truncates the trail: the head refers to an earlier entry.
  await change(sql`delete from audit_entry where tenant_id = ${id} and number > 3`);
  await change(sql`update audit_chain set number = 3, hash = ${third.hash}
    where tenant_id = ${id}`);
  assert.match((await chainOf(tenant))?.Break?.Reason ?? '', /seal of the head/);
  // The service keeps working, and verification keeps reporting the break.
  await service.api('PUT', `/tenant/${id}`, { Name: 'third' });
  assert.equal((await chainOf(tenant))?.Break?.Number, 4);

  const other = await trail();
  const own = await service.ctx.db
    .selectFrom('audit_entry')
    .selectAll()
    .where('tenant_id', '=', other.TenantID)
    .orderBy('number')
    .execute();
  let hash = own[1]?.hash ?? '';
  for (const row of own.slice(2)) {
    const forged = { ...row, address: '192.0.2.1' };
    hash = hashOf(hash, forged);
    await change(sql`update audit_entry set address = '192.0.2.1', hash = ${hash}
      where tenant_id = ${other.TenantID} and number = ${row.number}`);
  }
  await change(sql`update audit_chain set hash = ${hash} where tenant_id = ${other.TenantID}`);
  assert.match((await chainOf(other))?.Break?.Reason ?? '', /seal of the head/);
});

test('an earlier verification reveals that a trail was reset to an older state', async () => {
  const tenant = await newTenant(service);
  const id = tenant.TenantID;
  const { rows: old } = await sql<{ number: number; hash: string; seal: string }>`
    select number, hash, seal from audit_chain where tenant_id = ${id}`.execute(service.ctx.db);
  await service.api('PUT', `/tenant/${id}`, { Name: 'first' });
  const known = await chainOf(tenant);
  assert.ok(known && old[0]);
  await change(sql`delete from audit_entry where tenant_id = ${id} and number > ${old[0].number}`);
  await change(sql`update audit_chain set number = ${old[0].number}, hash = ${old[0].hash}, seal = ${old[0].seal}
    where tenant_id = ${id}`);
  assert.equal((await chainOf(tenant))?.Break, null);
  assert.equal((await chainOf(tenant, { known: [known] }))?.Break?.Number, 3);
  await change(sql`delete from audit_entry where tenant_id = ${id}`);
  await change(sql`delete from audit_chain where tenant_id = ${id}`);
  assert.ok((await chainOf(tenant, { known: [known] }))?.Break);
});

const deleteEntries = (TenantID: string) => sql`delete from audit_entry where tenant_id = ${TenantID}`;

const emptied: [string, (tenantId: string) => RawBuilder<unknown>[]][] = [
  [
    'whose head was reset to empty',
    (id) => [
      deleteEntries(id),
      sql`update audit_chain set number = 0, hash = '', seal = '' where tenant_id = ${id}`,
    ],
  ],
  [
    'that was removed completely',
    (id) => [deleteEntries(id), sql`delete from audit_chain where tenant_id = ${id}`],
  ],
  [
    'that was removed together with its tenant',
    (id) => [
      deleteEntries(id),
      sql`delete from audit_chain where tenant_id = ${id}`,
      sql`delete from api_key where tenant_id = ${id}`,
      sql`delete from tenant where tenant_id = ${id}`,
    ],
  ],
];

for (const [what, statements] of emptied)
  test(`a trail ${what} is detected, and cannot be restarted unnoticed`, async () => {
    const tenant = await trail();
    const id = tenant.TenantID;
    for (const statement of statements(id)) await change(statement);
    assert.ok((await chainOf(tenant))?.Break, 'the missing trail is reported');
    const goesOn = await service.api('POST', '/tenant', { TenantID: id });
    if (goesOn.status === 200) await service.api('PUT', `/tenant/${id}`, { Name: 'later' });
    const { Intact, Chains } = await verifyAudit(service.ctx);
    assert.equal(Intact, false);
    const ofDeployment = Chains.find((chain) => chain.TenantID === null);
    const found = Chains.find((chain) => chain.TenantID === id);
    if (goesOn.status === 200)
      assert.match(found?.Break?.Reason ?? '', /end of the trail had already been changed/);
    else assert.match(ofDeployment?.Break?.Reason ?? '', /was started a second time/);
  });

test("the deployment's trail cannot be emptied unnoticed", async () => {
  const own = await startService();
  try {
    assert.equal((await verifyAudit(own.ctx)).Intact, true);
    await sql`delete from audit_entry where tenant_id = ''`.execute(own.ctx.db);
    await sql`delete from audit_chain where tenant_id = ''`.execute(own.ctx.db);
    const deployed = async () => (await verifyAudit(own.ctx)).Chains.find((chain) => chain.TenantID === null);
    assert.ok((await deployed())?.Break);
    expectStatus(await own.api('POST', '/tenant', { TenantID: 'later' }), 201);
    assert.match((await deployed())?.Break?.Reason ?? '', /end of the trail had already been changed/);
  } finally {
    await own.close();
  }
});

test('a failed sign-in does not start a chain and is recorded without one', async () => {
  const { TenantID } = await newTenant(service);
  for (const table of ['audit_entry', 'audit_chain'])
    await change(sql`delete from ${sql.table(table)} where tenant_id = ${TenantID}`);
  const body = { TenantID, LoginID: 'nobody', Password: 'x' };
  expectStatus(await service.api('POST', '/session', body, ''), 401);
  const { Chains } = await verifyAudit(service.ctx);
  const found = Chains.find((chain) => chain.TenantID === TenantID);
  assert.deepEqual([found?.Entries, found?.Break?.Number], [2, 1]);
});

test('a tenant deleted since an earlier verification is not reported as missing, even if it was recreated', async () => {
  const [gone, again] = [await newTenant(service), await newTenant(service)];
  const own = [gone.TenantID, again.TenantID];
  const { Chains } = await verifyAudit(service.ctx);
  const known = Chains.filter(({ TenantID }) => TenantID === null || own.includes(TenantID));
  for (const id of own) {
    expectStatus(await service.api('PUT', `/tenant/${id}`, { Status: 'suspended' }), 200);
    expectStatus(await service.api('DELETE', `/tenant/${id}`), 200);
  }
  const breaks = async () => {
    const { Chains } = await verifyAudit(service.ctx, { known });
    return Chains.filter(({ TenantID, Break }) => Break && TenantID !== null && own.includes(TenantID));
  };
  assert.deepEqual(await breaks(), [], 'while it is being deleted');
  const later = { ...service.ctx, now: () => new Date(service.ctx.now().getTime() + 60_000) };
  const { finishDeletions } = await import('../privacy/delete-tenant.ts');
  await finishDeletions(later);
  expectStatus(await service.api('POST', '/tenant', { TenantID: again.TenantID }), 201);
  assert.deepEqual(await breaks(), []);
});

test('an earlier verification reveals that chains were removed and restarted', async () => {
  const own = await startService();
  const { startDeploymentTrail } = await import('./chain.ts');
  try {
    await own.api('PUT', '/tenant/test', { Name: 'first' });
    const { Chains: known } = await verifyAudit(own.ctx);
    for (const table of ['audit_entry', 'audit_chain'])
      await sql`/* across tenants: a test forges */ delete from ${sql.table(table)}`.execute(own.ctx.db);
    await sql`insert into setting (name, value) values ('audit_begins', 'due')`.execute(own.ctx.db);
    await startDeploymentTrail(own.ctx);
    const { Chains } = await verifyAudit(own.ctx, { known });
    assert.ok(Chains.length > 0 && Chains.every(({ Break }) => Break));
  } finally {
    await own.close();
  }
});

test('an entry is committed together with its change, or not at all', async () => {
  const tenant = await newTenant(service);
  const { transaction } = await import('../../db/transaction.ts');
  const { revokeKey } = await import('../identity/keys.ts');
  const before = await chainOf(tenant);
  await assert.rejects(
    transaction(service.ctx, async (ctx) => {
      await revokeKey(ctx, { keyId: tenant.keyId });
      throw new Error('rolled back');
    }),
  );
  assert.deepEqual(await chainOf(tenant), before);
});
