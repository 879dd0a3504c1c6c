import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Webhook as Verifier } from 'standardwebhooks';
import { type Dispatcher, startDispatcher } from '../../server/src/domain/events/webhooks/dispatcher.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { movableClock } from '../../server/test/support/clock.ts';
import { closeConsole, consoleOf, signInAs } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { until } from '../../server/test/support/until.ts';
import { type Received, type Receiver, startReceiver } from '../../server/test/support/webhooks.ts';

const clock = movableClock();
let service: TestService;
let dispatcher: Dispatcher;
let receiver: Receiver;

before(async () => {
  service = await startService({ now: clock.now, env: { WEBHOOK_ALLOW: '127.0.0.1' } });
  dispatcher = startDispatcher(service.ctx);
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.kill());

after(async () => {
  await dispatcher?.stop(1_000);
  await service?.close();
});

async function withAdministrator() {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  return { tenant, who: { tenant, LoginID } };
}

/** An administrator on the page of an endpoint that has received the events of these users. */
async function withEndpoint(...users: string[]) {
  const { tenant, who } = await withAdministrator();
  const made = await tenant.api('POST', '/webhook', { URL: receiver.url, Description: 'The shop' });
  expectStatus(made, 201);
  for (const LoginID of users) await tenant.api('POST', '/user', { LoginID });
  await until('the events are in the log', () => receiver.received.length === users.length);
  const page = await consoleOf(service, who, `/console/webhooks/${made.body.WebhookID}`);
  return { tenant, who, page, webhook: made.body };
}

const refuse = () => receiver.answer((response) => response.writeHead(500).end('the database is locked'));
const accept = () => receiver.answer((response) => response.writeHead(200).end());
const reported = (loginId: string) => receiver.received.filter(({ event }) => event.LoginID === loginId);

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).waitFor();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const log = (page: Page) => page.getByRole('table', { name: 'Delivery log' });

/**
 * Does not use the Standard Webhooks library to check signatures, because the library uses this machine's
 * clock.
 */
function verifies(secret: string, one: Received | undefined): void {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = one?.headers ?? {};
  const expected = new Verifier(secret).sign(String(id), new Date(Number(at) * 1000), one?.text ?? '');
  assert.ok(String(signatures).split(' ').includes(expected), `${signatures} does not contain ${expected}`);
}

async function choose(page: Page, item: string): Promise<void> {
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: item }).click();
}

const disabled = (tenant: TestTenant, path: string) =>
  until(
    'the service disables the endpoint',
    async () => (await tenant.api('GET', path)).body.Status === 'disabled',
  );

test('An endpoint is added, fails until it is disabled, is repaired, and receives the missed events', async () => {
  const { tenant, who } = await withAdministrator();
  const page = await consoleOf(service, who, '/console/webhooks');
  await heading(page, 'No webhook endpoints yet');
  await button(page, 'Add endpoint').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'URL' }).fill(receiver.url);
  await dialog.getByRole('radio', { name: 'Only these' }).check();
  await dialog.getByRole('checkbox', { name: 'Users' }).check();
  await dialog.getByRole('checkbox', { name: 'User disabled' }).uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click();
  const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? '';
  await button(page, 'I have saved the secret').click();
  await heading(page, receiver.url);
  await heading(page, 'Ready; nothing sent yet');
  const path = new URL(page.url()).pathname;
  const { body } = await tenant.api('GET', path.replace('/console/webhooks', '/webhook'));
  assert.deepEqual(body.Types.toSorted(), [
    ...['invitation.accepted', 'invitation.created', 'mail.bounced'],
    ...['user.created', 'user.erased', 'user.updated'],
  ]);

  await tenant.api('POST', '/user', { LoginID: 'eve' });
  await heading(page, 'Working');
  verifies(secret, reported('eve')[0]);

  refuse();
  await tenant.api('POST', '/user', { LoginID: 'fay' });
  await heading(page, /^Failing since/);
  await page.getByText(/HTTP 500 to user.created/).waitFor();
  await log(page).getByText('Will be retried').waitFor();

  clock.advance({ hours: 73 });
  await disabled(tenant, `/webhook/${body.WebhookID}`);
  await signInAs(page, service, who, '/console/webhooks');
  await page.getByText('Disabled by Lectern').waitFor();
  await page.getByText('after 72 hours of failures').waitFor();
  await page.getByRole('link', { name: receiver.url }).click();
  await heading(page, 'Disabled by Lectern: no delivery succeeded for 72 hours');
  await button(page, 'Send ping').click();
  await page.getByText('Ping failed').waitFor();

  accept();
  await button(page, 'Send ping').click();
  await page.getByText('Ping accepted').waitFor();
  await button(page, 'Enable').click();
  await heading(page, 'Working');
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed');
  await page.waitForURL(/status=failed/);
  await log(page).getByText('webhook.ping').waitFor();
  const before = reported('fay').length;
  await button(page, 'Resend').click();
  await until('the event arrives', () => reported('fay').length > before);
  const [first, last] = [reported('fay')[0], reported('fay').at(-1)];
  assert.equal(last?.headers['webhook-id'], first?.headers['webhook-id']);
  await button(page, 'Clear filters').click();
  await log(page).getByRole('row').filter({ hasText: 'resent' }).getByText('Delivered').waitFor();
  await closeConsole(page);
});

