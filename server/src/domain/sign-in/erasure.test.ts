import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { otherNode, serve } from '../../../test/support/nodes.ts';
import { leavePasskey } from '../../../test/support/passkeys.ts';
import { play } from '../../../test/support/player.ts';
import { startService } from '../../../test/support/service.ts';
import {
  expectProblem,
  expectStatus,
  newCourse,
  newTenant,
  unique,
  withoutNames,
} from '../../../test/support/tenant.ts';
import { path } from '../../http/routes.ts';
import { newId, sha256 } from '../../lib/ids.ts';
import { insertAuSession } from '../enrolments/run-time/au-sessions.ts';
import { commitProgress } from '../enrolments/run-time/progress.ts';
import { startLaunch } from '../enrolments/run-time/start.ts';
import { allPersonalData } from '../privacy/all-personal-data.ts';
import { exportUser } from '../privacy/export-user.ts';

const service = await startService({
  env: { WEBHOOK_ALLOW: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'noreply@lectern.example' },
});
after(service.close);
const tenant = await newTenant(service);
const { api, events, TenantID } = tenant;
const ctx = { ...service.ctx, tenantId: TenantID };
/** Every text about this person contains this word. */
const mark = 'zanzibar';

type Part = { Data: string; Records: number };
const recordsOf = (parts: Part[]) => Object.fromEntries(parts.map(({ Data, Records }) => [Data, Records]));

/** A team, a requirement, a certificate, and accounts at an identity provider, a directory and a learning platform. */
async function leaveElsewhere(LoginID: string, EnrollID: string, CourseID: string): Promise<void> {
  await tenant.user({ ManagerLoginID: LoginID });
  const requirement = {
    Title: 'x',
    CourseIDs: [CourseID],
    DueAfter: 'P30D',
    Audience: { LoginIDs: [LoginID] },
  };
  expectStatus(await api('PUT', path`/requirement/${unique('duty')}`, requirement), 201);
  const Override = { Success: 'passed', Reason: mark };
  expectStatus(await api('PUT', path`/enrolment/${LoginID}/${EnrollID}`, { Override }), 200);
  expectStatus(await api('GET', path`/enrolment/${LoginID}/${EnrollID}/certificate`), 200);
  const [userId, id, now] = [await userIdOf(LoginID), newId(ctx.now()), ctx.now()];
  await sql`insert into identity_provider (tenant_id, provider_id, name, issuer, client_id, settings, is_enabled,
    is_required, created_at, updated_at) values (${TenantID}, 'own', 'x', 'https://x.example', 'x', '{}', false, false,
    ${now}, ${now}) on conflict do nothing`.execute(ctx.db);
  await sql`insert into user_identity (tenant_id, issuer, subject, user_id, provider_id, created_at, last_used_at)
    values (${TenantID}, 'https://x.example', ${LoginID}, ${userId}, 'own', ${now}, ${now})`.execute(ctx.db);
  await sql`insert into scim_user (tenant_id, user_id, user_name, folded_user_name, resource)
    values (${TenantID}, ${userId}, ${LoginID}, ${LoginID}, ${JSON.stringify({ userName: LoginID })})`.execute(
    ctx.db,
  );
  const completion = { LoginID, Title: mark, CompletedAt: '2026-01-31', Source: mark, EvidenceText: mark };
  expectStatus(await api('POST', '/completion', { ...completion, Reference: LoginID }), 201);
  await sql`insert into reminder (tenant_id, day, user_id, by_hand)
    values (${TenantID}, '2026-01-31', ${userId}, false)`.execute(ctx.db);
  await sql`insert into dispatch (tenant_id, dispatch_id, course_id, duration_id, standard, name, enabled, created_at,
    updated_at) values (${TenantID}, ${id}, ${CourseID}, 'standard', 'scorm12', 'x', true, ${now}, ${now})`.execute(
    ctx.db,
  );
  await sql`insert into dispatch_learner (tenant_id, dispatch_id, user_id, enroll_id, first_opened_at, last_opened_at)
    values (${TenantID}, ${id}, ${userId}, ${EnrollID}, ${now}, ${now})`.execute(ctx.db);
  await sql`insert into lti_link (tenant_id, link_id, enroll_id, platform_id, resource_link_id, user_id, subject, launched_at)
    values (${TenantID}, ${id}, ${EnrollID}, ${id}, 'x', ${userId}, ${LoginID}, ${now})`.execute(ctx.db);
  await sql`insert into lti_score (tenant_id, link_id, problem) values (${TenantID}, ${id}, ${mark})`.execute(
    ctx.db,
  );
  await sql`insert into lti_platform (tenant_id, platform_id, name, issuer, client_id, auth_url, token_url, jwks_url,
    created_at, updated_at) values (${TenantID}, ${id}, 'x', 'x', 'x', 'x', 'x', 'x', ${now}, ${now})`.execute(
    ctx.db,
  );
  await sql`insert into lti_context (tenant_id, platform_id, context_id, members_url)
    values (${TenantID}, ${id}, 'x', 'x')`.execute(ctx.db);
  await sql`insert into lti_member (tenant_id, platform_id, context_id, login_id, details)
    values (${TenantID}, ${id}, 'x', ${LoginID}, 'x')`.execute(ctx.db);
}

