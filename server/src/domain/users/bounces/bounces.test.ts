import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { movableClock } from '../../../../test/support/clock.ts';
import { observed } from '../../../../test/support/nodes.ts';
import { startService } from '../../../../test/support/service.ts';
import { startMailServer } from '../../../../test/support/smtp.ts';
import {
  expectProblem,
  expectStatus,
  newTenant,
  type TestTenant,
  unique,
} from '../../../../test/support/tenant.ts';
import { createKey } from '../../identity/keys.ts';
import { claimMail } from '../../mail/claim.ts';
import { recordResult } from '../../mail/results.ts';
import { sendMails } from '../../mail/send.ts';
import { clearBounce } from './bounces.ts';

const server = await startMailServer();
const clock = movableClock();
const service = await startService({
  now: clock.now,
  env: { SMTP_URL: server.url, MAIL_FROM: 'noreply@lectern.example' },
});
after(async () => {
  await service.close();
  await server.close();
});
beforeEach(() => {
  server.mails = [];
  // The number of emails per hour to one address is limited.
  clock.advance({ hours: 2 });
});

const Reason = '550 5.1.1 User unknown';
const newEmail = () => `${unique('ann')}@acme.example`;
const report = ({ api }: Pick<TestTenant, 'api'>, body: object) => api('POST', '/mail/bounce', body);
// The test's own operator key acts on a tenant unless another one is named.
const { Secret } = await createKey(service.ctx, {
  tenantId: null,
  Name: 'provider',
  Scopes: ['users:write'],
});
const operator = (body: object, headers: Record<string, string> = {}) =>
  service.api('POST', '/mail/bounce', body, Secret, headers);
const invite = async ({ api }: TestTenant, LoginID: string) => {
  const reply = await api('POST', '/invitation', { LoginID });
  expectStatus(reply, 201);
  return reply.body.MailID as string | null;
};
/** A user with an invitation that the mail server has accepted. */
async function invited(tenant: TestTenant, fields: object = {}) {
  const Email = newEmail();
  const LoginID = await tenant.user({ Email, ...fields });
  const MailID = await invite(tenant, LoginID);
  assert.ok(MailID);
  await sendMails(service.ctx);
  return { Email, LoginID, MailID };
}
const mailsOf = async ({ api }: TestTenant, LoginID: string) =>
  (await api('GET', `/mail?LoginID=${LoginID}`)).body.Items;
const bouncedOf = async ({ api }: TestTenant, LoginID: string) => {
  const { body } = await api('GET', `/user/${LoginID}`);
  return [body.EmailBouncedAt, body.EmailBounceReason];
};
const eventsOf = async (tenant: TestTenant, LoginID: string) =>
  (await tenant.events({ LoginID })).filter(({ type }) => type === 'mail.bounced').map(({ data }) => data);
const trailOf = async ({ api }: TestTenant, Action: string) =>
  (await api('GET', `/audit?Action=${Action}`)).body.Items;

test('a permanent bounce is shown, and stops all emails to the address until it is cleared', async () => {
  const tenant = await newTenant(service);
  const { Email, LoginID, MailID } = await invited(tenant);
  const messageId = server.mails[0]?.headers.get('message-id');
  assert.equal(messageId, `<${MailID}@lectern.example>`);
  const body = { MessageID: messageId, Kind: 'permanent', Reason: ` ${Reason}\r\n\tsee below ` };
  const reply = await report(tenant, body);
  assert.deepEqual([reply.status, reply.body], [200, { MailID, Users: 1 }]);
  const [mail] = await mailsOf(tenant, LoginID);
  const reason = `${Reason} see below`;
  const at = mail.BouncedAt;
  assert.ok(clock.now().getTime() - Date.parse(at) < 60_000);
  assert.deepEqual(
    [mail.Status, mail.BouncedAt, mail.BounceKind, mail.BounceReason],
    ['bounced', at, 'permanent', reason],
  );
  assert.deepEqual((await tenant.api('GET', '/mail?Status=bounced')).body.Items, [mail]);
  assert.deepEqual(await bouncedOf(tenant, LoginID), [at, reason]);
  const data = { LoginID, EmailAddress: Email, Kind: 'permanent', Reason: reason, MailID };
  assert.deepEqual(await eventsOf(tenant, LoginID), [data]);
  const [entry] = await trailOf(tenant, 'mail.bounced');
  assert.deepEqual([entry.Target, entry.Data], ['user', { Kind: 'permanent' }]);

  assert.equal(await invite(tenant, LoginID), null);
  for (let n = 0; n < 2; n++) expectStatus(await tenant.api('DELETE', `/user/${LoginID}/bounce`), 204);
  assert.deepEqual(await bouncedOf(tenant, LoginID), [null, null]);
  assert.equal((await trailOf(tenant, 'mail.bounce_cleared')).length, 1);
  const updates = (await tenant.events({ LoginID })).filter(({ type }) => type === 'user.updated');
  assert.deepEqual(updates.at(-1)?.data, { LoginID, Changed: ['EmailBouncedAt'] });
  expectStatus(await report(tenant, body), 200);
  assert.deepEqual(
    await bouncedOf(tenant, LoginID),
    [null, null],
    'a repeated report blocks the address again',
  );
  assert.ok(await invite(tenant, LoginID));
  server.mails = [];
  await sendMails(service.ctx);
  assert.equal(server.mails.length, 1);
});

