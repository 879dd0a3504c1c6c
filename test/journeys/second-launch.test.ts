import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { packFolder } from '../../server/src/lib/pack-folder.ts';
import { newContext, openPage } from '../../server/test/support/browser.ts';
import { startService } from '../../server/test/support/service.ts';
import { openClientSite } from './client-site.ts';

const service = await startService();
const client = await openClientSite();
after(async () => {
  await client.close();
  await service.close();
});

const parts = 30;
const partBytes = 1_000_000;

/** A web course whose page loads 30 MB. */
async function packLarge(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-'));
  for (let n = 0; n < parts; n++) await writeFile(join(folder, `part-${n}.bin`), Buffer.alloc(partBytes, n));
  await writeFile(
    join(folder, 'index.html'),
    `<!doctype html><title>Large</title><h1>Loading</h1><script type="module">
    for (let n = 0; n < ${parts}; n++) await (await fetch('part-' + n + '.bin')).arrayBuffer();
    document.querySelector('h1').textContent = 'Loaded';
    </script>`,
  );
  const file = join(await mkdtemp(join(tmpdir(), 'lectern-')), 'large.zip');
  await packFolder(folder, file);
  return file;
}

/** The bytes that the browser received for the player and the course. */
async function transferred(page: Page): Promise<number> {
  let bytes = 0;
  for (const frame of page.frames().filter((one) => one.url().startsWith(service.contentUrl)))
    bytes += await frame.evaluate(() =>
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce(
        (sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize,
        0,
      ),
    );
  return bytes;
}

await service.importPackage('large', await packLarge());

for (const framed of [false, true])
  test(`a second launch loads nothing of the course again${framed ? ', in a frame of another site' : ''}`, async () => {
    const { LaunchURL } = await service.enrol('large');
    const page = await openPage(await newContext());
    const launch = async () => {
      await page.goto(framed ? client.framed(LaunchURL) : LaunchURL);
      const player = framed ? page.frameLocator('#course') : page;
      await player.frameLocator('#stage iframe').getByRole('heading', { name: 'Loaded' }).waitFor();
      return transferred(page);
    };
    const first = await launch();
    assert.ok(first > parts * partBytes, String(first));
    const second = await launch();
    assert.ok(second <= first * 0.02, `${second} of ${first}`);
  });
