import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { contentOf, newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { packTimed } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
});

after(() => service?.close());

async function open(edition: '1.2' | '2004', action: string) {
  const CourseID = `timed-${edition}-${action.replaceAll(/[ ,]/g, '-')}`;
  const { body } = await service.importPackage(CourseID, await packTimed(edition, action));
  assert.deepEqual(body.Warnings, []);
  const { LaunchURL, read } = await service.enrol(CourseID);
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  await contentOf(page).getByRole('heading', { name: 'Quick test' }).waitFor();
  return { page, read, LaunchURL, heading: contentOf(page).getByRole('heading', { name: 'Quick test' }) };
}

for (const edition of ['1.2', '2004'] as const) {
  test(`SCORM ${edition}: when the time is up, "exit,message" ends the unit and says why`, async () => {
    const { page, read } = await open(edition, 'exit,message');
    await page.getByText('The time allowed for “Quick test” has run out. Your results are saved.').waitFor();
    assert.equal(await page.locator('iframe').count(), 0);
    assert.equal((await read()).Score, 40);
    await page.getByRole('button', { name: 'Leave the course' }).click();
    await page.getByText('You can close this window').waitFor();
    await page.context().close();
  });

  test(`SCORM ${edition}: "exit,no message" ends the unit without a message`, async () => {
    const { page, read } = await open(edition, 'exit,no message');
    await page.getByText('You can close this window').waitFor();
    assert.equal(await page.getByText('Time is up').count(), 0);
    assert.equal((await read()).Score, 40);
    await page.context().close();
  });

  test(`SCORM ${edition}: "continue,message" informs the learner, who can continue`, async () => {
    const { page, heading } = await open(edition, 'continue,message');
    await page.getByText('The time allowed for “Quick test” has run out. You can continue.').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.ok(await heading.isVisible());
    await page.context().close();
  });

  test(`SCORM ${edition}: "continue,no message" changes nothing`, async () => {
    const { page, heading } = await open(edition, 'continue,no message');
    await page.waitForTimeout(6_000);
    assert.ok(await heading.isVisible());
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.context().close();
  });
}
