import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { limitConnections } from '../src/db/connections.ts';
import { isDistributed } from '../src/db/distribute.ts';
import { transaction } from '../src/db/transaction.ts';
import { expireEnrolments } from '../src/domain/enrolments/expire.ts';
import { lockRegistration } from '../src/domain/enrolments/run-time/au-sessions.ts';
import { claimEndpoints } from '../src/domain/events/webhooks/claim.ts';
import { eventSource } from '../src/domain/events/webhooks/event-source.ts';
import { finishDeletions } from '../src/domain/privacy/delete-tenant.ts';
import { takeDeletion } from '../src/domain/tenants/deletion.ts';
import { deleteExpiredResponses } from '../src/infra/calls/stored-responses.ts';
import { newId, sha256 } from '../src/lib/ids.ts';
import { lockWaits } from './support/lock-waits.ts';
import { onEngine, serve } from './support/nodes.ts';
import { startService } from './support/service.ts';
import { expectProblem, expectStatus, newCourse, newTenant } from './support/tenant.ts';
import { until } from './support/until.ts';

// A tenant can make its own statements wait for row locks. Other tenants must not be affected.

const skip =
  !process.env.TEST_DATABASE_URL && 'the embedded database has one connection; runs with --postgres';
const service = await startService({ env: { TRUST_PROXY: 'true' } });
after(() => service.close());
const { ctx } = service;

function bodyOf(reply: Awaited<ReturnType<typeof service.api>>, status: number) {
  expectStatus(reply, status);
  return reply.body;
}

/** Calls `work` while another transaction locks a row, as a slow request would. */
async function whileLocked<Result>(
  table: string,
  condition: ReturnType<typeof sql>,
  work: () => Promise<Result>,
): Promise<Result> {
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const ended = transaction(ctx, async (ctx) => {
    await sql`select 1 from ${sql.table(table)} locked where ${condition} for update`.execute(ctx.db);
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  try {
    return await work();
  } finally {
    released.resolve();
    await ended;
  }
}

async function timed<Result>(work: Promise<Result>): Promise<{ result: Result; milliseconds: number }> {
  const begun = performance.now();
  const result = await work;
  return { result, milliseconds: performance.now() - begun };
}

test('an enrolment that waits for a lock on its user does not block other enrolments', { skip }, async () => {
  await service.api('PUT', '/course/shared', { Title: 'Shared' });
  expectStatus(await service.api('PUT', '/course/shared/option/seats', { Seats: 100 }), 201);
  const [slow, other] = [await newTenant(service), await newTenant(service)];
  const [locked, free] = [await slow.user(), await other.user()];
  const ofUser = sql`locked.tenant_id = ${slow.TenantID} and locked.login_id = ${locked}`;
  const [waiting, { result, milliseconds }] = await whileLocked('user', ofUser, async () => {
    const waiting = slow.api('POST', `/enrol/${locked}/shared`);
    await delay(200);
    return [{ reply: waiting }, await timed(other.api('POST', `/enrol/${free}/shared`))] as const;
  });
  expectStatus(result, 201);
  assert.ok(milliseconds < 1_000, `another tenant waited ${milliseconds} ms`);
  expectStatus(await waiting.reply, 201);
});

test('a request that waits for a lock gives up after two seconds, and can be retried', { skip }, async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user();
  const ofUser = sql`locked.tenant_id = ${tenant.TenantID} and locked.login_id = ${LoginID}`;
  const change = () => tenant.api('PUT', `/user/${LoginID}`, { FirstName: 'New' });
  const { result, milliseconds } = await whileLocked('user', ofUser, () => timed(change()));
  expectStatus(result, 503);
  assert.ok(result.headers.get('retry-after'));
  assert.ok(milliseconds < 4_000, `it waited ${milliseconds} ms`);
  expectStatus(await change(), 200);
});

test('a call that waits for the expired response of its key has not locked the event log', {
  skip,
}, async () => {
  const tenant = await newTenant(service);
  const post = (LoginID: string) => tenant.api('POST', '/user', { LoginID }, { 'idempotency-key': 'reused' });
  expectStatus(await post('first'), 201);
  const ofTenant = sql`locked.tenant_id = ${tenant.TenantID}`;
  await sql`update stored_answer locked set expires_at = now() where ${ofTenant}`.execute(ctx.db);
  const [waiting, { result, milliseconds }] = await whileLocked('stored_answer', ofTenant, async () => {
    const waiting = post('second');
    await delay(200);
    return [{ reply: waiting }, await timed(tenant.api('POST', '/user', { LoginID: 'third' }))] as const;
  });
  expectStatus(result, 201);
  assert.ok(milliseconds < 1_000, `another request waited ${milliseconds} ms`);
  expectStatus(await waiting.reply, 201);
});

test("while one tenant's endpoint is locked, endpoints of other tenants can still be claimed", {
  skip,
}, async () => {
  const [slow, other] = [await newTenant(service), await newTenant(service)];
  const URL = 'https://93.184.216.34/';
  const made: string[] = [];
  for (const tenant of [slow, other]) {
    made.push(bodyOf(await tenant.api('POST', '/webhook', { URL }), 201).WebhookID);
    await tenant.user();
  }
  const claim = async () => {
    const claimed = await claimEndpoints(ctx, {
      owner: newId(ctx.now()),
      max: 100,
      sources: { events: eventSource },
    });
    return made.map((id) => claimed.some(({ webhook_id }) => webhook_id === id));
  };
  const ofTenant = sql`locked.tenant_id = ${slow.TenantID}`;
  assert.deepEqual(await whileLocked('webhook', ofTenant, claim), [false, true]);
  assert.deepEqual(await claim(), [true, false]);
});

test('a unit that waits for its learner has not locked the enrolment', { skip }, async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user();
  const made = await tenant.api('POST', `/enrol/${LoginID}/${await newCourse(service)}`);
  const { EnrollID: enrollId } = bodyOf(made, 201);
  const ofUser = sql`locked.tenant_id = ${tenant.TenantID} and locked.login_id = ${LoginID}`;
  const waiting = await whileLocked('user', ofUser, async () => {
    const locking = transaction({ ...ctx, tenantId: tenant.TenantID }, (ctx) =>
      lockRegistration(ctx, enrollId),
    );
    await delay(200);
    await sql`select 1 from enrolment where tenant_id = ${tenant.TenantID} and enroll_id = ${enrollId}
      for update nowait`.execute(ctx.db);
    return { locking };
  });
  assert.equal((await waiting.locking)?.enroll_id, enrollId);
});