test('a repeated report changes nothing, and a permanent bounce replaces a temporary one', async () => {
  const tenant = await newTenant(service);
  const { Email, LoginID, MailID } = await invited(tenant);
  for (let n = 0; n < 2; n++) {
    const temporary = await report(tenant, {
      EmailAddress: Email.toUpperCase(),
      Kind: 'temporary',
      Reason: 'full',
    });
    assert.deepEqual([temporary.status, temporary.body], [200, { MailID, Users: 0 }]);
  }
  assert.deepEqual(await bouncedOf(tenant, LoginID), [null, null]);
  assert.equal((await mailsOf(tenant, LoginID))[0].BounceKind, 'temporary');
  for (const Kind of ['permanent', 'permanent', 'temporary'])
    expectStatus(await report(tenant, { MessageID: MailID, Kind, Reason: Kind }), 200);
  const [mail] = await mailsOf(tenant, LoginID);
  assert.deepEqual([mail.BounceKind, mail.BounceReason], ['permanent', 'permanent']);
  const kinds = (await eventsOf(tenant, LoginID)).map(({ Kind }) => Kind);
  assert.deepEqual(kinds, ['temporary', 'permanent']);
  assert.equal((await trailOf(tenant, 'mail.bounced')).length, 2);
});

test('a new address gets emails, and the old one stays blocked only for others who have it', async () => {
  const tenant = await newTenant(service);
  const { Email, LoginID } = await invited(tenant);
  const other = await tenant.user({ Email: Email.toUpperCase() });
  const { body } = await report(tenant, { EmailAddress: Email, Kind: 'permanent' });
  assert.equal(body.Users, 2);
  assert.equal((await eventsOf(tenant, other))[0]?.MailID, null);
  const later = await tenant.user({ Email });
  for (const one of [LoginID, other, later]) assert.equal(await invite(tenant, one), null);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { FirstName: 'Ann' }), 200);
  assert.notEqual((await bouncedOf(tenant, LoginID))[0], null);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { Email: newEmail() }), 200);
  assert.deepEqual(await bouncedOf(tenant, LoginID), [null, null]);
  const updates = (await tenant.events({ LoginID })).filter(({ type }) => type === 'user.updated');
  assert.deepEqual(updates.at(-1)?.data.Changed, ['Email']);
  assert.ok(await invite(tenant, LoginID));
  assert.equal(await invite(tenant, other), null);
  expectStatus(await tenant.api('DELETE', `/user/${other}/bounce`), 204);
  for (const one of [other, later]) assert.ok(await invite(tenant, one));
});

test('emails that are already queued are cancelled, and no password can be reset by email', async () => {
  const tenant = await newTenant(service);
  const { Email, LoginID } = await invited(tenant, { Password: 'x' });
  expectStatus(await tenant.api('PUT', `/user/password/${LoginID}`, { Password: 'ab'.repeat(32) }), 204);
  assert.ok(await invite(tenant, LoginID));
  expectStatus(await report(tenant, { EmailAddress: Email, Kind: 'permanent' }), 200);
  const forgotten = await service.api('POST', '/session/reset', { TenantID: tenant.TenantID, LoginID }, '');
  expectStatus(forgotten, 204);
  server.mails = [];
  await sendMails(service.ctx);
  assert.deepEqual(server.mails, []);
  const statuses = (await mailsOf(tenant, LoginID)).map(({ Status }: { Status: string }) => Status);
  assert.deepEqual(statuses, ['cancelled', 'bounced']);
  assert.deepEqual(await trailOf(tenant, 'password_reset.requested'), []);
});

