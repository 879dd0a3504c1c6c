import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { matchesPassword, storePassword, unmatchablePasswordHash } from '../src/domain/users/passwords.ts';
import { readRingFile } from '../src/infra/keys/ring-file.ts';
import { startService, type TestService } from './support/service.ts';
import { newTenant, type TestTenant } from './support/tenant.ts';

const Password = 'a-password-that-nobody-else-has-chosen';
let service: TestService;
let tenant: TestTenant;
before(async () => {
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'noreply@lectern.example' };
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1', ...mail } });
  tenant = await newTenant(service);
});
after(() => service.close());

/** All rows of all tables as text, including the tables of the job queue. */
async function everything(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(service.ctx.db);
  assert.ok(tables.length > 20);
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await service.ctx.engine.query<{ row: string }>({
      text: `/* across tenants: a test reads all */ select dump::text as row from ${name} dump`,
      values: [],
    });
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n');
}

test('the database contains no secret that the service has issued, and no key from the ring', async () => {
  const key = { 'idempotency-key': 'order 4711, chosen by the client' };
  const LoginID = await tenant.user({ Password, Email: 'ann@acme.example' });
  const made = await service.api('POST', `/tenant/${tenant.TenantID}/key`, { Name: 'more' }, undefined, key);
  const course = { Title: 'x', URL: 'https://web.example/' };
  await service.api('PUT', '/course/secret', course);
  await service.api('PUT', '/course/secret/option/standard', {});
  const bought = { CourseIDs: ['secret'], DurationIDs: ['standard'] };
  const issued = (await tenant.api('POST', '/enrolment/key', bought, { 'idempotency-key': 'order 4712' }))
    .body.Items[0].Key;
  const links = [];
  for (let count = 0; count < 2; count++) {
    const { SignInURL } = (await tenant.api('POST', `/user/session/${LoginID}`)).body;
    links.push(new URL(SignInURL).searchParams.get('token') ?? '');
  }
  const keyed = { 'idempotency-key': 'invited once' };
  const { InvitationURL, MailID } = (await tenant.api('POST', '/invitation', { LoginID }, keyed)).body;
  assert.ok(MailID, 'the link is in a queued email');
  const signedIn = await fetch(`${service.baseUrl}/session/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: links[0] }),
  });
  const cookie = /=([^;]+)/.exec(signedIn.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/secret`, {})).body;
  const hook = (await tenant.api('POST', '/webhook', { URL: 'http://127.0.0.1:9/', Description: 'x' })).body;
  const rotated = (await tenant.api('POST', `/webhook/${hook.WebhookID}/rotate`, {})).body;
  const lrs = { Kind: 'xapi', URL: 'http://127.0.0.1:9/', Username: 'x', Password: 'of-another-lrs-4711' };
  const forwarding = (await tenant.api('POST', '/webhook', lrs, { 'idempotency-key': 'order 4713' })).body;
  assert.equal(forwarding.Kind, 'xapi');
  const secrets = {
    'the password for another LRS': lrs.Password,
    'an invitation link': new URL(InvitationURL).hash,
    'the operator key': service.operatorKey,
    'a tenant key': tenant.key,
    'a key in a stored response': made.body.Secret,
    'a password': Password,
    'an enrolment key': issued,
    'an enrolment key without its hyphens': issued.replaceAll('-', ''),
    'a sign-in link': links[1] ?? '',
    'a used sign-in link': links[0] ?? '',
    'a session cookie': cookie,
    'the signature of a launch link': new URL(LaunchURL).searchParams.get('key') ?? '',
    'an Idempotency-Key': key['idempotency-key'],
    'the secret of a webhook endpoint': hook.Secret,
    'the secret of a webhook endpoint without its prefix': hook.Secret.slice('whsec_'.length),
    'its new secret': rotated.Secret,
    'a key of the ring': readRingFile(service.ctx.config.dataDir)?.[0]?.secret.toString('base64url') ?? '',
  };
  const whole = await everything();
  assert.ok(whole.includes(EnrollID), 'the dump contains the data');
  for (const [what, secret] of Object.entries(secrets)) {
    assert.ok(secret.length > 8, what);
    const parts = [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ];
    // In a token, the owner comes before the dot and the secret after it.
    const tail = secret.split(/[._]/).at(-1) ?? '';
    for (const form of [...parts, ...(tail.length > 15 ? [tail] : [])])
      assert.ok(!whole.includes(form), what);
  }
});

test('a password check does the same work for a user who does not exist', async () => {
  const stored = await storePassword(service.ctx, Password);
  const cases = { known: stored, unknown: null, unset: unmatchablePasswordHash() };
  const work: Record<string, number[]> = { known: [], unknown: [], unset: [] };
  // The calls take turns, so that other load affects all of them equally.
  for (let round = 0; round < 12; round++)
    for (const [name, hash] of Object.entries(cases)) {
      const begun = process.cpuUsage();
      assert.equal(await matchesPassword(service.ctx, hash, 'wrong'), false);
      const { user, system } = process.cpuUsage(begun);
      work[name]?.push(user + system);
    }
  const median = (values: number[] = []) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;
  for (const name of ['unknown', 'unset']) {
    const ratio = median(work[name]) / median(work.known);
    assert.ok(ratio > 0.6 && ratio < 1.6, `${name} takes ${ratio.toFixed(2)} times the work`);
  }
});
