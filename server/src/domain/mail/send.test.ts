import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { writeCertificate } from '../../../test/support/certificate.ts';
import { movableClock } from '../../../test/support/clock.ts';
import { png } from '../../../test/support/images.ts';
import { otherNode } from '../../../test/support/nodes.ts';
import { startService } from '../../../test/support/service.ts';
import { ownPage } from '../../../test/support/sign-in.ts';
import { startMailServer } from '../../../test/support/smtp.ts';
import {
  expectProblem,
  expectStatus,
  newTenant,
  type TestTenant,
  unique,
} from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { run, transaction } from '../../db/transaction.ts';
import { openSender } from '../../infra/mail/send.ts';
import { purgeMails } from './results.ts';
import { sendMails } from './send.ts';

const server = await startMailServer();
const clock = movableClock();
const service = await startService({
  now: clock.now,
  env: { SMTP_URL: server.url, MAIL_FROM: 'noreply@lectern.example', MAIL_RATE_LIMIT: '5' },
});
after(async () => {
  await service.close();
  await server.close();
});
beforeEach(() => {
  server.mails = [];
  server.reply = { rcpt: null, data: null };
  server.hold = null;
  // The number of emails per hour to one address is limited.
  clock.advance({ hours: 2 });
});

const send = () => sendMails(service.ctx);
const Email = 'ann@acme.example';
const invite = async ({ api }: Pick<TestTenant, 'api'>, LoginID: string, fields: object = {}) => {
  const reply = await api('POST', '/invitation', { LoginID, ...fields });
  expectStatus(reply, 201);
  return reply.body as { InvitationURL: string; MailID: string | null };
};
const listed = async ({ api }: TestTenant, query = '') => {
  const reply = await api('GET', `/mail${query}`);
  expectStatus(reply, 200);
  return reply.body.Items;
};

test('a test email shows how the mail server responds', async () => {
  const tenant = await newTenant(service, { Name: 'Acme' });
  const LoginID = await tenant.user({ FirstName: 'Ann', Email, IsAdmin: true });
  const ask = (LoginID: string) => tenant.api('POST', '/mail/test', { LoginID });
  const queued = await ask(LoginID);
  expectStatus(queued, 201);
  assert.equal((await ask(LoginID)).body.MailID, queued.body.MailID);
  await send();
  assert.equal(server.mails.length, 1);
  assert.equal(server.mails[0]?.headers.get('subject'), 'Test email from Acme');
  assert.match(server.mails[0]?.text ?? '', /^Hello Ann,\n\nEmails from Acme reach you\./);
  server.reply.rcpt = { code: 550, text: 'No such mailbox' };
  expectStatus(await ask(LoginID), 201);
  await send();
  const [refused, accepted] = await listed(tenant, `?LoginID=${LoginID}`);
  assert.equal(accepted.Status, 'sent');
  assert.deepEqual([refused.Status, refused.Answer], ['failed', '550 No such mailbox']);
  expectProblem(await ask(await tenant.user()), 422, 'validation_failed', 'LoginID');
  expectProblem(await ask('nobody'), 404, 'user_not_found', 'LoginID');
  const other = await newTenant(service);
  expectProblem(await other.api('POST', '/mail/test', { LoginID }), 404, 'user_not_found', 'LoginID');
});

