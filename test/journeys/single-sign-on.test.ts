import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { OAuth2Server } from 'oauth2-mock-server';
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
  await other.stop().catch(() => {});
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
  await other.start(0, '127.0.0.1');
  const { port } = other.address();
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
  expectStatus(await tenant.api('DELETE', '/identity-provider/second'), 200);
});

test('a framed course signs in in a window of its own, starts in the frame, and keeps the return URL', async () => {
  expectStatus(await tenant.api('PUT', '/settings', { RequireSignIn: true }), 200);
  const { LaunchURL } = (await tenant.api('POST', '/enrol/E-1/fire-safety')).body;
  launchUrl = LaunchURL;
  const context = await newContext();
  const page = await openPage(context);
  await page.goto(client.framed(`${LaunchURL}&returnURL=${encodeURIComponent(client.returnURL)}`));
  const frame = page.frameLocator('#course');
  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    frame.getByRole('link', { name: 'Sign in' }).click(),
  ]);
  await popup.getByLabel('Account').fill('ada');
  await popup.getByRole('button', { name: 'Sign in' }).click();
  await frame.locator('#leave, iframe').first().waitFor();
  const player = page.frames().find((one) => one.url().includes('/play/'));
  assert.ok(player, 'the player is in the frame');
  const [ticket = ''] = player.url().split('/play/')[1]?.split('.') ?? [];
  assert.equal(JSON.parse(Buffer.from(ticket, 'base64url').toString())[2], client.returnURL);
  assert.ok(popup.isClosed() || (await popup.waitForEvent('close').then(() => true)));
});

test('the same click in a window of its own goes through the provider and back', async () => {
  const page = await openPage(await newContext());
  await page.goto(`${launchUrl}&returnURL=${client.returnURL}`);
  await page.getByLabel('Account').fill('ada');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/play\//);
});
