import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { newContext } from './browser.ts';
import { dialogErrors, watchDialogs } from './dialogs.ts';
import type { TestService } from './service.ts';
import { signInOperator, signInUser } from './sign-in.ts';
import type { TestTenant } from './tenant.ts';

/** The browser's error messages for each open page: failed scripts, and violations of the page's policy. */
const browserErrors = new WeakMap<Page, string[]>();

/** The browser logs each error response, even if the page expects and shows the error. */
const isErrorResponse = (text: string) => text.startsWith('Failed to load resource');

type Options = { width?: number; height?: number; locale?: string; timezoneId?: string };

/** An empty page of a separate browser. */
export async function newConsolePage(options: Options = {}): Promise<Page> {
  const context = await newContext(options);
  const page = await context.newPage();
  const errors: string[] = [];
  browserErrors.set(page, errors);
  page.on('console', (message) => {
    if (message.type() === 'error' && !isErrorResponse(message.text())) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
  await watchDialogs(page);
  return page;
}

/** A separate browser on a page of the console. */
export async function openConsole(
  service: Pick<TestService, 'baseUrl'>,
  path = '/console',
  options: Options = {},
): Promise<Page> {
  const page = await newConsolePage(options);
  await page.goto(service.baseUrl + path);
  return page;
}

/** Closes the page's browser. Error messages, and dialogs that are not accessible, make the test fail. */
export async function closeConsole(page: Page): Promise<void> {
  const inDialogs = await dialogErrors(page);
  await page.context().close();
  assert.deepEqual([...(browserErrors.get(page) ?? []), ...inDialogs], []);
}

export type ConsoleUser = 'operator' | { tenant: TestTenant; LoginID: string };

/**
 * Signs the user in without the sign-in page, and opens a page of the console. The sign-in page has its own
 * test, and using it here would load the console twice.
 */
export async function signInAs(
  page: Page,
  service: TestService,
  who: ConsoleUser,
  path = '/console',
): Promise<void> {
  const cookie =
    who === 'operator' ? await signInOperator(service) : await signInUser(service, who.tenant, who.LoginID);
  const [name = '', value = ''] = cookie.split('=');
  assert.ok(value, 'the sign-in failed');
  await page
    .context()
    .addCookies([{ name, value, url: service.baseUrl, httpOnly: true, sameSite: 'Strict' }]);
  await page.goto(service.baseUrl + path);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** A browser with a signed-in user, on a page of the console. */
export async function consoleOf(
  service: TestService,
  who: ConsoleUser,
  path = '/console',
  options: Options = {},
): Promise<Page> {
  const page = await newConsolePage(options);
  await signInAs(page, service, who, path);
  return page;
}
