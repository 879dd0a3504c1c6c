import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { expectCount } from '../../server/test/support/browser.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';

let service: TestService;

before(async () => {
  service = await startService();
});

after(() => service?.close());

const adl = 'http://adlnet.gov/expapi/verbs';
const question = {
  id: 'https://courses.example/questions/3',
  definition: { name: { 'en-GB': 'Question 3', de: 'Frage 3' } },
};

async function store(tenant: TestTenant, statements: object[]): Promise<void> {
  const version = { 'X-Experience-API-Version': '2.0.0' };
  expectStatus(await tenant.api('POST', '/xapi/statements', statements, version), 200);
}

/** A tenant with two statements about Ann and one about Bob. */
async function withStatements() {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
  await tenant.api('POST', '/user', { LoginID: 'ann', FirstName: 'Anna', LastName: 'Lee' });
  const CourseID = await newCourse(service, { Title: 'Fire safety' });
  const { EnrollID } = (await tenant.api('POST', `/enrol/ann/${CourseID}`)).body;
  const anna = { account: { homePage: service.baseUrl, name: 'ann' } };
  const answered = { actor: anna, verb: { id: `${adl}/answered` }, context: { registration: EnrollID } };
  await store(tenant, [
    { ...answered, object: question, result: { success: false, response: 'the lift', duration: 'PT12S' } },
    {
      actor: anna,
      verb: { id: `${adl}/passed` },
      object: { id: 'https://courses.example/quiz', definition: { name: { en: 'Quiz' } } },
      result: { success: true, score: { scaled: 0.8 }, duration: 'PT1H2M3S' },
    },
    {
      actor: { mbox: 'mailto:bob@example.com', name: 'Bob' },
      verb: { id: 'https://verbs.example/shared', display: { en: 'shared' } },
      object: { id: 'https://courses.example/handouts/fire-plan' },
    },
  ]);
  return { tenant, EnrollID, who: { tenant, LoginID } };
}

const sentences = (page: Page) => page.getByRole('table', { name: 'xAPI statements' }).getByRole('row');

test('Statements are shown as sentences, filtered, opened, and followed to the enrolment', async () => {
  const { who, EnrollID } = await withStatements();
  const page = await consoleOf(service, who, '/console/statements');
  const rows = sentences(page);
  await rows.getByText('Anna Lee answered “Question 3” incorrectly, 0:12').waitFor();
  await rows.getByText('Answer: the lift').waitFor();
  await rows.getByText('Anna Lee passed “Quiz”, 80%, 1:02:03').waitFor();
  await rows.getByText('Bob shared “fire-plan”').waitFor();

  await page.getByRole('combobox', { name: 'Person' }).fill('ann');
  await page.getByRole('option', { name: 'Anna Lee' }).click();
  await rows.getByText('Bob shared').waitFor({ state: 'detached' });
  await expectCount(rows, 3);
  await page.getByRole('combobox', { name: 'Verb' }).selectOption('Answered');
  await rows.getByText('passed').waitFor({ state: 'detached' });
  await page.reload();
  await rows.nth(1).getByText('Question 3').waitFor();
  await expectCount(rows, 2);

  await page.getByRole('button', { name: 'Show', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('"response": "the lift"').waitFor();
  await dialog.getByRole('button', { name: 'Only this activity' }).click();
  await page.waitForURL(/activity=https/);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await rows.getByText('Bob shared “fire-plan”').waitFor();

  await page.getByLabel('Stored from').fill('2999-01-01T00:00');
  await page.getByRole('heading', { name: 'No statements found' }).waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await rows.nth(1).getByRole('button', { name: 'Show' }).waitFor();

  await page.goto(`${service.baseUrl}/console/enrolments/ann/${EnrollID}`);
  await page.getByRole('link', { name: 'xAPI statements of this enrolment' }).click();
  await page.getByText(`Only statements about enrolment ${EnrollID}`).waitFor();
  await expectCount(rows, 2);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByRole('link', { name: 'Open enrolment' }).click();
  await page.getByRole('heading', { name: 'Fire safety', level: 1 }).waitFor();
  await closeConsole(page);
});

test('Older statements are loaded on request', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ IsAdmin: true });
  const actor = { mbox: 'mailto:bob@example.com', name: 'Bob' };
  const numbered = (n: number) => ({
    actor,
    verb: { id: `${adl}/experienced` },
    object: { id: `https://courses.example/pages/page-${n}` },
  });
  await store(
    tenant,
    Array.from({ length: 60 }, (_, n) => numbered(n)),
  );
  const page = await consoleOf(service, { tenant, LoginID }, '/console/statements');
  await sentences(page).getByText('Bob viewed “page-59”').waitFor();
  await expectCount(sentences(page), 51);
  await page.getByRole('button', { name: 'Show more' }).click();
  await sentences(page).getByText('Bob viewed “page-0”').waitFor();
  await expectCount(sentences(page), 61);
  await closeConsole(page);
});

test('The operator creates LRS credentials, and the test calls the store with them', async () => {
  const { tenant } = await withStatements();
  const page = await consoleOf(service, 'operator', `/console/statements?tenant=${tenant.TenantID}`);
  await page.getByRole('button', { name: 'LRS access' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${service.baseUrl}/xapi`, { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByText('Copy the password now').waitFor();
  const calls: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/xapi/'))
      calls.push(`${pathname} ${(request.headers().authorization ?? 'none').slice(0, 6)}`);
  });
  await dialog.getByRole('button', { name: 'Test', exact: true }).click();
  await dialog.getByText('The credentials work').waitFor();
  await dialog.getByText('Statements can be read (1 returned)').waitFor();
  assert.deepEqual(calls.slice(0, 2), ['/xapi/about none', '/xapi/statements Basic ']);
  await expectAccessible(page, true);

  await dialog.getByRole('textbox', { name: 'Password' }).fill('another');
  await dialog.getByRole('button', { name: 'Test', exact: true }).click();
  await dialog.getByText('The test failed').waitFor();
  await dialog.getByText('Reading statements returned 401').waitFor();
  await closeConsole(page);
});

test('The statements page is accessible, and says so when there are no statements', async () => {
  const { who } = await withStatements();
  const page = await consoleOf(service, who, '/console/statements');
  await sentences(page).getByText('Bob shared').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show', exact: true }).first().click();
  await page.getByRole('dialog').getByText('As JSON').waitFor();
  await expectAccessible(page, true);
  await page.goto(`${service.baseUrl}/console/statements?verb=${adl}/waived`);
  await page.getByRole('heading', { name: 'No statements found' }).waitFor();
  await page.getByRole('button', { name: 'LRS access' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByText('Copy the password now').waitFor();
  await closeConsole(page);
});
