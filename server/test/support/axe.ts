import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Finding = { id: string; nodes: { html: string }[] };

type Inspected = {
  /**
   * A drawer or dialog covers the page. The rest of the page is inert and has neither a heading nor a main
   * landmark.
   */
  isCovered?: boolean;
  /** Checks only rules that depend on colours. */
  coloursOnly?: boolean;
};

const runs = new WeakMap<Page, Promise<unknown>>();

/** Waits for earlier runs on the page, because axe cannot run twice at a time. */
export function axeInTurn<T>(page: Page, run: () => Promise<T>): Promise<T> {
  const started = (runs.get(page) ?? Promise.resolve()).then(run);
  runs.set(
    page,
    started.catch(() => {}),
  );
  return started;
}

/** The violations that axe finds on the page itself. A course in a frame is its author's responsibility. */
export async function findings(page: Page, inspected: Inspected = {}): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const off = { enabled: false };
  const options = {
    iframes: false,
    resultTypes: ['violations'],
    ...(inspected.isCovered ? { rules: { 'landmark-one-main': off, 'page-has-heading-one': off } } : {}),
    ...(inspected.coloursOnly ? { runOnly: ['color-contrast', 'link-in-text-block'] } : {}),
  };
  const run = async (options: object) => {
    const violations: Finding[] = await Reflect.get(window, 'axe')
      .run({ exclude: [['iframe']] }, options)
      .then((results: { violations: Finding[] }) => results.violations);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  };
  return axeInTurn(page, () => page.evaluate(run, options));
}

const sizes = [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
];

/** Checks that the page is accessible and fits its screen, in light and dark, on a desktop and on a phone. */
export async function expectAccessible(page: Page, isCovered = false): Promise<void> {
  const before = page.viewportSize();
  for (const size of sizes) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const look = `${new URL(page.url()).pathname}, ${colorScheme}, ${size.width} px`;
      await settled(page);
      const coloursOnly = colorScheme === 'dark';
      assert.deepEqual(await findings(page, { isCovered, coloursOnly }), [], look);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${look}: ${overflow} px wider than the screen`);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (before) await page.setViewportSize(before);
}

/** Waits for transitions to end, because the contrast of changing colours cannot be measured. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const finite = document
      .getAnimations()
      .filter((one) => one.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
    await Promise.all(finite.map((one) => one.finished.catch(() => {})));
  });
}