test('an email shows the logo and the colour of its tenant', async () => {
  const tenant = await newTenant(service, { Name: 'Acme "GmbH"' });
  const plain = await newTenant(service);
  const image = png(480, 120);
  const branding = { Colour: '#ffd400', Logo: image.toString('base64') };
  expectStatus(await tenant.api('PUT', '/branding', branding), 200);
  for (const one of [tenant, plain])
    await invite(one, await one.user({ Email: `${one.TenantID}@acme.example` }));
  await send();
  const mailTo = (to: TestTenant) => {
    const mail = server.mails.find((mail) => mail.to[0] === `${to.TenantID}@acme.example`);
    assert.ok(mail);
    return mail;
  };
  const mail = mailTo(tenant);
  const [logo, ...others] = mail.images;
  assert.deepEqual(others, []);
  assert.equal(logo?.type, 'image/png');
  assert.deepEqual(logo?.content, image);
  assert.match(logo?.headers.get('content-disposition') ?? '', /^inline; filename=logo\.png/);
  const id = /^<(.+)>$/.exec(logo?.headers.get('content-id') ?? '')?.[1];
  assert.ok(mail.html.includes(`<img src="cid:${id}" alt="Acme &quot;GmbH&quot;" width="224" height="56"`));
  const { Light } = (await (await fetch(`${service.baseUrl}/branding/${tenant.TenantID}`)).json()) as {
    Light: { Fill: string; OnFill: string };
  };
  assert.ok(mail.html.includes(`background:${Light.Fill};color:${Light.OnFill}`));
  assert.deepEqual(mailTo(plain).images, []);
  assert.ok(!mailTo(plain).html.includes('<img'));
});

test('an invitation is sent once, from the tenant, with its link in text and HTML', async () => {
  const tenant = await newTenant(service, { Name: 'Acme & Söhne' });
  const LoginID = await tenant.user({ FirstName: 'Ann', LastName: 'O’Neil', Email });
  const { InvitationURL, MailID } = await invite(tenant, LoginID);
  assert.equal((await listed(tenant))[0].Status, 'queued');
  await send();
  await send();
  const [mail, ...others] = server.mails;
  assert.deepEqual(others, []);
  assert.ok(mail);
  assert.deepEqual([mail.from, mail.to], ['noreply@lectern.example', [Email]]);
  assert.equal(mail.headers.get('from'), 'Acme & Söhne <noreply@lectern.example>');
  assert.equal(mail.headers.get('to'), Email);
  assert.equal(mail.headers.get('subject'), 'Set your password for Acme & Söhne');
  assert.equal(mail.headers.get('message-id'), `<${MailID}@lectern.example>`);
  assert.equal(mail.headers.get('auto-submitted'), 'auto-generated');
  assert.ok(mail.text.startsWith('Hello Ann O’Neil,\n'), mail.text);
  assert.ok(mail.text.includes(`\n${InvitationURL}\n`));
  assert.ok(mail.html.includes(`href="${InvitationURL}"`));
  assert.ok(mail.html.includes('Acme &amp; Söhne'));
  const [shown] = await listed(tenant, `?LoginID=${LoginID}`);
  assert.deepEqual(
    { ...shown, CreatedAt: '', AttemptedAt: '' },
    {
      MailID,
      LoginID,
      Kind: 'invitation',
      Address: Email,
      Status: 'sent',
      Attempts: 1,
      Answer: '250 queued as 1',
      CreatedAt: '',
      AttemptedAt: '',
      NextAttemptAt: null,
      BouncedAt: null,
      BounceKind: null,
      BounceReason: null,
    },
  );
});

for (const [Language, subject] of [
  ['de', 'Legen Sie Ihr Passwort für Acme fest'],
  ['fr', 'Définissez votre mot de passe pour Acme'],
] as const)
  test(`a tenant chooses the language of its emails: ${Language}`, async () => {
    const tenant = await newTenant(service, { Name: 'Acme', Language });
    await invite(tenant, await tenant.user({ Email }));
    await send();
    assert.equal(server.mails[0]?.headers.get('subject'), subject);
    assert.ok(server.mails[0]?.html.includes(`<html lang="${Language}">`));
  });

test('no value from a user or tenant adds a header, a recipient or markup', async () => {
  const tenant = await newTenant(service, {
    Name: 'Acme\r\nBcc: all@evil.example\u202e<script>alert(1)</script>"',
  });
  const hostile = {
    FirstName: 'Ann\r\nBcc: victim@evil.example\r\n\r\n<img src=x onerror=alert(1)>',
    LastName: 'visit https://evil.example',
  };
  const LoginID = await tenant.user({ ...hostile, Email });
  const { InvitationURL } = await invite(tenant, LoginID);
  await send();
  const [mail] = server.mails;
  assert.ok(mail);
  assert.deepEqual(mail.to, [Email]);
  assert.equal(mail.headers.get('bcc'), undefined);
  assert.match(mail.headers.get('subject') ?? '', /^Set your password for Acme Bcc: all@evil.example/);
  assert.ok(mail.text.startsWith('Hello,\n'), 'a name with a link is left out');
  assert.ok(!/<script|<img|\u202e/.test(mail.html));
  assert.ok(mail.html.includes(`href="${InvitationURL}"`));
});

