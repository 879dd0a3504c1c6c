import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { au, courseStructure } from '../../standards/cmi5/test-support.ts';
import { routes } from '../src/app/app.ts';
import { type Engine, type Statement, sharedTables } from '../src/db/engine/engine.ts';
import { guardTenants } from '../src/db/guard/tenant-guard.ts';
import { appendEvents } from '../src/domain/events/append.ts';
import { startDispatcher } from '../src/domain/events/webhooks/dispatcher.ts';
import { knownTenant } from '../src/domain/tenants/tenants.ts';
import type { Route } from '../src/http/routes.ts';
import { newId } from '../src/lib/ids.ts';
import { importAicc } from './support/aicc.ts';
import { startAu } from './support/au.ts';
import { onEngine, serve } from './support/nodes.ts';
import { packFiles, packUnits } from './support/packages.ts';
import { play } from './support/player.ts';
import { startService } from './support/service.ts';
import { newTenant, unique } from './support/tenant.ts';
import { until } from './support/until.ts';
import { startReceiver } from './support/webhooks.ts';

// Checks that each statement of a request belongs to its tenant, so that on Citus it waits only for the tenant's node.
// This file lists the exceptions.

const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
const tenant = await newTenant(service);
await service.importPackage('units', await packUnits(2));
await service.api('PUT', '/course/units/option/open', {});
const [played, waived] = ['https://example.com/played', 'https://example.com/waived'];
const structure = courseStructure(au({ id: played }) + au({ id: waived }));
await service.importPackage('cmi5', await packFiles({ 'cmi5.xml': structure, 'index.html': 'An AU' }));
await service.api('PUT', '/course/cmi5/option/open', {});

let seen: { owner: string | undefined; label: string }[] = [];
const label = ({ text }: Statement) => text.trim().slice(0, 100);
const { engine } = service.ctx;
const recordingEngine: Engine = {
  ...engine,
  query: (statement, owner) => {
    seen.push({ owner, label: label(statement) });
    return engine.query(statement, owner);
  },
  transaction: (work, owner) => {
    seen.push({ owner, label: 'a transaction' });
    return engine.transaction(work, owner);
  },
};
const ctx = onEngine(service.ctx, guardTenants(recordingEngine));
const node = await serve(ctx);
after(async () => {
  await node.close();
  await service.close();
});

const readsKey = /^select used\.key_id, used\.tenant_id/;

/** Statements on tables that all tenants share, whose results the service caches. On Citus, they need no worker node. */
const shared = [
  readsKey,
  /^update api_key set last_used_at/,
  /^select \* from "tenant" where/,
  /^select course\.title, course\.language, course\.url, release\.release_id/,
  /^select "standard", "tree" from "release"/,
  /^select "duration_id", "due_after" from "enrol_option"/,
];

function others(): string[] {
  return seen.flatMap(({ owner, label }) =>
    owner === tenant.TenantID || (owner === sharedTables && shared.some((shape) => shape.test(label)))
      ? []
      : [`${JSON.stringify(owner)}: ${label}`],
  );
}

const headers = { authorization: `Bearer ${tenant.key}` };