test('invitations that wait for a user have not locked users with a later LoginID', { skip }, async () => {
  const tenant = await newTenant(service);
  // In the order of bytes, in which other changes lock users. In the order of words, "a" comes first.
  const [first, later] = ['B', 'a'];
  for (const LoginID of [first, later]) expectStatus(await tenant.api('POST', '/user', { LoginID }), 201);
  const rows = [later, first].map((LoginID) => JSON.stringify({ LoginID })).join('\n');
  const ofFirst = sql`locked.tenant_id = ${tenant.TenantID} and locked.login_id = ${first}`;
  const waiting = await whileLocked('user', ofFirst, async () => {
    const invited = tenant.api('POST', '/invitation/bulk', rows, { 'content-type': 'application/x-ndjson' });
    await until('the invitations wait', async () => (await lockWaits(ctx.engine)) > 0);
    await sql`select 1 from "user" where tenant_id = ${tenant.TenantID} and login_id = ${later}
      for update nowait`.execute(ctx.db);
    return { invited };
  });
  expectStatus(await waiting.invited, 200);
});

test('looking up a key does not wait for a lock on its row', {
  skip:
    skip || ((await isDistributed(ctx.engine)) && 'on Citus, writes to a shared table wait for each other'),
}, async () => {
  const tenant = await newTenant(service);
  const created = await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'new' });
  const { Secret } = bodyOf(created, 201);
  const ofKey = sql`locked.secret_hash = ${sha256(Secret)}`;
  const waiting = await whileLocked('api_key', ofKey, async () => {
    expectStatus(await service.api('GET', '/user', undefined, Secret), 200);
    return lockWaits(ctx.engine);
  });
  assert.equal(waiting, 0);
});

