import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode } from '../../../test/support/nodes.ts';
import { startRawMailServer } from '../../../test/support/raw-smtp.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';
import { until } from '../../../test/support/until.ts';
import { openSender } from '../../infra/mail/send.ts';
import { forgetRecipients } from './recipients.ts';
import { sendMails } from './send.ts';

const server = await startRawMailServer();
const clock = movableClock();
const service = await startService({
  now: clock.now,
  env: { SMTP_URL: server.url, MAIL_FROM: 'noreply@lectern.example' },
});
after(async () => {
  await service.close();
  server.close();
});
beforeEach(() => {
  server.delivered = [];
  server.onRecipient = () => '250 ok';
  server.onMessage = () => '250 ok';
});

const send = () => sendMails(service.ctx);
const invite = async (tenant: TestTenant, ...addresses: string[]) => {
  for (const Email of addresses)
    expectStatus(await tenant.api('POST', '/invitation', { LoginID: await tenant.user({ Email }) }), 201);
};
const listed = async ({ api }: TestTenant) => (await api('GET', '/mail')).body.Items;

for (const [what, reply] of [
  ['a NUL byte', '550 bad\0thing'],
  ['a character that truncation splits', `550 ${'x'.repeat(495)}\u{1f600}`],
  ['a megabyte of line breaks', `${'550-\r\n'.repeat(20_000)}550 end`],
] as const)
  test(`an answer with ${what} is stored, and others get their emails once`, async () => {
    const [hostile, other] = [await newTenant(service), await newTenant(service)];
    server.onRecipient = (to) => (to.endsWith('@bad.example') ? reply : '250 ok');
    server.onMessage = async () => {
      await pause(300);
      return '250 ok';
    };
    await invite(hostile, 'a@bad.example');
    await invite(other, 'b@acme.example', 'c@acme.example');
    await send();
    clock.advance({ minutes: 3 });
    await send();
    assert.deepEqual(server.delivered.sort(), ['b@acme.example', 'c@acme.example']);
    const [{ Status, Attempts, Answer }] = await listed(hostile);
    assert.deepEqual([Status, Attempts], ['failed', 1]);
    assert.ok(Answer.startsWith('550') && Answer.length <= 500 && Answer.isWellFormed(), Answer);
    assert.ok(!Answer.includes('\0'));
  });

test('an error with one email does not interrupt others that are being sent', async () => {
  const [faulty, other] = [await newTenant(service), await newTenant(service)];
  await invite(faulty, 'a@acme.example');
  await invite(other, 'b@acme.example');
  server.onMessage = async (to) => {
    if (to.startsWith('b')) await pause(300);
    return '250 ok';
  };
  const node = otherNode(service.ctx);
  const { query } = node.engine;
  await sendMails(
    otherNode({
      ...node,
      engine: {
        ...node.engine,
        query: (statement) => {
          if (
            statement.text.startsWith('\nupdate mail set status') &&
            statement.values?.[0] === faulty.TenantID
          )
            throw new Error('cannot be stored');
          return query(statement);
        },
      },
    }),
  );
  assert.deepEqual(server.delivered.sort(), ['a@acme.example', 'b@acme.example']);
  assert.equal((await listed(other))[0].Status, 'sent');
});

test("one tenant's slow recipients do not delay other tenants' emails, even those queued later", async () => {
  const [slow, other] = [await newTenant(service), await newTenant(service)];
  const release = Promise.withResolvers<void>();
  server.onRecipient = async (to) => {
    if (to.endsWith('@slow.example')) await release.promise;
    return '250 ok';
  };
  await invite(slow, ...Array.from({ length: 8 }, (_, n) => `${n}@slow.example`));
  await invite(other, 'a@acme.example', 'b@acme.example');
  const run = send();
  await until('those of the other tenant', () => server.delivered.length === 2);
  await invite(other, 'c@acme.example');
  await until('the one queued later', () => server.delivered.length === 3);
  assert.deepEqual(server.delivered, ['a@acme.example', 'b@acme.example', 'c@acme.example']);
  release.resolve();
  await run;
  assert.equal(server.delivered.length, 11);
});