test("a tenant can neither report another tenant's emails nor stop its emails to the same address", async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const { Email, LoginID, MailID } = await invited(tenant);
  const twin = await other.user({ Email });
  expectProblem(await report(other, { MessageID: MailID, Kind: 'permanent' }), 404, 'mail_not_found');
  const own = await report(other, { MessageID: MailID, EmailAddress: Email, Kind: 'permanent' });
  assert.deepEqual(own.body, { MailID: null, Users: 1 });
  expectProblem(await other.api('DELETE', `/user/${LoginID}/bounce`), 404, 'user_not_found');
  assert.deepEqual(await bouncedOf(tenant, LoginID), [null, null]);
  assert.equal((await mailsOf(tenant, LoginID))[0].Status, 'sent');
  assert.ok(await invite(tenant, LoginID));
  assert.equal(await invite(other, twin), null);
});

test('the operator needs a MessageID or a tenant', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const { Email, LoginID, MailID } = await invited(tenant);
  const Kind = 'permanent';
  expectProblem(await operator({ EmailAddress: Email, Kind }), 400, 'tenant_required', 'Tenant');
  expectProblem(await operator({ MessageID: '<x@y.example>', Kind }), 404, 'mail_not_found');
  expectProblem(
    await operator({ MessageID: MailID, Kind }, { tenant: other.TenantID }),
    404,
    'mail_not_found',
  );
  const key = { 'Idempotency-Key': 'bounce' };
  for (const replayed of [null, 'true']) {
    const reply = await operator({ MessageID: `<${MailID?.toUpperCase()}@lectern.example>`, Kind }, key);
    assert.deepEqual([reply.status, reply.body], [200, { MailID, Users: 1 }]);
    assert.equal(reply.headers.get('idempotency-replayed'), replayed);
  }
  assert.equal((await eventsOf(tenant, LoginID)).length, 1);
  assert.equal((await trailOf(tenant, 'mail.bounced'))[0].Actor, 'operator_key');
});

test('reports need the scope users:write and are validated', async () => {
  const tenant = await newTenant(service);
  const reading = await service.api('POST', `/tenant/${tenant.TenantID}/key`, {
    Name: 'reading',
    Scopes: ['users:read'],
  });
  const withKey = (method: string, path: string, body?: object) =>
    service.api(method, path, body, reading.body.Secret);
  const known = { EmailAddress: newEmail(), Kind: 'permanent' };
  const LoginID = await tenant.user({ Email: known.EmailAddress });
  expectProblem(await withKey('POST', '/mail/bounce', known), 403, 'scope_missing');
  expectProblem(await withKey('DELETE', `/user/${LoginID}/bounce`), 403, 'scope_missing');
  const invalid: [object, string][] = [
    [{ Kind: 'permanent' }, 'MessageID'],
    [{ EmailAddress: known.EmailAddress }, 'Kind'],
    [{ ...known, Kind: 'hard' }, 'Kind'],
    [{ ...known, Reason: 'x'.repeat(4001) }, 'Reason'],
    [{ ...known, EmailAddress: '' }, 'EmailAddress'],
    [{ ...known, MessageID: 'x'.repeat(321) }, 'MessageID'],
  ];
  for (const [body, param] of invalid)
    expectProblem(await report(tenant, body), 422, 'validation_failed', param);
  for (const EmailAddress of ['nobody@acme.example', '%', "' or 1=1", 'ß'.repeat(320)])
    expectProblem(await report(tenant, { EmailAddress, Kind: 'permanent' }), 404, 'mail_not_found');
  expectProblem(await report(tenant, { ...known, Kind: 'temporary' }), 404, 'mail_not_found');
  const long = await report(tenant, { ...known, Reason: 'é'.repeat(4000) });
  assert.deepEqual(long.body, { MailID: null, Users: 1 });
  assert.equal((await bouncedOf(tenant, LoginID))[1].length, 500);
});

test('a bounce that is reported before the email is recorded as sent is kept', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ Email: newEmail() });
  const MailID = await invite(tenant, LoginID);
  const ctx = { ...service.ctx, tenantId: tenant.TenantID };
  assert.ok(MailID && (await claimMail(ctx, false)));
  expectStatus(await report(tenant, { MessageID: MailID, Kind: 'temporary' }), 200);
  await recordResult(ctx, { mailId: MailID, status: 'sent', answer: '250 ok', dueAt: null });
  assert.equal((await mailsOf(tenant, LoginID))[0].Status, 'bounced');
});

test('concurrent reports of the same bounce are recorded once', async () => {
  const tenant = await newTenant(service);
  const { Email, LoginID, MailID } = await invited(tenant);
  for (let n = 0; n < 3; n++) await tenant.user({ Email });
  const bodies = [
    { MessageID: MailID },
    { EmailAddress: Email },
    { EmailAddress: Email },
    { MessageID: MailID },
  ];
  const replies = await Promise.all(bodies.map((body) => report(tenant, { ...body, Kind: 'permanent' })));
  for (const reply of replies) assert.deepEqual([reply.status, reply.body], [200, { MailID, Users: 4 }]);
  assert.equal((await eventsOf(tenant, LoginID)).length, 1);
  assert.equal((await trailOf(tenant, 'mail.bounced')).length, 4);
});