test("ending a user's sessions locks the tenant's audit trail only briefly", {
  skip,
}, async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user();
  const { SignInURL } = (await tenant.api('POST', `/user/session/${LoginID}`)).body;
  const token = new globalThis.URL(SignInURL).searchParams.get('token') ?? '';
  const signedIn = await fetch(`${service.baseUrl}/session/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ token }),
    redirect: 'manual',
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  expectStatus(await tenant.api('POST', `/user/session/${LoginID}`), 201);
  const ofTenant = sql`locked.tenant_id = ${tenant.TenantID}`;
  const [ending, { result, milliseconds }] = await whileLocked('sign_in_link', ofTenant, async () => {
    const ending = fetch(`${service.baseUrl}/session?Everywhere=true`, {
      method: 'DELETE',
      headers: { cookie, origin: service.baseUrl, 'sec-fetch-site': 'same-origin' },
    });
    await delay(200);
    // Recording this action locks the audit trail. The request above must not hold that lock while it waits
    // for the sign-in links.
    const another = service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'meanwhile' });
    return [{ reply: ending }, await timed(another)] as const;
  });
  expectStatus(result, 201);
  assert.ok(milliseconds < 1_000, `the trail was locked for ${milliseconds} ms`);
  assert.equal((await ending.reply).status, 204);
});

test('sign-ins that wait for a lock on their user do not delay sign-ins from other networks', {
  skip,
}, async () => {
  const hashed = { PasswordHash: 'sha256-hex' };
  const [slow, other] = [await newTenant(service, hashed), await newTenant(service, hashed)];
  const Password = 'a'.repeat(64);
  const [locked, free] = [await slow.user({ Password }), await other.user({ Password })];
  const signIn = (TenantID: string, LoginID: string, address: string) =>
    service.api('POST', '/session', { TenantID, LoginID, Password }, '', {
      'x-forwarded-for': address,
      'sec-fetch-site': 'same-origin',
    });
  const ofUser = sql`locked.tenant_id = ${slow.TenantID} and locked.login_id = ${locked}`;
  const [waiting, { result, milliseconds }] = await whileLocked('user', ofUser, async () => {
    const waiting = Array.from({ length: 6 }, () => signIn(slow.TenantID, locked, '198.51.100.1'));
    await delay(500);
    return [{ replies: waiting }, await timed(signIn(other.TenantID, free, '203.0.113.1'))] as const;
  });
  await Promise.all(waiting.replies);
  expectStatus(result, 200);
  assert.ok(milliseconds < 1_000, `it waited ${milliseconds} ms`);
});

/**
 * How long a password sign-in to another tenant takes while a tenant's user is locked and `calls` wait for
 * that lock.
 */
async function signInMeanwhile(
  slow: Awaited<ReturnType<typeof newTenant>>,
  LoginID: string,
  calls: readonly (() => Promise<unknown>)[],
): Promise<number> {
  const Password = 'a'.repeat(64);
  const other = await newTenant(service, { PasswordHash: 'sha256-hex' });
  const free = await other.user({ Password });
  const names = { TenantID: other.TenantID, LoginID: free, Password };
  const from = { 'x-forwarded-for': '203.0.113.1', 'sec-fetch-site': 'same-origin' };
  const ofUser = sql`locked.tenant_id = ${slow.TenantID} and locked.login_id = ${LoginID}`;
  const [waiting, { result, milliseconds }] = await whileLocked('user', ofUser, async () => {
    const replies = calls.map((call) => call());
    await delay(500);
    return [{ replies }, await timed(service.api('POST', '/session', names, '', from))] as const;
  });
  await Promise.all(waiting.replies);
  expectStatus(result, 200);
  return milliseconds;
}

const fromNetwork = (at: number) => ({
  'x-forwarded-for': `198.51.${at}.1`,
  'sec-fetch-site': 'same-origin',
});

test('accepted invitations that wait for a lock on their user do not delay sign-ins of other tenants', {
  skip,
}, async () => {
  const slow = await newTenant(service, { PasswordHash: 'sha256-hex' });
  const LoginID = await slow.user();
  const { InvitationURL } = bodyOf(await slow.api('POST', '/invitation', { LoginID }), 201);
  const Token = new globalThis.URL(InvitationURL).hash.slice(1);
  const accept = (at: number) => () =>
    service.api('POST', '/session/invitation', { Token, Password: 'b'.repeat(64) }, '', fromNetwork(at));
  const calls = Array.from({ length: 8 }, (_, at) => accept(at));
  const milliseconds = await signInMeanwhile(slow, LoginID, calls);
  // Hashing the passwords takes up to a second on a busy machine.
  assert.ok(milliseconds < 2_500, `it waited ${milliseconds} ms`);
});

test('changes of passwords that wait for a lock on their user do not delay sign-ins of other tenants', {
  skip,
}, async () => {
  const Password = 'a'.repeat(64);
  const slow = await newTenant(service, { PasswordHash: 'sha256-hex' });
  const LoginID = await slow.user({ Password });
  const signedIn = await service.api(
    'POST',
    '/session',
    { TenantID: slow.TenantID, LoginID, Password },
    '',
    fromNetwork(1),
  );
  expectStatus(signedIn, 200);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const change = (at: number) => () =>
    service.api('PUT', '/session/password', { OldPassword: Password, Password: 'b'.repeat(64) }, '', {
      ...fromNetwork(at),
      cookie,
    });
  const calls = Array.from({ length: 8 }, (_, at) => change(at));
  const milliseconds = await signInMeanwhile(slow, LoginID, calls);
  // Hashing the passwords takes up to a second on a busy machine.
  assert.ok(milliseconds < 2_500, `it waited ${milliseconds} ms`);
});

test('sign-in links that wait for a lock on their user do not delay other tenants', { skip }, async () => {
  const [slow, other] = [await newTenant(service), await newTenant(service)];
  const locked = await slow.user();
  const tokenOf = async () => {
    const { SignInURL } = bodyOf(await slow.api('POST', `/user/session/${locked}`), 201);
    return new globalThis.URL(SignInURL).searchParams.get('token') ?? '';
  };
  const tokens = await Promise.all(Array.from({ length: 40 }, tokenOf));
  const node = await serve(onEngine(ctx, limitConnections(ctx.engine)));
  const signIn = (token: string, at: number) =>
    node.api.inject({
      method: 'POST',
      url: '/session/sign-in',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': `198.51.${at}.1`,
      },
      payload: `token=${token}`,
    });
  const createUser = () =>
    node.api.inject({
      method: 'POST',
      url: '/user',
      headers: { authorization: `Bearer ${other.key}` },
      payload: { LoginID: 'meanwhile' },
    });
  const ofUser = sql`locked.tenant_id = ${slow.TenantID} and locked.login_id = ${locked}`;
  const [waiting, { result, milliseconds }] = await whileLocked('user', ofUser, async () => {
    const waiting = tokens.map(signIn);
    await delay(500);
    return [{ replies: waiting }, await timed(createUser())] as const;
  });
  await Promise.all(waiting.replies);
  await node.close();
  assert.equal(result.statusCode, 201, result.body);
  assert.ok(milliseconds < 1_000, `it waited ${milliseconds} ms`);
});

test("enrolments of other tenants expire while one tenant's are locked", { skip }, async () => {
  const [slow, other] = [await newTenant(service), await newTenant(service)];
  const CourseID = await newCourse(service);
  const due = async (tenant: typeof slow, count: number) => {
    const LoginIDs = await Promise.all(Array.from({ length: count }, () => tenant.user()));
    const made = LoginIDs.map((LoginID) => tenant.api('POST', `/enrol/${LoginID}/${CourseID}`));
    const enrollIds = (await Promise.all(made)).map((reply) => bodyOf(reply, 201).EnrollID);
    const ofTenant = sql`tenant_id = ${tenant.TenantID}`;
    await sql`update enrolment set expires_at = now() - interval '1 hour' where ${ofTenant}`.execute(ctx.db);
    return enrollIds[0];
  };
  await due(slow, 60);
  const enrollId = await due(other, 1);
  const ended = async () => {
    await expireEnrolments(ctx);
    const { rows } = await sql<{ ended: boolean }>`select ended_at is not null as ended from enrolment
      where tenant_id = ${other.TenantID} and enroll_id = ${enrollId}`.execute(ctx.db);
    return rows[0]?.ended;
  };
  assert.ok(await whileLocked('enrolment', sql`locked.tenant_id = ${slow.TenantID}`, ended));
});

test("enrolments of other tenants expire while one tenant's event log is locked", { skip }, async () => {
  const CourseID = await newCourse(service, {}, { month: { Duration: 'P30D' } });
  const tenants = await Promise.all([newTenant(service), newTenant(service)]);
  for (const { user, api } of tenants)
    expectStatus(await api('POST', `/enrol/${await user()}/${CourseID}/month`), 201);
  const ids = tenants.map(({ TenantID }) => TenantID);
  // The tenants are served in this order.
  const [first] = ids.toSorted();
  const later = new Date(Date.now() + 40 * 86_400_000);
  await whileLocked('event_log', sql`locked.tenant_id = ${first}`, () =>
    assert.rejects(
      expireEnrolments({ ...ctx, now: () => later }),
      /The enrolments of some tenants could not be expired/,
    ),
  );
  const { rows } = await sql<{ tenant_id: string }>`/* across tenants: a test compares two */
    select tenant_id from enrolment where tenant_id in (${ids[0]}, ${ids[1]}) and ended_at is not null`.execute(
    ctx.db,
  );
  assert.deepEqual(
    rows.map(({ tenant_id }) => tenant_id),
    ids.filter((id) => id !== first),
  );
});

test("deleted tenants are removed while another one's data is locked", { skip }, async () => {
  const tenants = await Promise.all([newTenant(service), newTenant(service)]);
  for (const { user } of tenants) await user();
  const ids = tenants.map(({ TenantID }) => TenantID).toSorted();
  for (const id of ids) {
    expectStatus(await service.api('PUT', `/tenant/${id}`, { Status: 'suspended' }), 200);
    expectStatus(await service.api('DELETE', `/tenant/${id}`), 200);
  }
  const later = { ...ctx, now: () => new Date(Date.now() + 60_000) };
  await whileLocked('user', sql`locked.tenant_id = ${ids[0]}`, () =>
    assert.rejects(finishDeletions(later), /The data of some deleted tenants could not be deleted/),
  );
  const create = (TenantID: string | undefined) => service.api('POST', '/tenant', { TenantID });
  expectProblem(await create(ids[0]), 409, 'tenant_being_deleted');
  expectStatus(await create(ids[1]), 201);
  await finishDeletions(later);
  expectStatus(await create(ids[0]), 201);
});

test('several nodes that delete the same tenant do not wait for one another', { skip }, async () => {
  const tenant = await newTenant(service);
  const CourseID = await newCourse(service, {}, { seats: { Seats: 10 } });
  expectStatus(await tenant.api('POST', `/enrol/${await tenant.user()}/${CourseID}`), 201);
  await sql`insert into "user" (tenant_id, user_id, login_id, enabled, password_hash, created_at, updated_at)
    select ${tenant.TenantID}, gen_random_uuid(), 'many-' || n, true, 'x', now(), now()
    from generate_series(1, 2000) n`.execute(ctx.db);
  expectStatus(await service.api('PUT', `/tenant/${tenant.TenantID}`, { Status: 'suspended' }), 200);
  expectStatus(await service.api('DELETE', `/tenant/${tenant.TenantID}`), 200);
  const later = { ...ctx, now: () => new Date(Date.now() + 60_000) };
  const create = () => service.api('POST', '/tenant', { TenantID: tenant.TenantID });
  await transaction(later, async (ctx) => {
    assert.ok(await takeDeletion(ctx, tenant.TenantID));
    await finishDeletions(later);
    expectProblem(await create(), 409, 'tenant_being_deleted');
  });
  await Promise.all(Array.from({ length: 4 }, () => finishDeletions(later)));
  expectStatus(await create(), 201);
  const option = bodyOf(await service.api('GET', `/course/${CourseID}`), 200).EnrolOptions[0];
  assert.equal(option.SeatsLeft, 10);
});

test("stored responses of other tenants are removed while one tenant's are locked", { skip }, async () => {
  const [slow, other] = [await newTenant(service), await newTenant(service)];
  for (const tenant of [slow, other])
    bodyOf(await tenant.api('POST', '/user', { LoginID: 'stored' }, { 'idempotency-key': 'stored' }), 201);
  const ofBoth = sql`tenant_id in (${slow.TenantID}, ${other.TenantID})`;
  await sql`/* across tenants: a test needs old rows */
    update stored_answer set expires_at = now() - interval '1 hour' where ${ofBoth}`.execute(ctx.db);
  await whileLocked('stored_answer', sql`locked.tenant_id = ${slow.TenantID}`, () =>
    deleteExpiredResponses(ctx),
  );
  const { rows } = await sql<{
    tenant_id: string;
  }>`/* across tenants: a test compares two */ select tenant_id from stored_answer where ${ofBoth}`.execute(
    ctx.db,
  );
  assert.deepEqual(rows, [{ tenant_id: slow.TenantID }]);
});
