import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { signInOperator, signInUser } from '../../server/test/support/sign-in.ts';
import { newTenant } from '../../server/test/support/tenant.ts';

/**
 * The budget for the first screen. Bytes are those of the built files, compressed with Brotli as browsers receive them
 * over HTTPS. To imitate a phone, the time is measured with the processor slowed down by
 * a factor of four and on a slow mobile network.
 */
const budget = { bytes: 200_000, requests: 20, interactiveMilliseconds: 7_000 };
const slowNetwork = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 };
const slowdown = 4;
const rounds = 3;

const dist = join(import.meta.dirname, '../../dist/console');
let service: Awaited<ReturnType<typeof startService>>;

before(async () => {
  service = await startService();
});

after(() => service?.close());

/** Opens a page with an empty cache, as the operator unless another cookie is given. Returns the bytes transferred and the time until the page is interactive. */
async function measure(
  path = '/console',
  cookie?: string,
): Promise<{ bytes: number; requests: number; interactive: number }> {
  const context = await newContext({ width: 390, height: 800 });
  const [name = '', value = ''] = (cookie ?? (await signInOperator(service))).split('=');
  await context.addCookies([{ name, value, url: service.baseUrl, httpOnly: true, sameSite: 'Strict' }]);
  const page = await openPage(context);
  const session = await context.newCDPSession(page);
  await session.send('Network.emulateNetworkConditions', slowNetwork);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.addInitScript(() => {
    Reflect.set(window, 'longTasks', []);
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        Reflect.get(window, 'longTasks').push(startTime + duration);
    }).observe({ type: 'longtask', buffered: true });
  });
  const files: string[] = [];
  page.on('response', (response) => files.push(new URL(response.url()).pathname));
  await page.goto(service.baseUrl + path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const shown = await page.evaluate(() => performance.now());
  await page.waitForLoadState('networkidle');
  const lastTask = await page.evaluate(() => Math.max(0, ...(Reflect.get(window, 'longTasks') as number[])));
  await context.close();
  const built = files.filter((file) => file.startsWith('/console/assets/'));
  const bytes = built.map((file) => statSync(join(dist, `${file.slice('/console'.length)}.br`)).size);
  return {
    bytes: bytes.reduce((sum, size) => sum + size, 0),
    requests: files.length,
    interactive: Math.max(shown, lastTask),
  };
}

test('The first screen stays within its budget of bytes, requests and time', async (t) => {
  const measured: Awaited<ReturnType<typeof measure>>[] = [];
  for (let round = 0; round < rounds; round++) measured.push(await measure());
  const times = measured.map(({ interactive }) => interactive).sort((a, b) => a - b);
  const { bytes, requests } = measured[0] as (typeof measured)[0];
  const median = Math.round(times[Math.floor(rounds / 2)] as number);
  t.diagnostic(`${bytes} bytes, ${requests} requests, interactive after ${median} ms (throttled)`);
  assert.ok(bytes > 50_000, 'the built files were not counted');
  assert.ok(bytes <= budget.bytes, `${bytes} bytes were transferred`);
  assert.ok(requests <= budget.requests, `${requests} requests were sent`);
  assert.ok(median <= budget.interactiveMilliseconds, `interactive after ${median} ms (median)`);
});

test('The API reference stays within 250 kB', async (t) => {
  const { bytes } = await measure('/docs');
  t.diagnostic(`${bytes} bytes`);
  assert.ok(bytes > 50_000, 'the built files were not counted');
  assert.ok(bytes <= 250_000, `${bytes} bytes were transferred`);
});

test("learners' first screen stays within 100 kB", async (t) => {
  const tenant = await newTenant(service);
  const LoginID = await tenant.user();
  const { bytes, requests } = await measure('/console', await signInUser(service, tenant, LoginID));
  t.diagnostic(`${bytes} bytes, ${requests} requests`);
  assert.ok(bytes > 50_000, 'the built files were not counted');
  assert.ok(bytes <= 100_000, `${bytes} bytes were transferred`);
});

test("the player's script stays within 60 kB", (t) => {
  const folder = join(import.meta.dirname, '../../dist/player/assets');
  // What plays single files, such as the reader of PDF files, is only loaded for courses that are one.
  const scripts = readdirSync(folder).filter((file) => /^(?!document-|media-).*\.js\.gz$/.test(file));
  const bytes = scripts.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  t.diagnostic(`${bytes} bytes gzip`);
  assert.ok(bytes > 10_000 && bytes <= 60_000, `${bytes} bytes`);
});
