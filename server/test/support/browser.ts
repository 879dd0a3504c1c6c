import assert from 'node:assert/strict';
import { after, afterEach } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type FrameLocator,
  type Locator,
  type Page,
} from 'playwright-core';
import { chromiumPath } from './chromium.ts';
import { closeRemainingPages, keepJournal, readJournals } from './journal.ts';
import { untilMatching } from './until.ts';

/** In milliseconds. The limit is generous for the same reason as in `until`. */
const timeLimit = 60_000;

let launched: Promise<Browser> | null = null;

/**
 * One browser for all files of a test process, with the arguments of the first call. Each test creates its own context.
 */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  launched ??= chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  });
  return launched;
}

export async function closeBrowser(): Promise<void> {
  const browser = await launched;
  launched = null;
  await browser?.close();
}

/** Policy violations by our own pages in any journey of this process. */
const violations: string[] = [];

/** Returns and removes the violations so far, so that they no longer fail the journey. */
export function takeViolations(): string[] {
  return violations.splice(0);
}

/** Properties of a finished test that Node's types omit. */
type Outcome = { passed: boolean; error: Error | null };

// `scripts/test.ts` imports this file before the first suite, so these hooks apply to all suites of its process.
after(closeBrowser);
afterEach(async (one) => {
  const { passed, error } = one as unknown as Outcome;
  if (!passed && error) Object.assign(error.cause ?? error, { journal: await readJournals() });
  await closeRemainingPages();
  assert.deepEqual(takeViolations(), [], 'a page broke its Content-Security-Policy');
});

/** Course files are served without our policy, so a violation in their frame concerns their own policy. */
function isOurs(address: string): boolean {
  return !/\/play\/[^/]+\/content\//.test(address);
}

async function watchPolicies(context: BrowserContext): Promise<void> {
  await context.exposeBinding('reportViolation', ({ frame }, what: string) => {
    if (isOurs(frame.url())) violations.push(`${new URL(frame.url()).pathname.slice(0, 40)}: ${what}`);
  });
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      const what = `${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`;
      Reflect.get(window, 'reportViolation')(what);
    });
  });
  context.on('console', (message) => {
    if (message.type() === 'error' && message.text().includes('Content Security Policy'))
      if (isOurs(message.location().url)) violations.push(message.text());
  });
}

/** Creates a context without animations, because clicks on moving elements miss on a slow machine. */
export async function newContext(
  options: {
    width?: number;
    height?: number;
    ignoreHTTPSErrors?: boolean;
    locale?: string;
    timezoneId?: string;
  } = {},
): Promise<BrowserContext> {
  const { width = 1280, height = 800, ignoreHTTPSErrors = false, locale = 'en-US', timezoneId } = options;
  const browser = await launchBrowser();
  const context = await browser.newContext({
    viewport: { width, height },
    reducedMotion: 'reduce',
    ignoreHTTPSErrors,
    locale,
    ...(timezoneId && { timezoneId }),
  });
  context.setDefaultTimeout(timeLimit);
  keepJournal(context);
  await watchPolicies(context);
  return context;
}

/** A page that plays a course. All dialogs that the content opens are accepted. */
export async function openPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.on('dialog', (dialog) => void dialog.accept().catch(() => {}));
  return page;
}

export function contentOf(page: Page): FrameLocator {
  return page.frameLocator('#stage iframe');
}

/** Clicks buttons in one of our own courses. `data-test` values identify the buttons. */
export async function press(page: Page, ...hooks: string[]): Promise<void> {
  for (const hook of hooks) await contentOf(page).locator(`[data-test="${hook}"]`).click();
}

/** Answers the questions in one of our own courses, starting with the given one. */
export async function answer(page: Page, letters: string, first = 1): Promise<void> {
  for (const [index, letter] of [...letters].entries()) {
    await contentOf(page)
      .locator(`[data-test="answer-${first + index}-${letter}"]`)
      .check();
    await press(page, 'submit', 'next');
  }
}

/** The current screen of one of our own courses. */
export async function screenOf(page: Page): Promise<string | null> {
  const screen = contentOf(page).locator('[data-screen]:not([hidden])');
  return screen.getAttribute('data-screen');
}

/** Waits until the indicator shows this state: saved, kept, … */
export async function waitForState(page: Page, state: string): Promise<void> {
  await page.locator(`#indicator[data-state="${state}"]`).waitFor();
}

/** Waits until the locator matches this many times. */
export async function expectCount(places: Locator, count: number): Promise<void> {
  await untilMatching(
    () => places.count(),
    (found) => found === count,
  );
}

/** Calls the SCORM API as the content would. */
export function callAPI(page: Page, method: string, ...values: string[]): Promise<string> {
  return page.evaluate(
    ([name, ...args]) => {
      const api = Reflect.get(window, 'API') ?? Reflect.get(window, 'API_1484_11');
      return String(api[name as string](...args));
    },
    [method, ...values],
  );
}
