import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf, openConsole } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { newTenant, unique } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
});

after(() => service?.close());

test('A visitor without an account finds an operation and tries it with a key', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada' });
  const page = await openConsole(service, '/docs');
  await page.getByRole('heading', { name: 'API reference' }).waitFor();
  await page.getByLabel('Find operations').fill('read a user');
  await page.waitForURL(/filter=read/);
  await page
    .getByRole('navigation', { name: 'Operations' })
    .getByRole('link', { name: 'Read a user /user/{LoginID}' })
    .click();
  await page.getByRole('heading', { name: 'Read a user', exact: true }).waitFor();
  assert.match(page.url(), /#readUser$/);
  await page.getByText('users:read', { exact: true }).waitFor();
  await page.getByLabel('Key', { exact: true }).fill(tenant.key);
  await page.getByRole('textbox', { name: 'LoginID' }).fill(LoginID);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('region', { name: 'Response' }).getByText('"FirstName": "Ada"').waitFor();
  await page.getByRole('textbox', { name: 'LoginID' }).fill('nobody');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('region', { name: 'Response' }).getByText('"code": "user_not_found"').waitFor();
  await closeConsole(page);
});

test('A newcomer sees the first enrolment and finds another operation with a filter', async () => {
  const page = await openConsole(service, '/docs');
  await page
    .getByRole('heading', { level: 2, name: 'Enrol a user on a course with a single enrolment option' })
    .waitFor();
  await page.getByRole('region', { name: 'curl' }).getByText('/enrol/ada/fire-safety').waitFor();
  await page.getByLabel('Find operations').fill('token');
  await page.getByRole('heading', { level: 2, name: /access token/ }).waitFor();
  await closeConsole(page);
});

test('The operator tries a write with the current session, on the tenant in the URL', async () => {
  const tenant = await newTenant(service);
  const LoginID = unique('tried');
  const page = await consoleOf(service, 'operator', `/docs?tenant=${tenant.TenantID}#createUser`);
  await page.getByRole('heading', { name: 'Create a user', exact: true }).waitFor();
  assert.equal(
    await page.getByRole('textbox', { name: 'Tenant', exact: true }).last().inputValue(),
    tenant.TenantID,
  );
  await page.getByRole('textbox', { name: 'Body' }).fill('{"LoginID":');
  await page.getByText('Invalid JSON').waitFor();
  await page.getByRole('textbox', { name: 'Body' }).fill(JSON.stringify({ LoginID, Nmae: 'x' }));
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('region', { name: 'Response' }).getByText('"code": "unknown_field"').waitFor();
  await page.getByRole('textbox', { name: 'Body' }).fill(JSON.stringify({ LoginID }));
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('region', { name: 'Response' }).getByText(`"LoginID": "${LoginID}"`).waitFor();
  assert.equal((await tenant.api('GET', `/user/${LoginID}`)).status, 200);
  await closeConsole(page);
});

test('Samples remain in the language that the reader chose', async () => {
  const page = await openConsole(service, '/docs');
  const sample = (name: string) => page.getByRole('region', { name, exact: true });
  await sample('curl').getByText('curl http').waitFor();
  await page.getByRole('tab', { name: 'Python' }).click();
  await sample('Python').getByText('requests.post(').waitFor();
  await page.getByText('pip install requests').waitFor();
  await page.goto(`${service.baseUrl}/docs#createUsers`);
  await sample('Python').getByText('application/x-ndjson').waitFor();
  await page.getByLabel('Format').selectOption('CSV');
  await sample('Python').getByText('text/csv').waitFor();
  await page.reload();
  await sample('Python').getByText('application/x-ndjson').waitFor();
  for (const [name, text] of [
    ['TypeScript', 'lectern.bulk('],
    ['PHP', 'curl_init('],
    ['C#', 'new HttpClient()'],
  ] as const) {
    await page.getByRole('tab', { name }).click();
    await sample(name).getByText(text).waitFor();
  }
  await expectAccessible(page);
  await closeConsole(page);
});

test('The reference is accessible', async () => {
  const page = await openConsole(service, '/docs#importPackage');
  await page.getByRole('heading', { name: 'Import a package as a new release of a course' }).waitFor();
  await expectAccessible(page);
  await page.goto(`${service.baseUrl}/docs#user.created`);
  await page.getByRole('heading', { name: 'A user was created.' }).waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});