test("a recipient whose connection breaks off does not delay other tenants' emails", async () => {
  const [hostile, other] = [await newTenant(service), await newTenant(service)];
  server.onRecipient = (to) => (to.endsWith('@bad.example') ? null : '250 ok');
  await invite(hostile, 'x@bad.example', 'y@bad.example');
  await invite(other, ...Array.from({ length: 8 }, (_, n) => `${n}@acme.example`));
  await send();
  assert.equal(server.delivered.length, 8, 'in one run');
  const log = await listed(hostile);
  assert.deepEqual(log.map(({ Status, Attempts }: Record<string, unknown>) => [Status, Attempts]).sort(), [
    ['queued', 0],
    ['queued', 1],
  ]);
});

test('a run ends when the mail server fails for several tenants in a row', async () => {
  const tenants = await Promise.all(Array.from({ length: 12 }, () => newTenant(service)));
  let asked = 0;
  server.onRecipient = () => {
    asked++;
    return null;
  };
  for (const tenant of tenants) await invite(tenant, 'a@acme.example');
  await send();
  assert.ok(asked >= 3 && asked <= 8, `${asked} attempts`);
});

test('a time limit closes only the connection of that message', async () => {
  const { mail } = service.ctx.config;
  assert.ok(mail);
  const release = Promise.withResolvers<void>();
  server.onMessage = async (to) => {
    if (to === 'slow@acme.example') await release.promise;
    else await pause(600);
    return '250 ok';
  };
  const sender = openSender(mail, 1_000);
  const to = (address: string) =>
    sender.send({ id: randomUUID(), fromName: 'Acme', to: address, subject: 'x', text: 'x', html: 'x' });
  const slow = to('slow@acme.example');
  await pause(700);
  const other = to('a@acme.example');
  assert.equal((await slow).result, 'unavailable');
  assert.equal((await other).result, 'sent');
  release.resolve();
  sender.close();
});

test('a tenant sends ten emails an hour to one address and the rest later, without delaying other tenants', async () => {
  const [one, two] = [await newTenant(service), await newTenant(service)];
  await invite(one, ...Array.from({ length: 8 }, () => 'victim@acme.example'));
  await invite(one, ...Array.from({ length: 4 }, (_, n) => `Victim+${n}@acme.example`), 'b@acme.example');
  await send();
  const others = () => server.delivered.filter((to) => /^victim/i.test(to));
  assert.equal(others().length, 10);
  assert.ok(server.delivered.includes('b@acme.example'));
  const { rows: queues } = await service.ctx.engine.query({
    text: 'select sent from mail_queue where tenant_id = $1',
    values: [one.TenantID],
  });
  assert.deepEqual(queues, [{ sent: 11 }], "waiting emails do not count towards the tenant's limit");
  await invite(two, 'victim@acme.example');
  await send();
  assert.equal(others().length, 11);
  type Listed = { Status: string; Attempts: number; AttemptedAt: string | null };
  const all: Listed[] = await listed(one);
  const waiting = all.filter(({ Status }) => Status === 'queued');
  assert.deepEqual(
    waiting.map(({ Attempts, AttemptedAt }) => [Attempts, AttemptedAt]),
    [
      [0, null],
      [0, null],
    ],
  );
  clock.advance({ minutes: 59 });
  await send();
  assert.equal(others().length, 11);
  clock.advance({ minutes: 2 });
  await send();
  assert.equal(others().length, 13);
  clock.advance({ hours: 2 });
  await forgetRecipients(service.ctx);
  const { rows } = await service.ctx.engine.query({ text: 'select 1 from mail_recipient', values: [] });
  assert.deepEqual(rows, []);
});
