import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { pdfOf, tone } from './media-files.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
});

after(() => service?.close());

test('A PDF and an audio file become courses, and the PDF is completed when a sentence is confirmed', async () => {
  const page = await consoleOf(service, 'operator', '/console/courses');
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([
      { name: 'Travel_policy.pdf', mimeType: 'application/pdf', buffer: pdfOf(['One', 'Two']) },
      { name: 'Welcome.mp3', mimeType: 'audio/mpeg', buffer: tone() },
    ]);
  const policy = page.getByRole('region', { name: 'Travel_policy.pdf' });
  assert.equal(await policy.getByLabel('CourseID').inputValue(), 'travel_policy');
  assert.equal(await policy.getByLabel('Title').inputValue(), 'Travel policy');
  await page.getByRole('button', { name: 'Import 2 files' }).click();
  await page.getByRole('button', { name: 'Publish 2 courses' }).click();
  await page.getByText('Published', { exact: true }).nth(1).waitFor();
  const courseOf = async (id: string) => (await service.api('GET', `/course/${id}`)).body;
  assert.deepEqual(
    [(await courseOf('travel_policy')).Standard, (await courseOf('welcome')).Standard],
    ['document', 'audio'],
  );

  await page.goto(`${service.baseUrl}/console/courses/travel_policy?part=details`);
  await page.getByRole('radio', { name: 'The learner confirms a sentence' }).check();
  await page.getByRole('textbox', { name: 'Sentence' }).fill('I have read the travel policy.');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Course saved').waitFor();
  const { CompleteWhen } = await courseOf('travel_policy');
  assert.deepEqual(CompleteWhen, { Confirm: 'I have read the travel policy.' });

  await page.goto(`${service.baseUrl}/console/courses/travel_policy?part=releases`);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  assert.equal((await saving).suggestedFilename(), 'travel_policy-1.pdf');
  await closeConsole(page);
});