const userIdOf = async (LoginID: string) =>
  (
    await sql<{ user_id: string }>`
      select user_id from "user" where tenant_id = ${TenantID} and login_id = ${LoginID}`.execute(ctx.db)
  ).rows[0]?.user_id;

/** A person with an enrolment full of activity, an enrolment that was never launched, keys, and a session. */
async function newPerson() {
  const LoginID = unique(`${mark}-`);
  const names = { FirstName: mark, LastName: mark, Email: `${mark}@x.example` };
  expectStatus(await api('POST', '/user', { LoginID, ...names, Password: 'hash' }), 201);
  const [played, idle] = [await newCourse(service), await newCourse(service)];
  expectStatus(await service.api('PUT', `/course/${idle}`, { Certificate: { On: 'passed' } }), 200);
  const { EnrollID } = (
    await api('POST', `/enrol/${LoginID}/${played}`, { Reference: mark, Metadata: { Who: mark } })
  ).body;
  const { EnrollID: idleID } = (await api('POST', `/enrol/${LoginID}/${idle}`)).body;
  await startLaunch(ctx, { enrollId: EnrollID, returnUrl: `https://${mark}.example/`, userAgent: mark });
  const commit = (number: number) =>
    commitProgress(ctx, {
      enrollId: EnrollID,
      launch: 1,
      launchId: null,
      number,
      unitId: 'web',
      data: { 'lectern.completion': 'completed', 'cmi.suspend_data': mark },
      treeState: mark,
      root: null,
      exit: false,
      ...{ isDataOmitted: false, refused: [] },
    });
  await commit(1);
  const repeated = (await api('POST', `/enrol/${LoginID}/${await newCourse(service)}`)).body;
  const launch = await play(service, repeated.LaunchURL);
  expectStatus(await launch.commit({ Data: { 'cmi.suspend_data': mark } }), 200);
  const reset = { Reason: mark };
  expectStatus(await api('POST', `/enrolment/${LoginID}/${repeated.EnrollID}/reset`, reset), 200);
  const opened = { enrollId: EnrollID, sessionId: newId(ctx.now()), launch: 1 };
  await insertAuSession(ctx, { ...opened, unit_id: 'web', mode: 'Normal', tokenHash: mark });
  const keyed = { CourseIDs: [await newCourse(service)], DurationIDs: ['standard'], LoginID, Quantity: 2 };
  const [redeemed, unused] = (await api('POST', '/enrolment/key', keyed)).body.Items;
  expectStatus(await api('POST', `/enrol/key/${LoginID}/${redeemed.Key}`), 201);
  const { SignInURL } = (await api('POST', `/user/session/${LoginID}`)).body;
  const token = new URL(SignInURL).searchParams.get('token');
  const signedIn = await fetch(`${service.baseUrl}/session/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': mark },
    body: JSON.stringify({ token }),
    redirect: 'manual',
  });
  assert.equal(signedIn.status, 303);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  await report({ account: { homePage: service.ctx.config.baseUrl, name: LoginID } });
  await api('PUT', `/user/${LoginID}`, { GroupName: mark });
  expectStatus(await api('POST', '/invitation', { LoginID }), 201);
  await leavePasskey(service, { TenantID, LoginID }, mark);
  const file = `LoginID,FirstName\n${LoginID},${mark}\n`;
  expectStatus(await api('POST', '/import?Plan=true', file, { 'content-type': 'text/csv' }), 201);
  await leaveElsewhere(LoginID, idleID, played);
  return { LoginID, EnrollID, idleID, redeemed, unused, cookie, commit, course: played };
}

/** Stores a statement and a document about the person. */
async function report(agent: { account: { homePage: string; name: string } }): Promise<void> {
  const version = { 'x-experience-api-version': '1.0.3' };
  const activityId = `https://${mark}.example/activity`;
  const statement = {
    actor: agent,
    verb: { id: `https://${mark}.example/verb` },
    object: { id: activityId },
  };
  expectStatus(await api('POST', '/xapi/statements', statement, version), 200);
  const query = new URLSearchParams({ activityId, agent: JSON.stringify(agent), stateId: mark });
  expectStatus(await api('PUT', `/xapi/activities/state?${query}`, { note: mark }, version), 204);
}

/** The rows of all tenants' tables that contain the text. Reports of requirements keep the group. */
async function rowsWith(text: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'tenant_id' and is_nullable = 'NO'`.execute(ctx.db);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(held)::text as row from ${sql.table(name)} held
      where held.tenant_id = ${TenantID} and replace(to_jsonb(held)::text, ${`"group_names": ["${mark}"]`}, '') ilike ${`%${text}%`} order by 1`.execute(
      ctx.db,
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

const withoutAuditTrail = (rows: string[]) => rows.filter((row) => !row.startsWith('audit_entry:'));

test('an erasure leaves anonymous results, but nothing that identifies the person', async () => {
  const person = await newPerson();
  const { rows } = await sql<{ user_id: string }>`
    select user_id from "user" where tenant_id = ${TenantID} and login_id = ${person.LoginID}`.execute(
    ctx.db,
  );
  const userId = rows[0]?.user_id ?? '';
  assert.ok((await rowsWith(mark)).length > 5);

  const reply = await api('DELETE', `/user/${person.LoginID}`);
  expectStatus(reply, 200);
  const { ReceiptID, Erased, Kept, ...rest } = reply.body;
  assert.equal(typeof ReceiptID, 'string');
  assert.deepEqual(rest, { LoginID: person.LoginID, Plan: false, ErasedAt: rest.ErasedAt, Holds: [] });
  const erased = recordsOf(Erased);
  assert.deepEqual(
    [
      erased.User,
      erased.Enrolments,
      erased.Launches,
      erased.RunTimeData,
      erased.EarlierAttempts,
      erased.UnitSessions,
      erased.EnrolmentKeys,
      erased.Sessions,
    ],
    [1, 4, 2, 1, 1, 1, 2, 1],
  );
  // Events that the erasure itself writes about withdrawn enrolments are not counted.
  assert.ok((erased.Events ?? 0) > 7);
  assert.equal(recordsOf(Kept).Enrolments, 4);
  for (const { What, Why } of Kept) assert.ok(What && Why);

  assert.deepEqual(await rowsWith(mark), []);
  // The trail is never rewritten; the user's ID in it identifies nobody.
  assert.deepEqual(withoutAuditTrail(await rowsWith(userId)), []);
  assert.ok(!JSON.stringify(await events()).includes(mark));

  const { rows: kept } = await sql<Record<string, unknown>>`
    select enroll_id, status, completion, ended_at is not null as ended from enrolment
    where tenant_id = ${TenantID} and enroll_id = any(${[person.EnrollID, person.idleID]}) order by enroll_id`.execute(
    ctx.db,
  );
  assert.deepEqual(kept, [
    { enroll_id: person.EnrollID, status: 'completed', completion: 'completed', ended: true },
    { enroll_id: person.idleID, status: 'withdrawn', completion: 'unknown', ended: true },
  ]);
});

test('links, sessions, late commits and keys are rejected after an erasure', async () => {
  const person = await newPerson();
  const { LaunchURL } = (await api('GET', `/enrolment/${person.LoginID}/${person.EnrollID}`)).body;
  expectStatus(await api('DELETE', `/user/${person.LoginID}`), 200);
  expectProblem(await api('GET', `/user/${person.LoginID}`), 404, 'user_not_found');
  expectProblem(
    await api('GET', `/enrolment/${person.LoginID}/${person.EnrollID}`),
    404,
    'enrolment_not_found',
  );
  expectProblem(await api('GET', `/user/${person.LoginID}/export`), 404, 'user_not_found');
  assert.equal((await fetch(LaunchURL, { redirect: 'manual' })).status, 404);
  const session = await fetch(`${service.baseUrl}/session`, { headers: { cookie: person.cookie } });
  assert.equal(session.status, 401);
  await assert.rejects(person.commit(2), { code: 'enrolment_erased' });
  const key = (await api('GET', `/enrolment/key/${person.unused.KeyID}`)).body;
  assert.deepEqual([key.Status, key.LoginID], ['revoked', null]);
  const used = (await api('GET', `/enrolment/key/${person.redeemed.KeyID}`)).body;
  assert.deepEqual(
    [used.Status, used.LoginID, used.RedeemedBy, used.EnrollIDs],
    ['redeemed', null, null, []],
  );
});

test('an erasure writes one event that does not identify the person', async () => {
  const { LoginID } = await newPerson();
  const before = (await events()).length;
  const first = await api('DELETE', `/user/${LoginID}`);
  const reported = (await events()).slice(before);
  assert.deepEqual(reported.map(({ type }) => type).sort(), [
    'enrolment.withdrawn',
    'enrolment.withdrawn',
    'enrolment.withdrawn',
    'user.erased',
    // The person was the manager of a user.
    'user.updated',
  ]);
  const erased = reported.find(({ type }) => type === 'user.erased');
  assert.deepEqual(erased?.data, { ReceiptID: first.body.ReceiptID });
  const again = await api('DELETE', `/user/${LoginID}`);
  expectStatus(again, 200);
  assert.deepEqual(again.body, first.body);
  assert.equal((await events()).length, before + reported.length);
});

test('concurrent erasures on two nodes return the same receipt', async () => {
  const { LoginID } = await newPerson();
  const nodes = [await serve(service.ctx), await serve(otherNode(service.ctx))];
  const replies = await Promise.all(
    Array.from({ length: 4 }, (_, n) =>
      (nodes[n % 2] as (typeof nodes)[0]).api.inject({
        method: 'DELETE',
        url: `/user/${LoginID}`,
        headers: { authorization: `Bearer ${tenant.key}` },
      }),
    ),
  );
  await Promise.all(nodes.map((node) => node.close()));
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200, 200, 200, 200],
  );
  assert.equal(new Set(replies.map(({ body }) => body)).size, 1);
});

test('a stored response reveals nothing about an erased person, and a late retry does not recreate the person', async () => {
  const LoginID = unique('keyed');
  const course = await newCourse(service);
  const requests = [
    ['/user', { LoginID, Email: 'erased@mail.example' }],
    [`/enrol/${LoginID}/${course}`, {}],
  ] as const;
  const send = ([path, body]: (typeof requests)[number]) =>
    api('POST', path, body, { 'idempotency-key': `${LoginID} ${path}` });
  for (const request of requests) expectStatus(await send(request), 201);
  const { body: receipt } = await api('DELETE', `/user/${LoginID}`);
  const erased = receipt.Erased.find(({ Data }: { Data: string }) => Data === 'StoredResponses');
  assert.equal(erased.Records, 2);
  for (const request of requests) {
    const again = await send(request);
    assert.deepEqual([again.status, again.body.code], [404, 'user_not_found']);
    assert.ok(!JSON.stringify(again.body).includes('erased@mail.example'));
  }
  expectStatus(await api('GET', `/user/${LoginID}`), 404);
});

test('a copy of the database does not reveal who a stored response was about, before or after an erasure', async () => {
  const LoginID = unique('keyed');
  const send = (path: string, body: object) =>
    api('POST', path, body, { 'idempotency-key': `${LoginID} ${path}` });
  const abouts = async () => {
    const { rows } = await sql<{ about: string | null }>`
      select encode(about, 'hex') as about from stored_answer where tenant_id = ${tenant.TenantID}`.execute(
      service.ctx.db,
    );
    return rows.map(({ about }) => about);
  };
  const withoutKey = sha256(`${tenant.TenantID}\0${LoginID}`);
  const before = new Set(await abouts());
  expectStatus(await send('/user', { LoginID }), 201);
  const [written, ...others] = (await abouts()).filter((about) => !before.has(about));
  assert.deepEqual(others, []);
  assert.ok(written && written !== withoutKey);
  expectStatus(await send(`/enrol/${LoginID}/${await newCourse(service)}`, {}), 201);
  assert.equal((await abouts()).filter((about) => about === written).length, 2);
  const { body } = await api('DELETE', `/user/${LoginID}`);
  assert.equal(body.Erased.find(({ Data }: { Data: string }) => Data === 'StoredResponses').Records, 2);
  const left = await abouts();
  assert.ok(!left.includes(written), 'nothing links the person to the row');
});

test('an erasure plan lists what would be erased and changes nothing', async () => {
  const { LoginID, cookie } = await newPerson();
  const before = [await rowsWith(''), (await api('GET', `/user/${LoginID}`)).body];
  const plan = await api('DELETE', `/user/${LoginID}?Plan=true`);
  expectStatus(plan, 200);
  assert.deepEqual([plan.body.Plan, plan.body.ReceiptID, plan.body.ErasedAt], [true, null, null]);
  assert.deepEqual([await rowsWith(''), (await api('GET', `/user/${LoginID}`)).body], before);
  assert.equal((await fetch(`${service.baseUrl}/session`, { headers: { cookie } })).status, 200);
  const { body } = await api('DELETE', `/user/${LoginID}`);
  assert.deepEqual([plan.body.Erased, plan.body.Kept], [body.Erased, body.Kept]);
});

test('an enrolment during an erasure either comes first, or is rejected because the user is disabled or not found', async () => {
  const courses = await Promise.all(Array.from({ length: 3 }, () => newCourse(service)));
  for (let round = 0; round < 4; round++) {
    const LoginID = await tenant.user();
    const replies = await Promise.all([
      ...courses.map((course) => api('POST', `/enrol/${LoginID}/${course}`)),
      api('DELETE', `/user/${LoginID}`),
      ...courses.map((course) => api('POST', `/enrol/${LoginID}/${course}`)),
      api('POST', `/user/session/${LoginID}`),
    ]);
    for (const { status, body } of replies)
      assert.ok([200, 201, 404, 503].includes(status) || body.code === 'user_disabled', JSON.stringify(body));
    assert.equal(replies[3]?.status, 200);
    const { rows } =
      await sql`select 1 from "user" where tenant_id = ${TenantID} and login_id = ${LoginID}`.execute(ctx.db);
    assert.deepEqual(rows, []);
  }
});

test('the event log and webhook deliveries are anonymised too', async () => {
  const person = await newPerson();
  const { body: hook } = await api('POST', '/webhook', { URL: 'http://127.0.0.1:9/hook' });
  const { rows } = await sql<{ event_id: string; user_id: string }>`
    select event_id, user_id from event where tenant_id = ${TenantID} and type = 'user.updated'
    order by event_id desc limit 1`.execute(ctx.db);
  const [reported] = rows;
  assert.ok(reported?.user_id);
  await sql`insert into webhook_delivery (tenant_id, webhook_id, delivery_id, event_id, type, lane, reason, status,
      created_at, response_status, response_body)
    values (${TenantID}, ${hook.WebhookID}, ${reported.event_id}, ${reported.event_id}, 'user.updated', ${reported.user_id}, 'event',
      'delivered', now(), 200, ${mark})`.execute(ctx.db);
  const exported = (await api('GET', `/user/${person.LoginID}/export`)).body;
  assert.deepEqual(
    exported.Deliveries.map(({ EventID, URL }: { EventID: string; URL: string }) => [EventID, URL]),
    [[reported.event_id, 'http://127.0.0.1:9/hook']],
  );
  const { body } = await api('DELETE', `/user/${person.LoginID}`);
  assert.equal(recordsOf(body.Kept).Deliveries, 1);
  assert.deepEqual([await rowsWith(mark), withoutAuditTrail(await rowsWith(reported.user_id))], [[], []]);
  const deliveries = await api('GET', `/webhook/${hook.WebhookID}/delivery`);
  expectStatus(deliveries, 200);
  const items: { EventID: string }[] = [];
  for (let cursor = ''; ; ) {
    const page = await api('GET', `/events?Limit=200${cursor}`);
    expectStatus(page, 200);
    if (page.body.Items.length === 0) break;
    items.push(...page.body.Items);
    cursor = `&after=${encodeURIComponent(page.body.NextCursor)}`;
  }
  assert.ok(items.some(({ EventID }) => EventID === reported.event_id));
  assert.ok(!JSON.stringify([items, deliveries.body]).includes(mark));
});

test('an erased LoginID can be assigned to another person', async () => {
  const { LoginID, unused, course } = await newPerson();
  const first = (await api('DELETE', `/user/${LoginID}`)).body;
  expectStatus(await api('POST', '/user', { LoginID, FirstName: 'Other' }), 201);
  assert.deepEqual((await api('GET', `/enrolment/${LoginID}`)).body.Items, []);
  expectProblem(await api('POST', `/enrol/key/${LoginID}/${unused.Key}`), 409, 'key_revoked');
  expectStatus(await api('POST', `/enrol/${LoginID}/${course}`), 201);
  const second = (await api('DELETE', `/user/${LoginID}`)).body;
  assert.notEqual(second.ReceiptID, first.ReceiptID);
  assert.equal(recordsOf(second.Erased).Enrolments, 1);
  assert.deepEqual((await api('DELETE', `/user/${LoginID}`)).body, second);
});

test("another tenant's users, and users that do not exist, cannot be erased or exported", async () => {
  const { LoginID } = await newPerson();
  const other = await newTenant(service);
  for (const named of [LoginID, unique('nobody')]) {
    expectProblem(await other.api('DELETE', `/user/${named}`), 404, 'user_not_found', 'LoginID');
    expectProblem(await other.api('DELETE', `/user/${named}?Plan=true`), 404, 'user_not_found');
    expectProblem(await other.api('GET', `/user/${named}/export`), 404, 'user_not_found');
  }
  expectProblem(await api('DELETE', `/user/${LoginID}?Plan=maybe`), 422, 'validation_failed', 'Plan');
  expectStatus(await api('GET', `/user/${LoginID}`), 200);
});

test('the export contains all data held about the person', async () => {
  const person = await newPerson();
  const ExpiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString();
  expectStatus(await api('PUT', `/enrolment/${person.LoginID}/${person.idleID}`, { ExpiresAt }), 200);
  expectStatus(await api('GET', '/report/access'), 200);
  expectStatus(await api('PUT', `/user/${person.LoginID}`, { IsAdmin: true }), 200);
  const scheduled = await api('POST', '/report/schedule', {
    ...{ Name: 'x', Report: 'completion', Every: 'day', Time: '07:00', TimeZone: 'UTC' },
    ...{ Delivery: 'email', Recipients: [person.LoginID] },
  });
  expectStatus(scheduled, 201);
  expectStatus(await api('PUT', `/user/${person.LoginID}/hold/case`, { Reason: 'Litigation' }), 201);
  const reply = await api('GET', `/user/${person.LoginID}/export`);
  expectStatus(reply, 200);
  const { body } = reply;
  assert.equal(body.LoginID, person.LoginID);
  assert.deepEqual(body.User, [(await api('GET', `/user/${person.LoginID}`)).body]);
  assert.deepEqual(
    body.Enrolments,
    (await api('GET', `/enrolment/${person.LoginID}`)).body.Items.map(withoutNames),
  );
  // Evidence is retained only after an erasure.
  for (const { name } of allPersonalData)
    assert.ok(['Deliveries', 'RetainedEvidence'].includes(name) || body[name].length > 0, name);
  assert.equal(body.Launches[0].UserAgent, mark);
  assert.equal(body.RunTimeData.at(-1).Data['cmi.suspend_data'], mark);
  assert.equal(body.EnrolmentKeys.length, 2);
  assert.ok(body.Events.some(({ Type }: { Type: string }) => Type === 'key.redeemed'));
  assert.ok(!reply.headers.get('content-length'), 'streamed');

  const { Secret } = (
    await service.api('POST', `/tenant/${TenantID}/key`, { Name: 'users only', Scopes: ['users:read'] })
  ).body;
  const refused = await service.api('GET', `/user/${person.LoginID}/export`, undefined, Secret);
  expectProblem(refused, 403, 'scope_missing');
});

test('an export completes even if the person is erased in the meantime, without including a new user with the same LoginID', async () => {
  const { LoginID } = await newPerson();
  const chunks = await exportUser(ctx, { loginId: LoginID });
  let written: string = (await chunks.next()).value;
  expectStatus(await api('DELETE', `/user/${LoginID}`), 200);
  expectStatus(await api('POST', '/user', { LoginID, FirstName: 'Other' }), 201);
  for await (const chunk of chunks) written += chunk;
  const body = JSON.parse(written);
  assert.equal(body.LoginID, LoginID);
  assert.deepEqual(body.User, []);
});
