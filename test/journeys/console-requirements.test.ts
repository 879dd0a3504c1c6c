import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { company, fillCompany } from '../../server/src/cli/demo-company.ts';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, newConsolePage, signInAs } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { startMailServer } from '../../server/test/support/smtp.ts';
import { expectStatus, type TestTenant } from '../../server/test/support/tenant.ts';
import { packCourse } from './course-packages.ts';

let service: TestService;
let mailServer: Awaited<ReturnType<typeof startMailServer>>;
let key: string;

before(async () => {
  mailServer = await startMailServer();
  const env = { SMTP_URL: mailServer.url, MAIL_FROM: 'noreply@lectern.example' };
  service = await startService({ env });
  for (const [id, options] of [
    ['fire-safety', ['1-year', 'unlimited']],
    ['phishing', ['30-days']],
    ['recovery-position', ['unlimited']],
  ] as const) {
    await service.importPackage(id, await packCourse(id));
    expectStatus(await service.api('PUT', `/course/${id}`, { Status: 'published' }), 200);
    for (const option of options)
      expectStatus(await service.api('PUT', `/course/${id}/option/${option}`, { Name: option }), 201);
  }
  await fillCompany(service.baseUrl, service.operatorKey);
  key = (await service.api('POST', `/tenant/${company.tenantId}/key`, { Name: 'test' })).body.Secret;
});

after(async () => {
  await service?.close();
  await mailServer?.close();
});

const tenantApi: TestTenant['api'] = (method, path, body) => service.api(method, path, body, key);

async function administrator(options: { width: number; height: number; timezoneId?: string }): Promise<Page> {
  const page = await newConsolePage(options);
  const tenant = { api: tenantApi } as TestTenant;
  await signInAs(page, service, { tenant, LoginID: company.administrator });
  return page;
}

/** The link with a requirement's figure on the overview. On a phone, the rows are cards. */
const figure = (page: Page, title: string, name: string) =>
  page
    .getByRole('row')
    .filter({ hasText: title })
    .getByRole('link', { name: new RegExp(`^${name}: show`) });