test('A rotated secret is shown once, and both secrets are used during the chosen overlap', async () => {
  const { tenant, page, webhook } = await withEndpoint();
  await choose(page, 'Rotate secret');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'Old secret stays valid for' }).selectOption('3 days');
  await button(page, 'Create new secret').click();
  const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? '';
  assert.notEqual(secret, webhook.Secret);
  const until72 = await dialog
    .getByText(/old secret is valid until/)
    .locator('time')
    .getAttribute('datetime');
  const hours = (new Date(until72 ?? '').getTime() - clock.now().getTime()) / 3_600_000;
  assert.ok(hours > 71.9 && hours <= 72, `the overlap is ${hours} hours`);
  await button(page, 'I have saved the secret').click();
  await tenant.api('POST', '/user', { LoginID: 'gil' });
  await until('the event arrives', () => reported('gil').length === 1);
  for (const one of [secret, webhook.Secret]) verifies(one, reported('gil')[0]);
  await closeConsole(page);
});

test('The log is filtered, a delivery is opened, a period is replayed, and pending deliveries are retried', async () => {
  const { tenant, page } = await withEndpoint('hal', 'ida');
  await log(page).getByText('Delivered').nth(1).waitFor();
  await page.getByRole('combobox', { name: 'Type' }).selectOption('Course passed');
  await heading(page, 'No deliveries found');
  await page.getByRole('combobox', { name: 'Type' }).selectOption('User created');
  await page.getByLabel('From').fill('2020-01-01T00:00');
  await log(page).getByText('user.created').nth(1).waitFor();
  await page.reload();
  await page.getByLabel('Before').fill('2020-01-01T00:00');
  await heading(page, 'No deliveries found');
  await button(page, 'Show all').click();
  await button(page, 'Show').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('thank you').waitFor();
  await dialog.getByText('"LoginID": "ida"').waitFor();
  await button(page, 'Close').click();

  await button(page, 'Replay events').click();
  await dialog.getByLabel('From').fill('2020-01-01T00:00');
  await dialog.getByText('3 events in this period').waitFor();
  await dialog.getByRole('button', { name: 'Resend 3 events' }).click();
  await page.getByText('3 events resent').waitFor();
  await until('the events arrive', () => receiver.received.length === 5);

  receiver.answer((response) => response.writeHead(503, { 'retry-after': '3600' }).end());
  await tenant.api('POST', '/user', { LoginID: 'jon' });
  await heading(page, /^Failing since/);
  accept();
  await button(page, 'Retry now').click();
  await until('the event arrives', () => reported('jon').length === 2);
  await heading(page, 'Working');
  await closeConsole(page);
});