test('only a single plain address gets an email; otherwise the link is shown as before', async () => {
  const tenant = await newTenant(service);
  const wrong = [
    null,
    '',
    'n/a',
    'ann',
    'ann@acme',
    'a@acme.example, b@evil.example',
    'a@acme.example;b@evil.example',
    'Ann <ann@acme.example>',
    'ann@acme.example\r\nBcc: b@evil.example',
    'ann@acme.example\nb@evil.example',
    '"a b"@acme.example',
    'a@b@acme.example',
    '@acme.example',
    'ann@[127.0.0.1]',
    'ann@acme.example>',
  ];
  for (const Email of wrong) {
    const { InvitationURL, MailID } = await invite(tenant, await tenant.user({ Email }));
    assert.equal(MailID, null, String(Email));
    assert.ok(InvitationURL);
  }
  const { MailID } = await invite(tenant, await tenant.user({ Email }), { Notify: false });
  assert.equal(MailID, null);
  await send();
  assert.deepEqual(server.mails, []);
  assert.deepEqual(await listed(tenant), []);
});

test('a newer invitation, its use, a revocation, a new password or disabling the user cancels a queued email', async () => {
  const tenant = await newTenant(service);
  const ways: ((LoginID: string, url: string) => Promise<unknown>)[] = [
    (LoginID) => invite(tenant, LoginID, { Notify: false }),
    async (_, url) => {
      const Token = new URL(url).hash.slice(1);
      const Password = createHash('sha256').update('correct horse').digest('hex');
      expectStatus(await service.api('POST', '/session/invitation', { Token, Password }, '', ownPage), 200);
    },
    (LoginID) => tenant.api('DELETE', `/invitation/${LoginID}`),
    (LoginID) => tenant.api('PUT', `/user/${LoginID}`, { Password: 'x' }),
    (LoginID) => tenant.api('PUT', `/user/${LoginID}`, { Enabled: false }),
  ];
  for (const end of ways) {
    const LoginID = await tenant.user({ Email });
    const { InvitationURL } = await invite(tenant, LoginID);
    await end(LoginID, InvitationURL);
    const [mail] = await listed(tenant, `?LoginID=${LoginID}`);
    assert.equal(mail.Status, 'cancelled');
  }
  await send();
  assert.deepEqual(server.mails, []);
  const { rows } = await service.ctx.engine.query<{ content: string | null }>({
    text: `select content from mail where tenant_id = $1`,
    values: [tenant.TenantID],
  });
  assert.ok(rows.length === ways.length && rows.every(({ content }) => content === null));
});

test('a recipient that the mail server rejects is not tried again, and the answer is shown', async () => {
  const tenant = await newTenant(service);
  server.reply.rcpt = { code: 550, text: 'No such user here' };
  const LoginID = await tenant.user({ Email });
  await invite(tenant, LoginID);
  await send();
  server.reply.rcpt = null;
  clock.advance({ days: 1 });
  await send();
  assert.deepEqual(server.mails, []);
  const [mail] = await listed(tenant, '?Status=failed');
  assert.deepEqual(
    [mail.LoginID, mail.Attempts, mail.Answer, mail.NextAttemptAt],
    [LoginID, 1, '550 No such user here', null],
  );
});

