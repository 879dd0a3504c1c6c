import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { createOperatorLink } from '../../src/modules/people/operator-links.ts';
import { newContext } from './browser.ts';
import type { TestService } from './service.ts';
import { expectStatus, type TestTenant } from './tenant.ts';

/** The browser's complaints about each open page: failed scripts, and violations of the page's policy. */
const complaints = new WeakMap<Page, string[]>();

/** The browser reports each error response, even those that the page expects and shows. */
const isAnswer = (text: string) => text.startsWith('Failed to load resource');

/** A separate browser on a page of the console. */
export async function openConsole(
  service: Pick<TestService, 'baseUrl'>,
  path = '/console',
  options: { width?: number; height?: number } = {},
): Promise<Page> {
  const context = await newContext(options);
  const page = await context.newPage();
  const told: string[] = [];
  complaints.set(page, told);
  page.on('console', (message) => {
    if (message.type() === 'error' && !isAnswer(message.text())) told.push(message.text());
  });
  page.on('pageerror', (error) => told.push(String(error)));
  await page.goto(service.baseUrl + path);
  return page;
}

/** Closes the page's browser; complaints fail the test. */
export async function closeConsole(page: Page): Promise<void> {
  await page.context().close();
  assert.deepEqual(complaints.get(page) ?? [], []);
}

export type Who = 'operator' | { tenant: TestTenant; LoginID: string };

/** Signs in by a link, as someone from a terminal or a client's system does, and opens the page. */
export async function signInAs(page: Page, service: TestService, who: Who, path = '/console'): Promise<void> {
  await page.goto(await signInLink(service, who));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(/\/console/);
  await page.goto(service.baseUrl + path);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

async function signInLink(service: TestService, who: Who): Promise<string> {
  if (who === 'operator') return (await createOperatorLink(service.ctx)).SignInURL;
  const made = await who.tenant.api('POST', `/user/session/${encodeURIComponent(who.LoginID)}`);
  expectStatus(made, 201);
  return made.body.SignInURL;
}

/** A browser with a signed-in person, on a page of the console. */
export async function consoleOf(service: TestService, who: Who, path = '/console'): Promise<Page> {
  const page = await openConsole(service);
  await signInAs(page, service, who, path);
  return page;
}
