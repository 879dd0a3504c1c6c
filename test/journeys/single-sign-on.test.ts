import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { OAuth2Server } from 'oauth2-mock-server';
import type { BrowserContext } from 'playwright-core';
import { newContext, openPage } from '../../server/test/support/browser.ts';
import { startProvider, type TestProvider } from '../../server/test/support/identity-provider.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { openClientSite } from './client-site.ts';
import { packCourse } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;
let client: Awaited<ReturnType<typeof openClientSite>>;
let provider: TestProvider;
let tenant: TestTenant;
let launchUrl = '';
const other = new OAuth2Server();
/** Like those of all large providers, its pages refuse to be shown in frames. */
const otherServer = createServer((request, response) => {
  response.setHeader('X-Frame-Options', 'DENY');
  other.service.requestHandler(request, response);
});

before(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.1,localhost' } });
  client = await openClientSite();
  tenant = await newTenant(service, { Name: 'Acme' });
  const callback = `${service.baseUrl}/sso/${tenant.TenantID}/callback/acme`;
  provider = await startProvider([callback], {
    ada: { email: 'ada@acme.example', email_verified: true, given_name: 'Ada' },
  });
  const body = { Issuer: provider.issuer, ClientID: provider.clientId, ClientSecret: provider.clientSecret };
  expectStatus(
    await tenant.api('PUT', '/identity-provider/acme', { ...body, Name: 'Acme', LinkBy: 'Email' }),
    201,
  );
  expectStatus(await tenant.api('POST', '/user', { LoginID: 'E-1', Email: 'ada@acme.example' }), 201);
  await service.importPackage('fire-safety', await packCourse('fire-safety'));
  await service.api('PUT', '/course/fire-safety/option/standard', {});
});

after(async () => {
  otherServer.close();
  otherServer.closeAllConnections();
  await provider?.close();
  await client?.close();
  await service?.close();
});

test('a learner signs in with the button of the organisation, and signs out', async () => {
  const page = await openPage(await newContext());
  await page.goto(`${service.baseUrl}/console/?tenant=${tenant.TenantID}`);
  await page.getByRole('link', { name: 'Continue with Acme' }).click();
  await page.getByLabel('Account').fill('ada');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'My courses' }).waitFor();
});

test('a second, independent provider signs users in', async () => {
  await other.issuer.keys.generate('RS256');
  otherServer.listen(0, '127.0.0.1');
  await once(otherServer, 'listening');
  const { port } = otherServer.address() as AddressInfo;
  other.issuer.url = `http://127.0.0.1:${port}`;
  other.service.on('beforeTokenSigning', (token) => {
    token.payload.sub = 'second-1';
  });
  other.service.on('beforeUserinfo', (answer) => {
    answer.body = { sub: 'second-1', given_name: 'Sam' };
  });
  const body = {
    Issuer: other.issuer.url,
    ClientID: 'lectern',
    ClientSecret: 'secret',
    CreateUsers: true,
    Name: 'Second',
  };
  expectStatus(await tenant.api('PUT', '/identity-provider/second', body), 201);
  assert.equal((await tenant.api('POST', '/identity-provider/second/test')).body.Steps[0].Passed, true);
  const page = await openPage(await newContext());
  await page.goto(`${service.baseUrl}/sso/${tenant.TenantID}/start?ProviderID=second`);
  await page.getByRole('heading', { name: 'My courses' }).waitFor();
  expectStatus(await tenant.api('GET', '/user/second-1'), 200);
});

/** Shows the launch link in a frame of the client's site, and clicks the link that opens the sign-in. */
async function openFramed(context: BrowserContext, launchUrl: string) {
  const page = await openPage(context);
  await page.goto(client.framed(`${launchUrl}&returnURL=${encodeURIComponent(client.returnURL)}`));
  const frame = page.frameLocator('#course');
  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    frame.getByRole('link', { name: 'Sign in' }).click(),
  ]);
  return { page, frame, popup };
}

/** The course has started in the frame, with the return URL, and the window has closed. */
async function expectStarted({ page, frame, popup }: Awaited<ReturnType<typeof openFramed>>) {
  await frame.locator('#leave, iframe').first().waitFor();
  const player = page.frames().find((one) => one.url().includes('/play/'));
  assert.ok(player, 'the player is in the frame');
  const [ticket = ''] = player.url().split('/play/')[1]?.split('.') ?? [];
  assert.equal(JSON.parse(Buffer.from(ticket, 'base64url').toString())[2], client.returnURL);
  assert.ok(popup.isClosed() || (await popup.waitForEvent('close').then(() => true)));
}

test('a framed course of a learner of the second provider starts in the frame', async () => {
  expectStatus(await tenant.api('PUT', '/settings', { RequireSignIn: true }), 200);
  const { LaunchURL } = (await tenant.api('POST', '/enrol/second-1/fire-safety')).body;
  await expectStarted(await openFramed(await newContext(), LaunchURL));
});

test('a framed course signs in in a window of its own, starts in the frame, and keeps the return URL', async () => {
  expectStatus(await tenant.api('PUT', '/settings', { RequireSignIn: true }), 200);
  const { LaunchURL } = (await tenant.api('POST', '/enrol/E-1/fire-safety')).body;
  launchUrl = LaunchURL;
  const opened = await openFramed(await newContext(), LaunchURL);
  await opened.popup.getByLabel('Account').fill('ada');
  await opened.popup.getByRole('button', { name: 'Sign in' }).click();
  await expectStarted(opened);
});

test('the same click in a window of its own goes through the provider and back', async () => {
  const page = await openPage(await newContext());
  await page.goto(`${launchUrl}&returnURL=${client.returnURL}`);
  await page.getByLabel('Account').fill('ada');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/play\//);
});