test('after a temporary rejection, an email is retried with increasing pauses, for up to 72 hours', async () => {
  const tenant = await newTenant(service);
  server.reply.data = { code: 451, text: 'Greylisted' };
  await invite(tenant, await tenant.user({ Email }));
  const pauses: number[] = [];
  for (let n = 0; n < 4; n++) {
    await send();
    const [{ Status, Attempts, AttemptedAt, NextAttemptAt, Answer }] = await listed(tenant);
    assert.deepEqual([Status, Attempts, Answer], ['queued', n + 1, '451 Greylisted']);
    pauses.push((Date.parse(NextAttemptAt) - Date.parse(AttemptedAt)) / 1000);
    clock.advance({ seconds: (pauses.at(-1) ?? 0) + 1 });
  }
  assert.ok(
    pauses.every((pause, n) => n === 0 || pause > (pauses[n - 1] ?? 0)),
    pauses.join(),
  );
  clock.advance({ hours: 73 });
  await send();
  assert.equal((await listed(tenant))[0].Status, 'failed');
  assert.deepEqual(server.mails, []);
});

test('while the mail server is unavailable, emails wait, and tenants are not told the reason', async () => {
  const tenant = await newTenant(service);
  await invite(tenant, await tenant.user({ Email }));
  const down = { ...service.ctx, config: { ...service.ctx.config } };
  const { mail } = down.config;
  assert.ok(mail);
  await sendMails({ ...down, config: { ...down.config, mail: { ...mail, port: 1 } } });
  const [{ Status, Answer }] = await listed(tenant);
  assert.deepEqual([Status, Answer], ['queued', null]);
  clock.advance({ minutes: 1 });
  await send();
  assert.equal(server.mails.length, 1);
});

test('an email to an address that has changed is not sent', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ Email: 'an@acme.example' });
  await invite(tenant, LoginID);
  expectStatus(await tenant.api('PUT', `/user/${LoginID}`, { Email }), 200);
  await send();
  assert.deepEqual(server.mails, []);
  const log = await listed(tenant);
  assert.deepEqual(
    log.map(({ Status }: Record<string, string>) => Status),
    ['cancelled'],
  );
  await invite(tenant, LoginID);
  await send();
  assert.deepEqual(
    server.mails.map(({ to }) => to),
    [[Email]],
  );
});

test('neither an email nor the password is sent without TLS to a trusted server', async () => {
  const tenant = await newTenant(service);
  await invite(tenant, await tenant.user({ Email }));
  const { mail } = service.ctx.config;
  assert.ok(mail);
  const folder = await mkdtemp(join(tmpdir(), 'lectern-'));
  const { certFile, keyFile } = writeCertificate(folder);
  const cert = await readFile(certFile, 'utf8');
  const signedIn: string[] = [];
  const encrypting = await startMailServer({
    cert,
    key: await readFile(keyFile, 'utf8'),
    disabledCommands: [],
    authOptional: false,
    onAuth: ({ username, password }, _, done) => {
      signedIn.push(`${username}:${password}`);
      done(null, { user: username });
    },
  });
  const credentials = { user: 'lectern', password: 'secret', tls: 'starttls', host: 'localhost' } as const;
  const through = (changed: object) =>
    sendMails({
      ...service.ctx,
      config: { ...service.ctx.config, mail: { ...mail, ...credentials, ...changed } },
    });
  await through({});
  clock.advance({ minutes: 2 });
  await through({ port: encrypting.port });
  clock.advance({ minutes: 20 });
  await through({ tls: 'implicit' });
  assert.deepEqual([server.mails, encrypting.mails, signedIn], [[], [], []]);
  const [{ Status, Attempts }] = await listed(tenant);
  assert.deepEqual([Status, Attempts], ['queued', 3]);
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, cert]);
  clock.advance({ hours: 3 });
  await through({ port: encrypting.port }).finally(() => setDefaultCACertificates(trusted));
  assert.deepEqual([encrypting.mails.length, signedIn], [1, ['lectern:secret']]);
  await encrypting.close();
  await rm(folder, { recursive: true });
});

test('a server that never confirms a message counts as unavailable after a time limit', async () => {
  const { mail } = service.ctx.config;
  assert.ok(mail);
  const hold = Promise.withResolvers<void>();
  server.hold = hold.promise;
  const sender = openSender(mail, 200);
  const message = { id: randomUUID(), fromName: 'Acme', to: Email, subject: 'x', text: 'x', html: 'x' };
  const { result, answer } = await sender.send(message);
  assert.deepEqual([result, answer], ['unavailable', null]);
  hold.resolve();
  sender.close();
});