async function names(): Promise<Record<string, string>> {
  const LoginID = await tenant.user();
  const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/units`)).body;
  const { WebhookID } = (await tenant.api('POST', '/webhook', { URL: 'https://hooks.example/' })).body;
  const event = (await tenant.api('GET', '/events')).body.Items[0].EventID;
  return { LoginID, EnrollID, WebhookID, EventID: event, CourseID: 'units', DurationID: 'open', LaunchURL };
}

const bodies: Record<string, (known: Record<string, string>) => unknown> = {
  createUser: () => ({ LoginID: unique('paid'), Password: 'x'.repeat(20) }),
  checkPassword: () => ({ Password: 'x' }),
  updateUser: () => ({ FirstName: 'New' }),
  updateEnrolment: () => ({ Reference: 'new' }),
  resetEnrolment: () => ({ Reason: 'Again' }),
  createWebhook: () => ({ URL: 'https://hooks.example/2' }),
  issueEnrolmentKeys: () => ({ CourseIDs: ['units'], DurationIDs: ['open'] }),
};

const exampleHeaders = (route: Route) =>
  Object.fromEntries(Object.entries(route.headers ?? {}).map(([name, { example }]) => [name, example]));

/** The parameters that the route requires, with their examples. */
function exampleQuery({ query }: Route): string {
  const { required = [], properties = {} } = (query ?? {}) as {
    required?: string[];
    properties?: Record<string, { examples?: string[] }>;
  };
  return String(new URLSearchParams(required.map((name) => [name, properties[name]?.examples?.[0] ?? ''])));
}

function payloadOf(route: Route, known: Record<string, string>): object {
  const [example] = Object.values(route.raw?.examples ?? {});
  return (example ?? bodies[route.name]?.(known) ?? {}) as object;
}

/** Writes come first, so that reads find their data. Deletions come last. */
const orderOf = (method: string) => ['PUT', 'POST', 'GET', 'DELETE'].indexOf(method);
const ofTenant = routes
  .filter(({ access, streams }) => (access === 'tenant' || access === 'either') && !streams)
  .sort((a, b) => orderOf(a.method) - orderOf(b.method));

test("all statements from a tenant's routes belong to the tenant", async () => {
  const known = await names();
  const ok: string[] = [];
  for (const route of ofTenant) {
    const { method, path, name } = route;
    for (const key of [undefined, method === 'POST' ? unique('key') : undefined].slice(
      0,
      method === 'POST' ? 2 : 1,
    )) {
      seen = [];
      const url = path.replaceAll(/\{(\w+)\}/g, (_, part: string) =>
        encodeURIComponent(known[part] ?? 'none'),
      );
      const answer = await node.api.inject({
        method,
        url: `${url}?${exampleQuery(route)}`,
        headers: { ...headers, ...exampleHeaders(route), ...(key && { 'idempotency-key': key }) },
        ...(method === 'GET' ? {} : { payload: payloadOf(route, known) }),
      });
      assert.ok(answer.statusCode < 500, `${name}: ${answer.body}`);
      if (answer.statusCode < 300) ok.push(name);
      assert.deepEqual(others(), [], name);
    }
  }
  assert.ok(new Set(ok).size >= ofTenant.length / 2, `only ${ok} routes succeeded`);
});

const pathOf = (address: unknown) => String(address).slice(new URL(String(address)).origin.length);

test('all statements from learners and previews belong to their tenant', async () => {
  const { LaunchURL = '' } = await names();
  const { PreviewURL } = (await tenant.api('POST', '/catalogue/course/units/preview')).body;
  for (const [origin, link] of [
    ['api', LaunchURL],
    ['content', PreviewURL],
  ] as const) {
    seen = [];
    knownTenant.forget(ctx, tenant.TenantID);
    const click = await node[origin].inject({ url: pathOf(link) });
    assert.equal(click.statusCode, 303);
    const page = pathOf(click.headers.location);
    knownTenant.forget(ctx, tenant.TenantID);
    await node.content.inject({ url: page });
    const opened = await node.content.inject({ method: 'POST', url: `${page}/session` });
    assert.equal(opened.statusCode, 201, opened.body);
    const { Session, Data } = opened.json();
    knownTenant.forget(ctx, tenant.TenantID);
    const payload = { Number: 1, UnitID: Object.keys(Data)[0], Data: {} };
    const path = `/play/${Session}`;
    const saved = await node.content.inject({ method: 'POST', url: `${path}/commit`, payload });
    assert.equal(saved.statusCode, 200, saved.body);
    await node.content.inject({ url: `${path}/alive` });
    for (const file of ['page.html', 'none.html'])
      await node.content.inject({ url: `${path}/content/${file}` });
    assert.deepEqual(others(), [], origin);
  }
});

test('all statements from AICC units belong to their tenant', async () => {
  const CourseID = await importAicc(service);
  const { LaunchURL } = (await tenant.api('POST', `/enrol/${await tenant.user()}/${CourseID}`)).body;
  const { session } = await play(service, LaunchURL);
  seen = [];
  knownTenant.forget(ctx, tenant.TenantID);
  const url = `/play/${session.Session}/au`;
  const opened = await node.content.inject({ method: 'POST', url, payload: { UnitID: 'A1' } });
  assert.equal(opened.statusCode, 201, opened.body);
  const { URL: address, SessionID } = opened.json();
  for (const command of ['GetParam', 'PutParam', 'ExitAU']) {
    knownTenant.forget(ctx, tenant.TenantID);
    const payload = `command=${command}&session_id=${SessionID}&aicc_data=[core]%0Alesson_status=P`;
    const hacp = pathOf(new URL(address).searchParams.get('AICC_URL'));
    const answered = await node.content.inject({ method: 'POST', url: hacp, payload });
    assert.match(answered.body, /^error=0/);
  }
  assert.deepEqual(others(), []);
});

test('all statements from AUs and waivers belong to their tenant', async () => {
  const LoginID = await tenant.user();
  const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/cmi5`)).body;
  const { session } = await play(service, LaunchURL);
  const open = async () => {
    const url = `/play/${session.Session}/au`;
    const opened = await node.content.inject({ method: 'POST', url, payload: { UnitID: played } });
    assert.equal(opened.statusCode, 201, opened.body);
    return opened.json();
  };
  seen = [];
  knownTenant.forget(ctx, tenant.TenantID);
  const fetchUrl = new URL((await open()).URL).searchParams.get('fetch');
  const fetched = await node.content.inject({ method: 'POST', url: pathOf(fetchUrl) });
  assert.equal(fetched.statusCode, 200, fetched.body);
  const opened = await startAu(await open());
  await opened.preferences();
  const lrsHeaders = { authorization: `Basic ${opened.token}`, 'x-experience-api-version': '1.0.3' };
  for (const verb of ['initialized', 'completed', 'passed', 'terminated'] as const) {
    knownTenant.forget(ctx, tenant.TenantID);
    const payload = [opened.defined(verb)];
    const request = { method: 'POST', url: '/xapi/statements', headers: lrsHeaders, payload } as const;
    const stored = await node.api.inject(request);
    assert.equal(stored.statusCode, 200, stored.body);
  }
  const results = await node.content.inject({ url: `/play/${session.Session}/results` });
  assert.equal(results.statusCode, 200, results.body);
  const payload = { UnitID: waived, Reason: 'Tested Out' };
  const url = `/enrolment/${LoginID}/${EnrollID}/waive`;
  const waiver = await node.api.inject({ method: 'POST', url, headers, payload });
  assert.equal(waiver.statusCode, 200, waiver.body);
  assert.deepEqual(others(), []);
});

