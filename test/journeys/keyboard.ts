import assert from 'node:assert/strict';
import type { FileChooser, Locator, Page } from 'playwright-core';
import { settled } from '../../server/test/support/axe.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus } from '../../server/test/support/tenant.ts';

// Uses the console with the keyboard only, as people do who cannot use a mouse.

/** More than the focusable elements of any page in these journeys. */
const maxTabs = 80;

const hasFocus = (control: Locator) =>
  control.evaluate((element) => element === document.activeElement).catch(() => false);

/**
 * Sighted people must see where the focus is: the focused control is inside the window, nothing covers it, and it
 * has an outline. In a text field, the caret and the colour of the border show it.
 */
async function expectVisibleFocus(control: Locator): Promise<void> {
  let problem: string | null = null;
  // On a busy machine, the page is drawn a moment later.
  for (let tries = 0; tries < 20; tries++) {
    problem = await problemWithFocus(control);
    if (problem === null) return;
    await control.page().waitForTimeout(100);
  }
  assert.fail(`${control} has the focus but ${problem}`);
}

const problemWithFocus = (control: Locator) =>
  control.evaluate((element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return 'is outside the window';
    const above = document.elementFromPoint(x, y);
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
    const isCovered = ![element, ...labels].some(
      (own) => above && (own.contains(above) || above.contains(own)),
    );
    if (isCovered) return `is covered by ${above?.outerHTML.slice(0, 120)}`;
    if (!element.matches(':focus-visible'))
      return `does not match :focus-visible (the page ${document.hasFocus() ? 'has' : 'does not have'} the focus)`;
    const isText = element.matches('input:not([type=checkbox], [type=radio]), textarea');
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    if (!isText && (outlineStyle === 'none' || outlineWidth === '0px')) return 'has no outline';
    return null;
  });

/** A service with a course that people can be enrolled on for a month. */
export async function startWithCourse(): Promise<TestService> {
  const service = await startService();
  const course = { Title: 'Working on ladders', URL: 'https://web.example/' };
  expectStatus(await service.api('PUT', '/course/ladders', course), 201);
  expectStatus(await service.api('PUT', '/course/ladders/option/month', { Duration: 'P30D' }), 201);
  return service;
}

/** Presses Tab, or Shift and Tab, until the control has the focus. */
export async function reach(page: Page, control: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await control.waitFor();
  // A button is disabled while the page loads what it needs.
  await page.waitForFunction((one) => one?.matches(':enabled, a'), await control.elementHandle());
  const passed = new Set<string>();
  for (let tabs = 0; tabs <= maxTabs; tabs++) {
    if (await hasFocus(control)) return expectVisibleFocus(control);
    await page.keyboard.press(key);
    // After a date field, the focus trap of dialogs corrects the focus in a timer, and would undo a Tab that comes before it.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    passed.add(await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 80) ?? 'nothing'));
  }
  assert.fail(`${control} cannot be reached with ${key}, but only ${[...passed].join(' ')}`);
}

/**
 * Waits for the outcome. A screen reader would read nothing if the focus were lost, so it must be somewhere, and in a
 * dialog if one has opened.
 */
async function expectOutcome(page: Page, outcome: Locator): Promise<void> {
  await outcome.waitFor();
  const isKept = (shown: Element | null) => {
    const { activeElement } = document;
    const isLost = activeElement === null || activeElement === document.body;
    return !isLost && (shown?.getAttribute('role') !== 'dialog' || shown.contains(activeElement));
  };
  await page
    .waitForFunction(isKept, await outcome.first().elementHandle(), { timeout: 10_000 })
    .catch((cause: unknown) => assert.fail(`the focus is lost although there is ${outcome}: ${cause}`));
}

/** Activates a button that opens a dialog for choosing files, and returns that dialog. */
export async function chooseFiles(page: Page, button: Locator): Promise<FileChooser> {
  // Playwright can only answer this dialog, not that of the File System Access API.
  await page.evaluate(() => {
    for (const place of [window, Window.prototype]) Reflect.deleteProperty(place, 'showOpenFilePicker');
  });
  const opened = page.waitForEvent('filechooser');
  await reach(page, button);
  await page.keyboard.press('Enter');
  return opened;
}

/** Activates the control with Enter, or with Space, and waits for the outcome. */
export async function activate(
  page: Page,
  control: Locator,
  outcome: Locator,
  key: 'Enter' | 'Space' = 'Enter',
): Promise<void> {
  await reach(page, control);
  await page.keyboard.press(key);
  await expectOutcome(page, outcome);
}

export async function type(page: Page, field: Locator, text: string): Promise<void> {
  await reach(page, field);
  await page.keyboard.type(text);
}

/** Presses the down arrow until the item has the focus, or is the selected option, and activates it. */
async function pickDown(page: Page, item: Locator): Promise<void> {
  await item.waitFor();
  for (let presses = 0; presses <= 20; presses++) {
    const isSelected = item.evaluate((one) => one.hasAttribute('data-combobox-selected'));
    if ((await hasFocus(item)) || (await isSelected)) return page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
  }
  assert.fail(`${item} cannot be reached with the down arrow`);
}

/** Opens a menu, and activates one of its items. */
export async function choose(page: Page, menu: Locator, item: string, outcome: Locator): Promise<void> {
  const named = { name: item, exact: true };
  const entry = page.getByRole('menuitem', named).or(page.getByRole('menuitemradio', named));
  await activate(page, menu, entry);
  await pickDown(page, entry);
  await expectOutcome(page, outcome);
}

/** Types into a search field, and picks one of the options that it finds. */
export async function search(page: Page, field: Locator, text: string, option: string): Promise<void> {
  const found = page.waitForResponse((response) => response.url().includes(`Search=${text}`));
  await type(page, field, text);
  // The list shows other options until the results arrive, and then loses its selection.
  await found;
  await settled(page);
  await pickDown(page, page.getByRole('option', { name: option }));
}