test('an email that is being cancelled does not delay others', {
  skip: !process.env.TEST_DATABASE_URL && 'the embedded database has one connection; run with --postgres',
}, async () => {
  const [busy, other] = [await newTenant(service), await newTenant(service)];
  const LoginID = await busy.user({ Email });
  await invite(busy, LoginID);
  await invite(other, await other.user({ Email: 'bob@other.example' }));
  await transaction(service.ctx, async (ctx) => {
    await run(ctx, "update mail set status = 'cancelled' where tenant_id = $1", [busy.TenantID]);
    await send();
  });
  assert.deepEqual(
    server.mails.map(({ to }) => to),
    [['bob@other.example']],
  );
});

test("while other tenants' attachments are slow, a password reset is sent", async () => {
  const tenants = await Promise.all(Array.from({ length: 6 }, () => newTenant(service)));
  for (const [at, tenant] of tenants.entries())
    await invite(tenant, await tenant.user({ Email: `slow-${at}@acme.example` }));
  const acme = await newTenant(service, { PasswordHash: 'sha256-hex' });
  const Password = createHash('sha256').update('right').digest('hex');
  const LoginID = await acme.user({ Email, Password });
  const { promise, resolve } = Promise.withResolvers<null>();
  const sending = sendMails(service.ctx, {}, { invitation: () => promise });
  try {
    const forgotten = { TenantID: acme.TenantID, LoginID };
    expectStatus(await service.api('POST', '/session/reset', forgotten, '', ownPage), 204);
    await until('the reset is sent', () => server.mails.some(({ to }) => to[0] === Email));
    assert.equal(server.mails.length, 1);
  } finally {
    resolve(null);
    await sending;
  }
  assert.equal(server.mails.length, 7);
});

test('nodes that send at the same time send each email once', async () => {
  const tenants = [await newTenant(service), await newTenant(service), await newTenant(service)];
  for (const tenant of tenants)
    for (let n = 0; n < 3; n++) await invite(tenant, await tenant.user({ Email }));
  const nodes = [service.ctx, otherNode(service.ctx), otherNode(service.ctx)];
  await Promise.all(nodes.map((node) => sendMails(node)));
  await send();
  // The message that the server held back in the previous test may arrive late.
  const own = server.mails.filter(({ headers }) => headers.get('subject') !== 'x');
  const ids = own.map(({ headers }) => headers.get('message-id'));
  assert.equal(ids.length, 9);
  assert.equal(new Set(ids).size, 9);
});

test('after a crash, another node sends emails without a recorded result, with the same Message-ID', async () => {
  const tenant = await newTenant(service);
  await invite(tenant, await tenant.user({ Email }));
  // This node fails after the server's acknowledgement and before recording it.
  const dying = otherNode(service.ctx);
  const { query } = dying.engine;
  const broken = otherNode({
    ...dying,
    engine: {
      ...dying.engine,
      query: (statement) => {
        if (statement.text.startsWith('\nupdate mail set status')) throw new Error('killed');
        return query(statement);
      },
    },
  });
  await sendMails(broken);
  await send();
  assert.equal(server.mails.length, 1);
  clock.advance({ minutes: 3 });
  await send();
  const ids = server.mails.map(({ headers }) => headers.get('message-id'));
  assert.equal(ids.length, 2);
  assert.equal(new Set(ids).size, 1);
  assert.equal((await listed(tenant))[0].Status, 'sent');
});

test('a tenant that exceeds its limit waits for the next hour, and others take turns with it', async () => {
  const [flooding, other] = [await newTenant(service, { Name: 'Flood' }), await newTenant(service)];
  for (let n = 0; n < 8; n++) await invite(flooding, await flooding.user({ Email }));
  await invite(other, await other.user({ Email: 'bob@other.example' }));
  await send();
  const order = server.mails.map(({ to }) => to[0]);
  assert.equal(order.length, 6, 'five from the flooding tenant and one from the other');
  // The queues use separate connections, so one more email from the first queue may arrive before it.
  assert.ok(order.indexOf('bob@other.example') < 3, order.join());
  assert.equal((await listed(flooding, '?Status=queued')).length, 3);
  clock.advance({ minutes: 59 });
  await send();
  assert.equal(server.mails.length, 6);
  clock.advance({ minutes: 2 });
  await send();
  assert.equal(server.mails.length, 9);
});