test('An endpoint is changed, disabled, enabled and deleted', async () => {
  const { tenant, page, webhook } = await withEndpoint();
  const read = async () => (await tenant.api('GET', `/webhook/${webhook.WebhookID}`)).body;
  await button(page, 'Edit').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'URL' }).fill('https://10.0.0.1/');
  await button(page, 'Save').click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/new`);
  await button(page, 'Save').click();
  await heading(page, `${receiver.url}/new`);
  assert.equal((await read()).Description, 'The shop');

  await choose(page, 'Disable');
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await heading(page, 'Disabled');
  assert.equal((await read()).DisabledReason, 'client');
  await button(page, 'Enable').click();
  await heading(page, 'Ready; nothing sent yet');
  await choose(page, 'Delete');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await heading(page, 'No webhook endpoints yet');
  assert.equal((await read()).code, 'webhook_not_found');
  await closeConsole(page);
});

test('The webhook pages are accessible', async () => {
  const { tenant, who, page } = await withEndpoint('kim');
  await tenant.api('POST', '/webhook', { URL: `${receiver.url}/${'long/'.repeat(30)}`, Status: 'disabled' });
  await heading(page, 'Working');
  await expectAccessible(page);
  refuse();
  await tenant.api('POST', '/user', { LoginID: 'lea' });
  await heading(page, /^Failing since/);
  await button(page, 'Send ping').click();
  await page.getByText('Ping failed').waitFor();
  await expectAccessible(page);
  await button(page, 'Show').first().click();
  await page.getByRole('dialog').getByText('"webhook.ping"').waitFor();
  await expectAccessible(page, true);
  await button(page, 'Close').click();
  await button(page, 'Replay events').click();
  await page.getByText(/\d events? in this period/).waitFor();
  await expectAccessible(page, true);

  await page.goto(`${service.baseUrl}/console/webhooks`);
  await page.getByText('Failing').first().waitFor();
  await expectAccessible(page);
  await button(page, 'Add endpoint').click();
  await page.getByRole('radio', { name: 'Only these' }).check();
  await expectAccessible(page, true);
  await closeConsole(page);

  const { who: nobody } = await withAdministrator();
  const empty = await consoleOf(service, nobody, '/console/webhooks');
  await heading(empty, 'No webhook endpoints yet');
  await expectAccessible(empty);
  await closeConsole(empty);
  assert.notEqual(nobody.tenant, who.tenant);
});

test('A learning suite is added with its credentials, and the stored secret is kept when they change', async () => {
  const { tenant, who } = await withAdministrator();
  const page = await consoleOf(service, who, '/console/connections');
  await page.getByRole('link', { name: 'Open webhooks' }).click();
  await button(page, 'Add endpoint').click();
  const dialog = page.getByRole('dialog');
  const field = (name: string) => dialog.getByRole('textbox', { name, exact: true });
  await dialog.getByRole('radio', { name: 'Learning suite' }).check();
  await field('URL').fill(`${receiver.url}/xapi`);
  await field('User name').fill('lectern');
  await field('Token URL').fill(`${receiver.url}/token`);
  await dialog.getByLabel('Client secret').fill('client secret');
  await field('Scope').fill('xapi:write');
  await dialog.getByRole('radio', { name: 'By LoginID' }).check();
  await expectAccessible(page, true);
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByText(/^whsec_/).waitFor();
  await button(page, 'I have saved the secret').click();
  await heading(page, `${receiver.url}/xapi`);
  await page.getByText('Learning suite').waitFor();
  await button(page, 'Edit').click();
  await field('Client ID').fill('lectern-2');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Endpoint saved').waitFor();
  await page.getByText('lectern-2').waitFor();
  const [made] = (await tenant.api('GET', '/webhook')).body.Items;
  const { Kind, Username, TokenURL, Scope, Actor } = made;
  assert.deepEqual([Kind, Username, Scope, Actor], ['results', 'lectern-2', 'xapi:write', 'account']);
  assert.equal(TokenURL, `${receiver.url}/token`);
  await expectAccessible(page);
  await closeConsole(page);
});
