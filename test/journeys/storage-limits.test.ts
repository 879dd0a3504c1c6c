import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { callAPI, contentOf, newContext, openPage, waitForState } from '../../server/test/support/browser.ts';
import { packFiles } from '../../server/test/support/packages.ts';
import { startService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant } from '../../server/test/support/tenant.ts';

let service: Awaited<ReturnType<typeof startService>>;
let tenant: Awaited<ReturnType<typeof newTenant>>;

const manifest = `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m" version="1.0" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
<organizations default="o"><organization identifier="o"><title>Limits</title><item identifier="i1" identifierref="r1"><title>One</title></item></organization></organizations>
<resources><resource identifier="r1" type="webcontent" adlcp:scormtype="sco" href="index.html"><file href="index.html"/></resource></resources></manifest>`;

/** The first launch stores a text with U+0000 and an unpaired surrogate, and later ones compare it. */
const content = `<!doctype html><meta charset="utf-8"><title>Limits</title><p id="text"></p>
<button id="answers">2,600 answers</button>
<script>
  const api = parent.API;
  const sent = 'a\\u0000b\\ud800c';
  api.LMSInitialize('');
  const back = api.LMSGetValue('cmi.suspend_data');
  document.getElementById('text').textContent = back === '' ? 'first launch' : back === sent ? 'same' : 'different';
  if (back === '') api.LMSSetValue('cmi.suspend_data', sent);
  api.LMSSetValue('cmi.core.exit', 'suspend');
  api.LMSCommit('');
  document.getElementById('answers').onclick = (event) => {
    const refused = [];
    for (let n = 0; n < 2600; n++)
      for (const [name, value] of [['id', 'q' + n], ['type', 'choice'], ['student_response', 'a'], ['result', 'correct']])
        if (api.LMSSetValue('cmi.interactions.' + n + '.' + name, value) !== 'true') refused.push(n);
    const results = [api.LMSSetValue('cmi.core.lesson_status', 'passed'), api.LMSCommit('')];
    event.target.textContent = [refused.length > 0 && refused[0] > 2400, ...results].join();
  };
</script>`;

before(async () => {
  service = await startService();
  tenant = await newTenant(service);
  expectStatus(
    await service.importPackage(
      'limits',
      await packFiles({ 'imsmanifest.xml': manifest, 'index.html': content }),
    ),
    201,
  );
  await service.api('PUT', '/course/limits/option/open', {});
});

after(() => service?.close());

async function open(): Promise<{ page: Page; address: string; LaunchURL: string }> {
  const LoginID = await tenant.user();
  const { EnrollID, LaunchURL } = (await tenant.api('POST', `/enrol/${LoginID}/limits`)).body;
  const page = await openPage(await newContext());
  await page.goto(LaunchURL);
  await contentOf(page).locator('#text').getByText('first launch').waitFor();
  await waitForState(page, 'saved');
  return { page, LaunchURL, address: `/enrolment/${LoginID}/${EnrollID}` };
}

async function expectPassed(address: string, warning: RegExp): Promise<void> {
  const { Success, Completion } = (await tenant.api('GET', address)).body;
  assert.deepEqual([Success, Completion], ['passed', 'completed']);
  const { Items } = (await tenant.api('GET', `${address}/timeline?Limit=200`)).body;
  const warnings: string[] = Items.flatMap(({ Warnings }: { Warnings: string[] }) => Warnings);
  assert.ok(
    warnings.some((text) => warning.test(text)),
    warnings.join(),
  );
}

test('A value that is too long is refused, the result counts, and learner and timeline say so', async () => {
  const { page, address } = await open();
  assert.equal(await callAPI(page, 'LMSSetValue', 'cmi.suspend_data', 'a'.repeat(262_145)), 'false');
  assert.equal(await callAPI(page, 'LMSGetLastError'), '405');
  assert.equal(await callAPI(page, 'LMSSetValue', 'cmi.core.score.raw', '250'), 'false');
  assert.equal(await callAPI(page, 'LMSSetValue', 'cmi.core.lesson_status', 'passed'), 'true');
  assert.equal(await callAPI(page, 'LMSCommit', ''), 'true');
  await waitForState(page, 'partly');
  await expectPassed(address, /cmi\.suspend_data does not accept a text of this length/);
  await expectPassed(address, /cmi\.core\.score\.raw does not accept this value: "250"/);
  await page.close();
});

test('Answers beyond the limit are refused, and the result counts', async () => {
  const { page, address } = await open();
  await contentOf(page).locator('#answers').click();
  await contentOf(page).locator('#answers').getByText('true,true,true').waitFor();
  await waitForState(page, 'partly');
  await expectPassed(address, /cmi\.interactions\.\d+\.\w+ does not fit into the space/);
  await page.close();
});

test('Behind a proxy that accepts only small requests, the result counts', async () => {
  const { page, address } = await open();
  await page.route('**/commit', (route) =>
    (route.request().postDataBuffer()?.length ?? 0) > 100_000
      ? route.fulfill({ status: 413, contentType: 'text/html', body: '<h1>413</h1>' })
      : route.continue(),
  );
  await callAPI(page, 'LMSSetValue', 'cmi.suspend_data', 'a'.repeat(200_000));
  await callAPI(page, 'LMSSetValue', 'cmi.core.lesson_status', 'passed');
  assert.equal(await callAPI(page, 'LMSCommit', ''), 'true');
  await waitForState(page, 'partly');
  await expectPassed(address, /The run-time data was not stored/);
  await page.close();
});

test('A text with U+0000 and an unpaired surrogate comes back exactly', async () => {
  const { page, LaunchURL } = await open();
  await page.goto(LaunchURL);
  await contentOf(page).locator('#text').getByText('same').waitFor();
  await page.close();
});