/** Users with this address, whose bounce was reported. The letters of their LoginIDs alternate between both cases. */
const fillBounced = ({ TenantID }: TestTenant, Email: string, users: number) =>
  sql`
  insert into "user" (tenant_id, user_id, login_id, email, folded_email, email_bounced_at, enabled, password_hash, created_at, updated_at)
  select ${TenantID}, gen_random_uuid(), case n % 2 when 0 then 'U' else 'u' end || lpad(n::text, 5, '0'), ${Email}, ${Email.toLowerCase()}, now(), true,
    'x', now(), now()
  from generate_series(1, ${users}::integer) n`.execute(service.ctx.db);

async function stillBounced({ TenantID }: TestTenant): Promise<string[]> {
  const users = service.ctx.db
    .selectFrom('user')
    .select('login_id')
    .where('tenant_id', '=', TenantID)
    .where('email_bounced_at', 'is not', null);
  return (await users.orderBy('login_id').execute()).map(({ login_id }) => login_id);
}

test('a bounce of thousands of users is cleared in short transactions, and again after a crash in the middle', async () => {
  const [tenant, other] = [await newTenant(service), await newTenant(service)];
  const Email = newEmail();
  const users = 900;
  await fillBounced(tenant, Email, users);
  await fillBounced(other, Email, 1);
  const elsewhere = await invited(tenant);
  expectStatus(await report(tenant, { EmailAddress: elsewhere.Email, Kind: 'permanent' }), 200);
  // The first one in order, so that it would be cleared first.
  const loginId = 'U00002';
  let batches = 0;
  const crashing = observed(service.ctx, ({ text, values }) => {
    if (!text.includes('account.user_id <> $3::uuid')) return;
    assert.ok(Number(values.at(-1)) <= 200);
    batches += 1;
    if (batches === 3) throw new Error('crash');
  });
  const of = ({ TenantID }: TestTenant, ctx = service.ctx) => ({ ...ctx, tenantId: TenantID });
  await assert.rejects(clearBounce(of(tenant, crashing), { loginId }), /crash/);
  const left = await stillBounced(tenant);
  assert.ok(left.length > users / 2 && left.length < users, `${left.length} users are left`);
  assert.ok(left.includes(loginId), 'the bounce is no longer shown');
  const changed = async () =>
    (await tenant.events()).filter(
      ({ type, data }) => type === 'user.updated' && /^u\d/i.test(data.LoginID as string),
    );
  const { rows: entries } = await service.ctx.engine.query<{ cleared: number }>({
    text: `select count(*)::integer as cleared from audit_entry where tenant_id = $1 and action = 'mail.bounce_cleared'`,
    values: [tenant.TenantID],
  });
  const cleared = users + 1 - left.length;
  assert.deepEqual([entries, (await changed()).length], [[{ cleared }], cleared]);

  await clearBounce(of(tenant), { loginId });
  assert.deepEqual(await stillBounced(tenant), [elsewhere.LoginID]);
  assert.deepEqual(await stillBounced(other), ['u00001']);
  const { rows } = await service.ctx.engine.query<{ entries: number; users: number }>({
    text: `select count(*)::integer as entries, count(distinct target_id)::integer as users from audit_entry
      where tenant_id = $1 and action = 'mail.bounce_cleared'`,
    values: [tenant.TenantID],
  });
  assert.deepEqual(rows, [{ entries: users, users }]);
  assert.equal(new Set((await changed()).map(({ data }) => data.LoginID)).size, users);
});

test('the export of a person contains the bounce, and an erasure removes it', async () => {
  const tenant = await newTenant(service);
  const { LoginID, MailID } = await invited(tenant);
  expectStatus(await report(tenant, { MessageID: MailID, Kind: 'permanent', Reason }), 200);
  const exported = JSON.stringify((await tenant.api('GET', `/user/${LoginID}/export`)).body);
  assert.ok(exported.includes('"EmailBounceReason":') && exported.includes('"BounceReason":'));
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  const { rows } = await service.ctx.engine.query<{ text: string }>({
    text: `select data::text as text from event where tenant_id = $1 union all
      select row(held.*)::text from mail held where tenant_id = $1 union all
      select row(held.*)::text from "user" held where tenant_id = $1`,
    values: [tenant.TenantID],
  });
  assert.ok(rows.length > 0);
  for (const { text } of rows) assert.ok(!text.includes('5.1.1') && !text.includes('@acme.example'), text);
});
