import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { routes } from '../src/app/app.ts';
import { signInUser } from '../src/domain/sign-in/test-support.ts';
import { listOf } from '../src/http/rows/export.ts';
import { tenantScopes } from '../src/infra/context/scopes.ts';
import { startService } from './support/service.ts';
import { expectStatus, newCourse, newTenant } from './support/tenant.ts';

// Anyone holding a launch link can start the course as that learner, so a file of them must not be made by accident.

const service = await startService();
after(service.close);
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
const key = await tenant.api('POST', '/enrolment/key', { CourseIDs: [CourseID], Count: 1 });

/** Every read without a further parameter, and the reads about this learner. */
const paths = routes.flatMap(({ method, path, access }) => {
  if (method !== 'GET' || (access !== 'tenant' && access !== 'either')) return [];
  const known: Record<string, string> = { LoginID, CourseID, EnrollID };
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole);
  return filled.includes('{') ? [] : [filled];
});
/** The single enrolment keeps its link. */
const single = `/enrolment/${LoginID}/${EnrollID}`;
const lists = paths.filter((path) => path !== single);
const withInclude = routes.filter(
  ({ query }) => 'Include' in ((query as { properties?: object } | undefined)?.properties ?? {}),
);

async function keyWith(scopes: readonly string[]): Promise<Record<string, string>> {
  const reply = await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'some', Scopes: scopes });
  expectStatus(reply, 201);
  return { authorization: `Bearer ${reply.body.Secret}` };
}

const without = (scope: string) => tenantScopes.filter((one) => one !== scope);
const callers: Record<string, Record<string, string>> = {
  'all scopes': await keyWith(tenantScopes),
  'no launch': await keyWith(without('enrolments:launch')),
  'no names': await keyWith(without('users:read')),
  'only launch and read': await keyWith(['enrolments:read', 'enrolments:launch']),
  administrator: { cookie: await signInUser(service, tenant, await tenant.user({ IsAdmin: true })) },
  learner: { cookie: await signInUser(service, tenant, LoginID) },
};
for (const scope of tenantScopes) callers[scope] = await keyWith([scope]);

/** Whether the path is a list, which is also available as rows. */
const listPaths = routes.filter((route) => listOf(route)).map(({ path }) => path);
const hasRows = (path: string) => listPaths.includes(path) || path === `/enrolment/${LoginID}`;
const types = ['application/json', 'text/csv', 'application/x-ndjson'];

test('no list and no export contains a launch link, for every kind of caller', async () => {
  assert.ok(key.status < 500);
  assert.ok(lists.includes('/enrolment') && lists.includes(`/enrolment/${LoginID}`));
  assert.ok(lists.includes(`/user/${LoginID}/export`));
  let read = 0;
  for (const [name, headers] of Object.entries(callers))
    for (const path of lists)
      for (const accept of hasRows(path) ? types : types.slice(0, 1)) {
        const reply = await fetch(service.baseUrl + path, { headers: { ...headers, accept } });
        const text = await reply.text();
        assert.ok(reply.status < 500, `${name} ${path}`);
        assert.ok(!text.includes('/launch?key='), `${name} ${path} ${accept}`);
        if (reply.status === 200) read++;
      }
  assert.ok(read > 50, `${read} answers`);
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
  assert.equal((await tenant.api('GET', single)).body.LaunchURL, made.body.LaunchURL);
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
