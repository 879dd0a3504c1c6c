import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { routes } from '../src/app/app.ts';
import { listOf } from '../src/http/rows/export.ts';
import { tenantScopes } from '../src/infra/context/scopes.ts';
import { fill } from './support/filled-tenant.ts';
import { startService } from './support/service.ts';
import { signInOperator, signInUser } from './support/sign-in.ts';
import { expectStatus, newCourse, newTenant, type TestTenant } from './support/tenant.ts';
import { startReceiver } from './support/webhooks.ts';

// Anyone holding a launch link can start the course as that learner, so a file of them must not be made by accident.

type Caller = Record<string, string>;

const receiver = await startReceiver();
const service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1' } });
after(async () => {
  await receiver.kill();
  await service.close();
});
const tenant = await newTenant(service);
const CourseID = await newCourse(service);
const LoginID = await tenant.user({
  FirstName: 'Ada',
  LastName: 'Lane',
  Email: 'ada@acme.example',
  GroupName: 'Sales',
});
const made = await tenant.api('POST', `/enrol/${LoginID}/${CourseID}`);
expectStatus(made, 201);
const { EnrollID } = made.body;

/** A tenant with a row in every table, whose reads are all tried. */
const filled = await newTenant(service, { Status: 'test' });
const values = await fill(service, receiver.url, filled);
/** The single enrolment keeps its link. */
const single = '/enrolment/{LoginID}/{EnrollID}';
const reads = routes.filter(
  ({ method, path, access }) =>
    method === 'GET' && ['tenant', 'either', 'operator'].includes(access) && path !== single,
);
const addressOf = (path: string) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    assert.ok(values[name] !== undefined, `${path} needs a ${name}: add it to the filled tenant`);
    return encodeURIComponent(values[name]);
  });
const withInclude = routes.filter(
  ({ query }) => 'Include' in ((query as { properties?: object } | undefined)?.properties ?? {}),
);

async function keyWith({ TenantID }: TestTenant, scopes: readonly string[]): Promise<Caller> {
  const reply = await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'some', Scopes: scopes });
  expectStatus(reply, 201);
  return { authorization: `Bearer ${reply.body.Secret}` };
}

const without = (scope: string) => tenantScopes.filter((one) => one !== scope);

async function callersOf(of: TestTenant, learner: string): Promise<Record<string, Caller>> {
  const admin = await of.user({ IsAdmin: true });
  const some: Record<string, Caller> = {
    'all scopes': await keyWith(of, tenantScopes),
    'no launch': await keyWith(of, without('enrolments:launch')),
    'no names': await keyWith(of, without('users:read')),
    'only launch and read': await keyWith(of, ['enrolments:read', 'enrolments:launch']),
    administrator: { cookie: await signInUser(service, of, admin) },
    learner: { cookie: await signInUser(service, of, learner) },
  };
  for (const scope of tenantScopes) some[scope] = await keyWith(of, [scope]);
  return some;
}

const callers = await callersOf(tenant, LoginID);
const types = ['application/json', 'text/csv', 'application/x-ndjson'];

test('no list and no export contains a launch link, for every kind of caller', async () => {
  const { cookie } = { cookie: await signInOperator(service) };
  const operator = { cookie, tenant: encodeURIComponent(filled.TenantID) };
  const all = { operator, ...(await callersOf(filled, values.LoginID ?? '')) };
  const answered = new Set<string>();
  for (const [name, headers] of Object.entries(all))
    for (const route of reads)
      for (const accept of listOf(route) ? types : types.slice(0, 1)) {
        const address = service.baseUrl + addressOf(route.path);
        const version = { 'x-experience-api-version': '2.0.0' };
        const reply = await fetch(address, { headers: { ...headers, ...version, accept } });
        const text = await reply.text();
        assert.ok(reply.status < 500, `${name} ${route.path}: ${text}`);
        assert.ok(!text.includes('/launch?key='), `${name} ${route.path} ${accept}`);
        if (reply.status === 200) answered.add(route.path);
      }
  const silent = reads.map(({ path }) => path).filter((path) => !answered.has(path));
  // They need a query, a course that is a path or a tool, or an import from a URL.
  const others = /^\/xapi\/(activities|agents)|\/(path|tool)$|^\/course\/\{CourseID\}\/import\//;
  assert.deepEqual(
    silent.filter((path) => !others.test(path)),
    [],
  );
});

test('Include=LaunchURL adds the links for a key that may launch, and is refused for others', async () => {
  assert.deepEqual(
    withInclude.map(({ path }) => path),
    ['/enrolment', '/enrolment/{LoginID}'],
  );
  for (const path of ['/enrolment?Include=LaunchURL', `/enrolment/${LoginID}?Include=LaunchURL`])
    for (const [name, headers] of Object.entries(callers)) {
      const reply = await fetch(service.baseUrl + path, { headers });
      const body = await reply.json();
      if (reply.status === 200) assert.equal(body.Items[0].LaunchURL, made.body.LaunchURL, name);
      else assert.ok(!JSON.stringify(body).includes('/launch?key='), name);
    }
  const refused = await fetch(`${service.baseUrl}/enrolment?Include=LaunchURL`, {
    headers: callers['no launch'] ?? {},
  });
  const { code, detail } = await refused.json();
  assert.deepEqual([refused.status, code], [403, 'scope_missing']);
  assert.match(detail, /Include=LaunchURL requires the scope enrolments:launch/);
  const file = await fetch(`${service.baseUrl}/enrolment?Include=LaunchURL`, {
    headers: { ...callers['all scopes'], accept: 'text/csv' },
  });
  assert.ok((await file.text()).includes('/launch?key='));
  const own = await tenant.api('GET', `/enrolment/${LoginID}/${EnrollID}`);
  assert.equal(own.body.LaunchURL, made.body.LaunchURL);
});

test('list rows name the learner for a key that can read users', async () => {
  const rowFor = async (caller: string) =>
    (await (await fetch(`${service.baseUrl}/enrolment`, { headers: callers[caller] ?? {} })).json()).Items[0];
  const names = ({ FirstName, LastName, Email, GroupName }: Record<string, unknown>) => [
    FirstName,
    LastName,
    Email,
    GroupName,
  ];
  assert.deepEqual(names(await rowFor('all scopes')), ['Ada', 'Lane', 'ada@acme.example', 'Sales']);
  assert.deepEqual(names(await rowFor('no names')), [null, null, null, null]);
  const file = await tenant.api('GET', '/enrolment', undefined, { accept: 'text/csv' });
  const [header, row] = file.body.split('\r\n');
  assert.ok(
    header.startsWith(
      'EnrollID,LoginID,CourseID,DurationID,FirstName,LastName,Email,GroupName,CourseTitle,Status,Outcome,',
    ),
  );
  assert.ok(row.includes(',Ada,Lane,ada@acme.example,Sales,'), row);
});
