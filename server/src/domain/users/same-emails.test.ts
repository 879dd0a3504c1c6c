import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';
import { run, transaction } from '../../db/transaction.ts';
import { createKey } from '../identity/keys.ts';
import { sameEmailsText } from './bulk.ts';

const service = await startService();
after(service.close);

type Line = { LoginID: string; Status: number; SameEmailLoginID?: string };

async function bulk({ api }: TestTenant, rows: object[], query = '?Plan=true'): Promise<Line[]> {
  const body = rows.map((row) => JSON.stringify(row)).join('\n');
  const reply = await api('POST', `/user/bulk${query}`, body, { 'content-type': 'application/x-ndjson' });
  expectStatus(reply, 200);
  return String(reply.body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
const warned = (lines: Line[]) => lines.map(({ LoginID, SameEmailLoginID }) => [LoginID, SameEmailLoginID]);

test('a plan warns of rows that would give a user the address of another user', async () => {
  const tenant = await newTenant(service);
  const other = await newTenant(service);
  const Email = 'ann@acme.example';
  for (const LoginID of ['ann', 'zoe']) await tenant.user({ LoginID, Email });
  await tenant.user({ LoginID: 'bob', Email: 'bob@acme.example' });
  await other.user({ LoginID: 'eve', Email: 'eve@acme.example' });
  const rows = [
    { LoginID: 'new', Email: 'Ann@ACME.example' },
    // The user keeps the address.
    { LoginID: 'ann', Email, IfExists: 'update' },
    { LoginID: 'bob', Email, IfExists: 'update' },
    { LoginID: 'bob', Email: 'bob@acme.example', IfExists: 'update' },
    { LoginID: 'eve', Email: 'eve@acme.example' },
    { LoginID: 'own' },
    { LoginID: 'two', Email: 'two@acme.example' },
    { LoginID: 'three', Email: 'TWO@acme.example' },
    { LoginID: 'two', Email: 'two@acme.example' },
    { LoginID: 'bad', Email: 'none' },
  ];
  assert.deepEqual(warned(await bulk(tenant, rows)), [
    ['new', 'ann'],
    ['ann', undefined],
    ['bob', 'ann'],
    ['bob', undefined],
    ['eve', undefined],
    ['own', undefined],
    ['two', undefined],
    ['three', 'two'],
    ['two', undefined],
    ['bad', undefined],
  ]);
  const [made] = await bulk(tenant, rows.slice(0, 1), '');
  assert.deepEqual([made?.Status, made?.SameEmailLoginID], [201, undefined]);
});

test('users with the same address are found with their index, at most two for each address', async () => {
  const explained = await transaction(service.ctx, async (ctx) => {
    await sql`set local enable_seqscan = off`.execute(ctx.db);
    return run<{ 'QUERY PLAN': string }>(
      ctx,
      `/* across tenants: a test reads the plan */ explain ${sameEmailsText}`,
      ['test', ['a@x.example']],
    );
  });
  const plan = explained.map((line) => line['QUERY PLAN']).join('\n');
  assert.match(plan, /user_by_email/);
  assert.doesNotMatch(plan, /Sort Key: \(lower/);
});

test('a key without users:read does not learn to whom an address belongs', async () => {
  const tenant = await newTenant(service);
  await tenant.user({ LoginID: 'ann', Email: 'ann@acme.example' });
  const { Secret } = await createKey(service.ctx, {
    tenantId: tenant.TenantID,
    Name: 'import',
    Scopes: ['users:write'],
  });
  const api: TestTenant['api'] = (method, path, body, headers) =>
    service.api(method, path, body, Secret, headers);
  const rows = [{ LoginID: 'new', Email: 'ann@acme.example' }];
  assert.deepEqual(warned(await bulk(tenant, rows)), [['new', 'ann']]);
  assert.deepEqual(warned(await bulk({ ...tenant, api }, rows)), [['new', undefined]]);
});
