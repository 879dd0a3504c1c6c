import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { play, scorm12 } from '../../server/test/support/player.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant } from '../../server/test/support/tenant.ts';
import { packCourse } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  await service.importPackage('phishing', await packCourse('phishing'));
  await service.api('PUT', '/course/phishing/option/tries', { Attempts: { Limit: 2 } });
});

after(() => service?.close());

const answers = (response: string, result: string) => ({
  'cmi.interactions.0.id': 'who-sent-it',
  'cmi.interactions.0.student_response': response,
  'cmi.interactions.0.correct_responses.0.pattern': 'b',
  'cmi.interactions.0.result': result,
  'cmi.interactions.0.latency': '00:00:12',
});

test('An administrator sees all attempts with their answers, and resets an enrolment that has no attempts left', async () => {
  const tenant = await newTenant(service);
  await tenant.api('POST', '/user', { LoginID: 'ann', FirstName: 'Ann', LastName: 'Lee' });
  const LoginID = await tenant.user({ FirstName: 'Ada', IsAdmin: true });
  const { EnrollID, LaunchURL } = (await tenant.api('POST', '/enrol/ann/phishing')).body;
  for (const [response, score] of [
    ['a', 30],
    ['c', 50],
  ] as const) {
    const { commit } = await play(service, LaunchURL);
    const Data = { ...scorm12('failed', score), ...answers(response, 'wrong') };
    expectStatus(await commit({ Data, Exit: true }), 200);
  }
  const page = await consoleOf(service, { tenant, LoginID });
  await page.goto(`${service.baseUrl}/console/enrolments/ann/${EnrollID}`);
  await page.getByText('All attempts have been used').waitFor();
  await page.getByText('2 of 2 used · The best finished attempt counts').waitFor();
  const table = page.getByRole('region', { name: 'Answers' });
  const row = table.getByRole('row').filter({ hasText: 'who-sent-it' });
  await row.getByRole('cell', { name: 'c', exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Attempts' }).selectOption('Attempt 1');
  await row.getByRole('cell', { name: 'a', exact: true }).waitFor();
  await row.getByText('Incorrect').waitFor();

  await page.getByRole('button', { name: 'Reset' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The network failed.');
  await dialog.getByRole('button', { name: 'Reset' }).click();
  await page.getByText('Ann Lee can start').waitFor();
  await page.getByText('Reset: The network failed.').waitFor();
  const { Attempt, Success } = (await tenant.api('GET', `/enrolment/ann/${EnrollID}`)).body;
  assert.deepEqual([Attempt, Success], [3, 'unknown']);
  if (process.env.SHOTS)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [390, 1280]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: `${process.env.SHOTS}/${colorScheme}-${width}.png`, fullPage: true });
      }
  await closeConsole(page);
});

test('An administrator sees how learners answered each question of a course', async () => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user({ FirstName: 'Ada', IsAdmin: true });
  for (const [response, result] of [
    ['b', 'correct'],
    ['b', 'correct'],
    ['Reply to the sender and ask whether the message is real', 'wrong'],
  ] as const) {
    const learner = await tenant.user();
    const { LaunchURL } = (await tenant.api('POST', `/enrol/${learner}/phishing`)).body;
    const { commit } = await play(service, LaunchURL);
    expectStatus(
      await commit({ Data: { ...scorm12('passed', 90), ...answers(response, result) }, Exit: true }),
      200,
    );
  }
  const page = await consoleOf(service, { tenant, LoginID });
  await page.goto(`${service.baseUrl}/console/courses/phishing`);
  const row = page
    .getByRole('region', { name: 'Answers' })
    .getByRole('row')
    .filter({ hasText: 'who-sent-it' });
  await row.getByText('Reply to the sender').waitFor();
  await row.getByText('correct', { exact: false }).first().waitFor();
  for (const cell of ['3', '67%', '12 sec'])
    await row.getByRole('cell', { name: cell, exact: true }).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  assert.equal((await saved).suggestedFilename(), 'phishing-answers.csv');
  if (process.env.SHOTS)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [390, 1280]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({
          path: `${process.env.SHOTS}/course-${colorScheme}-${width}.png`,
          fullPage: true,
        });
      }
  await closeConsole(page);
});
