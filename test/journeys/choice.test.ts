import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contentOf, newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { packChoice } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  const { body } = await service.importPackage('choice', await packChoice());
  assert.deepEqual(
    body.Warnings.map(({ Severity }: { Severity: string }) => Severity),
    ['note'],
  );
});

after(() => service?.close());

test('If the contents list is the only navigation, finishing a unit opens the units that depend on it', async () => {
  const { LaunchURL, read } = await service.enrol('choice');
  const page = await openPage(await newContext());
  const unit = (name: string) => page.locator('.unit').filter({ hasText: name });
  const content = contentOf(page);
  await page.goto(LaunchURL);
  await content.getByRole('heading', { name: 'Part 1' }).waitFor();
  await content.getByText('ab-initio').waitFor();
  await page.locator('.unit[aria-disabled=true]').filter({ hasText: 'Part 2' }).waitFor();

  await content.locator('#done').click();
  await page.locator('.unit[aria-disabled=false]').filter({ hasText: 'Part 2' }).click();
  await content.getByRole('heading', { name: 'Part 2' }).waitFor();
  await content.getByText('note: from Part 1').waitFor();

  await content.locator('#leave').click();
  await page.getByText('You can close this window').waitFor();
  assert.equal((await read()).Completion, 'incomplete');

  await page.goto(LaunchURL);
  await content.getByRole('heading', { name: 'Part 2' }).waitFor();
  await content.getByText('resume').waitFor();
  await content.getByText('note: from Part 1').waitFor();
  await content.locator('#done').click();
  await unit('Part 3').click();
  await content.getByRole('heading', { name: 'Just to read' }).waitFor();
  await page.click('#exit-button');
  await page.getByText('You can close this window').waitFor();
  const done = await read();
  assert.equal(done.Progress, 100);
  assert.equal(done.Completion, 'completed');
  await page.context().close();
});
