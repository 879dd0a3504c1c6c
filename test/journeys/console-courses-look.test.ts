import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { expectAccessible } from '../../server/test/support/axe.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService } from '../../server/test/support/service.ts';
import { packCourse, packRow } from './course-packages.ts';

let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
  await service.importPackage('phishing', await packCourse('phishing'));
  await service.importPackage('phishing', await packRow({ withoutSecond: true }));
  await service.api('PUT', '/course/phishing/option/standard', {
    Duration: 'P1Y6M',
    Seats: 5,
    Groups: ['Sales'],
    Price: { Amount: '19.90', Currency: 'EUR' },
  });
});

after(() => service?.close());

test('The list of courses and an import are accessible', async () => {
  const page = await consoleOf(service, 'operator', '/console/courses');
  await page.getByRole('link', { name: 'phishing' }).waitFor();
  await expectAccessible(page);
  const made = {
    mimeType: 'application/zip',
    buffer: await readFile(await packRow({ withoutSecond: true })),
  };
  const broken = { mimeType: 'application/zip', buffer: Buffer.from('no archive') };
  const files = [
    { name: 'row.zip', ...made },
    { name: 'broken.zip', ...broken },
  ];
  await page.locator('input[type=file]').first().setInputFiles(files);
  await page.getByRole('button', { name: 'Import 2 files' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Import 2 files' }).click();
  await page.getByText('package_not_zip').waitFor();
  await expectAccessible(page);
  await closeConsole(page);
});

for (const [part, text] of [
  ['options', '1 year, 6 months'],
  ['content', 'Opens after Part 1 is completed or passed'],
  ['releases', 'Release 1'],
  ['details', 'Only these tenants'],
] as const) {
  test(`The ${part} of a course are accessible`, async () => {
    const page = await consoleOf(service, 'operator', `/console/courses/phishing?part=${part}`);
    await page.getByText(text).first().waitFor();
    await expectAccessible(page);
    if (part === 'options') {
      await page.getByRole('button', { name: 'Edit standard' }).click();
      await page.getByRole('dialog').getByLabel('DurationID').waitFor();
      await expectAccessible(page, true);
    }
    if (part === 'releases') {
      await page.getByRole('button', { name: '3 units of release 2' }).click();
      await page.getByRole('dialog').getByText('SHA-256').waitFor();
      await expectAccessible(page, true);
    }
    await closeConsole(page);
  });
}
