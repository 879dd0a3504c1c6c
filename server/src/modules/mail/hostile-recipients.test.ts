import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { movableClock } from '../../../test/support/clock.ts';
import { otherNode } from '../../../test/support/nodes.ts';
import { startRawMailServer } from '../../../test/support/raw-smtp.ts';
import { startService } from '../../../test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../../test/support/tenant.ts';
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
  ['half a character where it is cut', `550 ${'x'.repeat(495)}\u{1f600}`],
  ['a megabyte of line breaks', `${'550-\r\n'.repeat(20_000)}550 end`],
] as const)
  test(`an answer with ${what} is kept, and others get their e-mails once`, async () => {
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

test('an error about one e-mail does not interrupt those that are being sent', async () => {
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
          if (statement.name === 'record_mail_result' && statement.values?.[0] === faulty.TenantID)
            throw new Error('cannot be stored');
          return query(statement);
        },
      },
    }),
  );
  assert.deepEqual(server.delivered.sort(), ['a@acme.example', 'b@acme.example']);
  assert.equal((await listed(other))[0].Status, 'sent');
});