test('a suspended tenant sends nothing, and emails queued before the suspension are cancelled', async () => {
  const tenant = await newTenant(service);
  await invite(tenant, await tenant.user({ Email }));
  const setStatus = (Status: string) => service.api('PUT', `/tenant/${tenant.TenantID}`, { Status });
  clock.advance({ seconds: 1 });
  await setStatus('suspended');
  await send();
  await setStatus('active');
  await send();
  assert.deepEqual(server.mails, []);
  clock.advance({ seconds: 5 });
  assert.equal((await listed(tenant))[0].Status, 'cancelled');
});

test('erasing a person cancels their emails and deletes their addresses', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ Email });
  await invite(tenant, LoginID);
  const exported = await tenant.api('GET', `/user/${LoginID}/export`);
  assert.equal(exported.body.Mails.length, 1);
  assert.equal(exported.body.Mails[0].Address, Email);
  expectStatus(await tenant.api('DELETE', `/user/${LoginID}`), 200);
  await send();
  assert.deepEqual(server.mails, []);
  assert.deepEqual(await listed(tenant), []);
  const { rows } = await service.ctx.engine.query({
    text: 'select 1 from mail where tenant_id = $1',
    values: [tenant.TenantID],
  });
  assert.deepEqual(rows, []);
});

test('the log is kept for 90 days', async () => {
  const tenant = await newTenant(service);
  await invite(tenant, await tenant.user({ Email }));
  await send();
  clock.advance({ days: 89 });
  await purgeMails(service.ctx);
  assert.equal((await listed(tenant)).length, 1);
  clock.advance({ days: 2 });
  await purgeMails(service.ctx);
  assert.deepEqual(await listed(tenant), []);
});

test('bulk invitations are sent as well, but a plan sends nothing', async () => {
  const tenant = await newTenant(service);
  const ids = [await tenant.user({ Email }), await tenant.user()];
  const rows = ids.map((LoginID) => JSON.stringify({ LoginID })).join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  expectStatus(await tenant.api('POST', '/invitation/bulk?Plan=true', rows, headers), 200);
  assert.deepEqual(await listed(tenant), []);
  const { body } = await tenant.api('POST', '/invitation/bulk', rows, headers);
  const lines = String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ MailID }) => typeof MailID),
    ['string', 'object'],
  );
  await send();
  assert.equal(server.mails.length, 1);
});

test('a LoginID or a name that reads like a message is left out', async () => {
  const messages = [
    { LoginID: 'blocked. Your account was closed: open https://evil.example/login' },
    { LoginID: 'evil.example' },
    { LoginID: 'evil\u3002example' },
    { LoginID: 'evil.example/login@acme.example' },
    { FirstName: 'Dear customer, call +1 900 123 now' },
    { LastName: 'evil\uff0eexample' },
  ];
  for (const fields of messages) {
    const tenant = await newTenant(service);
    const user = await tenant.user({ Email, ...fields });
    await invite(tenant, fields.LoginID ?? user);
    await send();
    const { text = '', html = '' } = server.mails.at(-1) ?? {};
    const [shown = ''] = Object.values(fields);
    assert.ok(!text.includes(shown) && !html.includes(shown), text);
    assert.equal(text.includes('Your login name is'), !('LoginID' in fields));
  }
  assert.equal(server.mails.length, messages.length);
  const tenant = await newTenant(service);
  for (const LoginID of [unique('ann'), `${unique('ann')}@acme.example`, '4711000815']) {
    await tenant.user({ Email: 'bob@acme.example', LoginID });
    await invite(tenant, LoginID);
    await send();
    assert.ok(server.mails.at(-1)?.text.includes(`Your login name is ${LoginID}.`));
  }
});
