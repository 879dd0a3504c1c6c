import assert from 'node:assert/strict';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { routes } from '../src/app/app.ts';
import { databaseFunctions } from '../src/app/database-functions.ts';
import type { Engine } from '../src/db/engine/engine.ts';
import {
  assertFunctionTenantScoped,
  assertTenantScoped,
  guardTenants,
} from '../src/db/guard/tenant-guard.ts';
import { fill } from './support/filled-tenant.ts';
import { checkMutants, recordStatements } from './support/recorded-statements.ts';
import { startService } from './support/service.ts';
import { newTenant } from './support/tenant.ts';
import { mutantsOfBody } from './support/tenant-mutations.ts';
import { startReceiver } from './support/webhooks.ts';

// At the end of a run, scripts/test.ts checks the same for all statements of the suite.
const folder = await mkdtemp(join(tmpdir(), 'lectern-statements-'));

const service = await startService({
  env: { WEBHOOK_ALLOW: '127.0.0.1' },
  over: (engine) => recordStatements(engine, folder),
});
after(service.close);
const receiver = await startReceiver();
after(receiver.kill);

test('the tenant guard rejects every recorded statement without its tenant condition', async () => {
  const tenant = await newTenant(service);
  const names = await fill(service, receiver.url, tenant);
  for (const { method, path, access } of routes) {
    if (method !== 'GET' || access !== 'tenant') continue;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? 'x'));
    await tenant.api('GET', filled);
  }
  const { statements, mutants, accepted } = checkMutants(folder);
  assert.ok(statements >= 60 && mutants >= 40 * statements, `${statements} statements, ${mutants} mutants`);
  assert.deepEqual(accepted, []);
});

test('the tenant guard rejects every database function from which a tenant condition is removed', () => {
  for (const { file, body } of databaseFunctions) {
    const mutants = [...mutantsOfBody(body)];
    assert.ok(mutants.length >= 30, `${file}: ${mutants.length} mutants`);
    for (const { how, text } of mutants)
      assert.throws(() => assertFunctionTenantScoped('mutant', text), Error, `${file}, ${how}: ${text}`);
  }
});

test('a function must be checked, take its tenant as a parameter, and run no dynamic SQL', () => {
  const allowed = 'begin select own.user_id into found from "user" own where own.tenant_id = $1; end';
  assertFunctionTenantScoped('checked', allowed);
  const bodies = {
    'another tenant': allowed.replace('$1', '$2'),
    'a text': `begin execute 'select 1'; end`,
    'a loop over all tenants': 'begin for one in select * from enrolment loop return next one; end loop; end',
    'a condition': 'begin if exists (select from enrolment) then return; end if; end',
    'an assignment': 'begin n := (select count(*) from enrolment); end',
  };
  for (const [what, body] of Object.entries(bodies))
    assert.throws(() => assertFunctionTenantScoped('unchecked', body), Error, what);
  const verdict = assertTenantScoped('select n from checked($2, $1)');
  assert.deepEqual(verdict, { kind: 'one tenant', parameters: [2] });
  assert.throws(() => assertTenantScoped('select n from checked((select tenant_id from tenant), $1)'));
});

const nothing: Engine = {
  kind: 'postgres',
  isDistributed: () => false,
  query: async () => ({ rows: [], affected: 0 }),
  transaction: (work) => work(nothing),
  script: async () => {},
  load: () => ({ inUse: 0, waiting: 0, waits: 0 }),
  close: async () => {},
};

test('a statement whose conditions name two tenants is rejected when it runs', async () => {
  const engine = guardTenants(nothing);
  const text =
    'select 1 from enrolment e join "user" u on u.tenant_id = $1 and u.user_id = e.user_id where e.tenant_id = $2';
  await engine.query({ text, values: ['a', 'a'] });
  await assert.rejects(engine.query({ text, values: ['a', 'b'] }), /several tenants/);
  await assert.rejects(
    engine.transaction((connection) => connection.query({ text, values: ['a', 'b'] })),
    /several tenants/,
  );
});