const shot = async (page: Page, name: string) => {
  const folder = process.env.SHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name.replaceAll(' ', '-')}.png`, fullPage: true });
};

/** The steps count clicks from the overview: each of the six questions takes at most three. */
for (const [device, size] of [
  ['a desktop', { width: 1280, height: 800 }],
  ['a phone', { width: 390, height: 844 }],
] as const)
  test(`Six questions about required training are answered within three clicks on ${device}`, async () => {
    const page = await administrator(size);
    const overview = async () => {
      await page.goto(`${service.baseUrl}/console`);
      await page.getByRole('region', { name: 'Required training' }).first().waitFor();
      await shot(page, `overview ${device}`);
    };
    const rows = page.getByRole('table').getByRole('row');
    await overview();
    await expectAccessible(page);

    // A figure leads to as many rows as it says, without renewals and people who have left.
    const all = figure(page, 'Phishing, every three months', 'All');
    const count = await all.innerText();
    await all.click();
    await page.waitForURL(/present=true/);
    await page
      .locator('.list-head')
      .getByText(new RegExp(`\\b${count}\\b`))
      .waitFor();
    await overview();

    // Who has not done fire safety, and by when must they?
    await figure(page, 'Fire safety, every year', 'Overdue').click();
    await rows.getByText('Overdue').first().waitFor();
    await page.getByRole('cell').filter({ hasText: 'Fire safety, every year' }).first().waitFor();
    await shot(page, `overdue ${device}`);
    await expectAccessible(page);

    // Why is she on the list?
    await page
      .getByRole('button', { name: /^Why\?/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Groups: Warehouse, Drivers').waitFor();
    await dialog.getByText(/2 months after joining/).waitFor();
    await shot(page, `why ${device}`);
    await page.keyboard.press('Escape');

    // Remind the late ones. Nobody gets two emails on one day.
    await overview();
    await page.getByRole('link', { name: /^Show \d+ overdue/ }).click();
    await page.getByRole('button', { name: 'Remind', exact: true }).click();
    if (device === 'a desktop') {
      await dialog.getByRole('button', { name: /^Remind \d+ people$/ }).click();
      await page.getByText(/people are reminded$/).waitFor();
    } else {
      await dialog.getByText(/have been reminded today: /).waitFor();
      await page.keyboard.press('Escape');
    }

    // Who needs it again?
    await overview();
    await figure(page, 'Phishing, every three months', 'Expiring').click();
    await rows.getByText('Expiring').first().waitFor();
    await shot(page, `expiring ${device}`);

    // Where is the proof?
    await page
      .getByRole('button', { name: /^Why\?/ })
      .first()
      .click();
    await dialog.getByRole('link', { name: 'Show the completion that counts' }).click();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    await closeConsole(page);
  });

test('A requirement shows what it would change before it is saved, and a person is exempted with a reason', async () => {
  // Days are those of the tenant, also in a browser where the next one has begun.
  const page = await administrator({ width: 1280, height: 800, timezoneId: 'Asia/Tokyo' });
  await page.goto(`${service.baseUrl}/console/requirements`);
  await page.getByRole('link', { name: 'Fire safety, every year' }).waitFor();
  await shot(page, 'requirements');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Create requirement' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Phishing for Sales');
  await page.getByRole('combobox', { name: 'Courses' }).fill('phish');
  await page.getByRole('option', { name: /phish/i }).click();
  await page.keyboard.press('Escape');
  await page.getByText('People who match all of the following').click();
  await page.getByRole('combobox', { name: 'Groups' }).fill('Sales');
  await page.getByRole('option', { name: 'Sales' }).click();
  await page.keyboard.press('Escape');
  await page.getByText('Again some time after the completion').click();
  await shot(page, 'form');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Show what would change' }).click();
  await page.getByText(/It concerns \d+ more people/).waitFor();
  await shot(page, 'plan');
  await expectAccessible(page);
  assert.equal((await tenantApi('GET', '/requirement/phishing-for-sales')).status, 404);
  await page.getByRole('button', { name: /^Save for \d+ people$/ }).click();
  await page.getByText('Requirement saved').waitFor();
  const made = (await tenantApi('GET', '/requirement/phishing-for-sales')).body;
  assert.deepEqual([made.Audience, made.ValidFor, made.DueAfter], [{ Groups: ['Sales'] }, 'P1Y', 'P30D']);

  await page.goto(`${service.baseUrl}/console/requirements/people?requirement=phishing-for-sales`);
  await page
    .getByRole('button', { name: /^Why\?/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Exempt' }).click();
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('On parental leave');
  await dialog.getByLabel('Until').fill('2090-12-31');
  await shot(page, 'exempt');
  await dialog.getByRole('button', { name: 'Exempt' }).click();
  await page.getByText('Exempted').waitFor();
  const { Items } = (await tenantApi('GET', '/obligation?Status=exempt')).body;
  assert.equal(Items[0].ExemptReason, 'On parental leave');
  assert.match(Items[0].ExemptUntil, /^2090-12-31/);
  await page.goto(`${service.baseUrl}/console/requirements/people?status=exempt`);
  await page.getByRole('button', { name: /^Why\?/ }).click();
  await dialog.getByRole('button', { name: 'Change' }).click();
  await dialog.getByText('Exempt until Dec 31, 2090').waitFor();
  assert.equal(await dialog.getByLabel('Until').inputValue(), '2090-12-31');
  await dialog.getByLabel('Until').fill('2091-01-31');
  await shot(page, 'exempt-change');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Exemption changed').waitFor();
  const changed = (await tenantApi('GET', '/obligation?Status=exempt')).body.Items[0];
  assert.deepEqual(
    [changed.ExemptReason, changed.ExemptUntil.slice(0, 10)],
    ['On parental leave', '2091-01-31'],
  );
  await page.goto(`${service.baseUrl}/console/users/${Items[0].LoginID}`);
  await page.getByRole('heading', { name: 'Required training' }).waitFor();
  await shot(page, 'person');
  await expectAccessible(page);
  await closeConsole(page);
});

test('Completions of a release are declared void after the plan says who must repeat the course', async () => {
  const met = (await tenantApi('GET', '/obligation?Status=met&Limit=200')).body.Items as {
    RequirementID: string;
    LoginID: string;
  }[];
  const { RequirementID = '' } = met[0] ?? {};
  const page = await administrator({ width: 1280, height: 800 });
  await page.goto(`${service.baseUrl}/console/requirements/edit?id=${RequirementID}`);
  await page.getByRole('button', { name: 'Declare completions void' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Release' }).fill('9');
  await dialog.getByRole('alert').waitFor();
  await shot(page, 'void-unknown');
  await dialog.getByRole('textbox', { name: 'Release' }).fill('1');
  await dialog.getByText(/^\d+ people must repeat the course\.$/).waitFor();
  await shot(page, 'void');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: /^Declare void for \d+ people$/ }).click();
  await page.getByText(/^\d+ people must repeat the course$/).waitFor();
  await page.getByText(/release 1, completed before/).waitFor();
  await shot(page, 'voided');
  const { Voided } = (await tenantApi('GET', `/requirement/${RequirementID}`)).body;
  assert.deepEqual(
    Voided.map(({ Release }: { Release: number }) => Release),
    [1],
  );
  const left = (await tenantApi('GET', `/obligation?Status=met&RequirementID=${RequirementID}`)).body.Items;
  assert.ok(left.length < met.filter((one) => one.RequirementID === RequirementID).length);
  await closeConsole(page);
});

test('Compliance is reported by group and person, today and on a past day', async () => {
  const page = await administrator({ width: 1280, height: 800 });
  await page.goto(`${service.baseUrl}/console/reports/compliance?by=group`);
  const table = page.getByRole('table', { name: 'Compliance' });
  await table.getByRole('row').filter({ hasText: 'Warehouse' }).waitFor();
  await table.getByRole('row').filter({ hasText: 'Total' }).waitFor();
  await table.getByRole('button', { name: 'Overdue' }).click();
  await page.waitForURL(/sort=Overdue/);
  await shot(page, 'compliance');
  await expectAccessible(page);
  const { Now } = (await tenantApi('GET', '/test/clock')).body;
  const past = new Date(Date.parse(Now) - 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel('As of').fill(past);
  await page.getByText('in the groups that people belonged to then').waitFor();
  // The figures of a past day lead to the people of that day.
  const overdue = table.getByRole('row').filter({ hasText: 'Total' }).getByRole('link').first();
  const count = await overdue.innerText();
  await overdue.click();
  await page.waitForURL(new RegExp(`day=${past}`));
  await page
    .locator('.list-head')
    .getByText(new RegExp(`\\b${count}\\b`))
    .waitFor();
  await page.getByText('This list shows').waitFor();
  await shot(page, 'past people');
  await expectAccessible(page);
  await page.goBack();
  await page.getByLabel('As of').fill('2090-01-01');
  await page.getByText('That day is still to come').waitFor();
  await page.getByRole('button', { name: 'Show today' }).click();
  await table.getByRole('row').filter({ hasText: 'Warehouse' }).waitFor();
  await page.getByRole('combobox', { name: 'Report by' }).selectOption('Person');
  await table.getByRole('columnheader', { name: 'Fire safety, every year' }).waitFor();
  await shot(page, 'matrix');
  await page.getByLabel('As of').fill(past);
  await page.getByText('in the groups that people belonged to then').waitFor();
  await table.getByRole('columnheader', { name: 'Fire safety, every year' }).waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});

test('A certificate is designed with a preview, found in the list and revoked with a reason', async () => {
  const page = await administrator({ width: 1280, height: 800 });
  await page.goto(`${service.baseUrl}/console/courses/fire-safety`);
  const preview = page.getByRole('img', { name: 'Preview of the certificate' });
  const drawn = () => preview.evaluate((canvas) => (canvas as HTMLCanvasElement).width);
  await preview.waitFor();
  while ((await drawn()) < 1_000) await page.waitForTimeout(100);
  await page.getByRole('combobox', { name: 'Layout' }).selectOption('Classic');
  await page.getByRole('textbox', { name: 'Heading' }).fill('Fit for fire');
  await page.waitForResponse(
    (response) => new URL(response.url()).pathname.endsWith('/preview') && response.ok(),
  );
  await page.waitForTimeout(500);
  await shot(page, 'template');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Certificate saved').waitFor();
  const template = (await tenantApi('GET', '/certificate/template/fire-safety')).body;
  assert.deepEqual([template.Layout, template.Title], ['classic', 'Fit for fire']);

  await page.goto(`${service.baseUrl}/console/certificates?status=valid`);
  await page
    .getByRole('button', { name: /^Actions for certificate/ })
    .first()
    .waitFor();
  await shot(page, 'certificates');
  await expectAccessible(page);
  const saving = page.waitForEvent('download');
  await page
    .getByRole('button', { name: /^Actions for certificate/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Download PDF' }).click();
  assert.match((await saving).suggestedFilename(), /^certificate-.*\.pdf$/);
  await page.getByRole('button', { name: 'Inspector’s pack' }).click();
  const pack = page.getByRole('dialog', { name: 'Inspector’s pack' });
  await shot(page, 'pack');
  await expectAccessible(page, true);
  const download = async (role: 'link' | 'button', name: string) => {
    const started = page.waitForEvent('download');
    await pack.getByRole(role, { name }).click();
    return started;
  };
  const keys = await (await download('link', 'public keys')).path();
  const program = await download('link', 'program');
  assert.equal(program.suggestedFilename(), 'check-evidence.mjs');
  const file = await download('button', 'Save file');
  assert.match(file.suggestedFilename(), /^evidence-\d{4}-\d\d-\d\d\.ndjson$/);
  const check = ['--input-type=module', '-', await file.path(), keys];
  const input = readFileSync(await program.path());
  assert.match(execFileSync(process.execPath, check, { input, encoding: 'utf8' }), /^GENUINE/);
  await page
    .getByRole('button', { name: /^Actions for certificate/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Issued for the wrong person');
  await dialog.getByRole('button', { name: 'Revoke certificate' }).click();
  await page.getByText('Certificate revoked').waitFor();
  const { Items } = (await tenantApi('GET', '/certificate?Status=revoked')).body;
  assert.deepEqual(
    Items.map(({ Reason }: { Reason: string }) => Reason),
    ['Issued for the wrong person'],
  );
  await page.goto(`${service.baseUrl}/console/users/${Items[0].LoginID}`);
  await page.getByRole('heading', { name: 'Certificates' }).waitFor();
  await shot(page, 'record');
  await expectAccessible(page);
  await closeConsole(page);
});

test('An administrator makes a path that only the tenant sees, changes and deletes it', async () => {
  const page = await administrator({ width: 1280, height: 900 });
  await page.goto(`${service.baseUrl}/console/courses`);
  await page.getByRole('button', { name: 'New path' }).click();
  const form = page.getByRole('dialog');
  const choose = async (step: number, title: string) => {
    await form
      .getByRole('region', { name: `Step ${step}` })
      .getByRole('combobox', { name: 'Courses' })
      .click();
    await page.getByRole('option', { name: title }).click();
  };
  await form.getByRole('textbox', { name: 'Title', exact: true }).fill('Start safely');
  await form.getByText('Still missing: courses of step 1').waitFor();
  await choose(1, 'phishing');
  await form.getByRole('button', { name: 'Add step' }).click();
  await choose(2, 'fire-safety');
  await form.getByLabel('Enrolment option').selectOption('1-year');
  await form.getByRole('button', { name: 'Create path' }).click();
  await page.getByRole('heading', { level: 1, name: 'Start safely' }).waitFor();
  await page.getByRole('link', { name: 'phishing' }).waitFor();
  await expectAccessible(page);
  const path = async () => (await tenantApi('GET', '/course/start-safely/path')).body;
  const made = await path();
  assert.deepEqual([made.Status, made.Ordered, made.Steps.length], ['published', true, 2]);
  await page.getByRole('button', { name: 'Change path' }).click();
  await form.getByRole('textbox', { name: 'Title', exact: true }).fill('A safe start');
  await form.getByRole('button', { name: 'Remove step 1' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'A safe start' }).waitFor();
  const [{ CourseIDs, DurationID }] = (await path()).Steps;
  assert.deepEqual([CourseIDs, DurationID], [['fire-safety'], '1-year']);
  await page.getByRole('button', { name: 'Delete course' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete course' }).click();
  await page.getByRole('heading', { level: 1, name: 'Courses' }).waitFor();
  assert.equal((await tenantApi('GET', '/course/start-safely/path')).status, 404);
  await closeConsole(page);
});