test('statements for deliveries to an endpoint belong to their tenant', async () => {
  const receiver = await startReceiver();
  receiver.answer((response) => response.writeHead(503).end());
  const { TenantID, api } = await newTenant(service);
  const { WebhookID } = (await api('POST', '/webhook', { URL: receiver.url })).body;
  const at = ctx.now();
  await appendEvents({ ...ctx, tenantId: TenantID }, [{ type: 'user.created', userId: newId(at), data: {} }]);
  await sql`update webhook set failing_since = ${new Date(at.getTime() - 80 * 3_600_000)}
    where tenant_id = ${TenantID}`.execute(ctx.db);
  seen = [];
  const dispatcher = startDispatcher(ctx);
  const hook = async () => (await api('GET', `/webhook/${WebhookID}`)).body;
  await until('the endpoint is disabled', async () => (await hook()).Status === 'disabled');
  await dispatcher.stop(1_000);
  await receiver.kill();
  const own = seen.filter(
    ({ label }) =>
      !/nodes deliver for all tenants|^select hook\.|^with free as|pg_dist_|^select \* from "tenant"/.test(
        label,
      ) && !readsKey.test(label),
  );
  assert.ok(own.some(({ label }) => label === 'a transaction'));
  assert.deepEqual(
    own.filter(({ owner }) => owner !== TenantID),
    [],
  );
});
