import type { Page } from 'playwright-core';
import { axe, axeInTurn } from './axe.ts';

/** What is wrong with the dialogs that each page has opened. */
const errors = new WeakMap<Page, Promise<string[]>[]>();

/** Dialogs that axe has inspected in this process, by title, because an inspection takes up to half a second. */
const inspected = new Set<string>();

/** The violations in the open dialog; none if it has been closed in the meantime. */
async function violationsIn(page: Page, title: string): Promise<string[]> {
  if (inspected.has(title)) return [];
  inspected.add(title);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const inspect = async () => {
    const dialog = [...document.querySelectorAll('[role=dialog]')].at(-1);
    if (!dialog) return [];
    const run = async (options: object) => {
      const found = await Reflect.get(window, 'axe').run(dialog, { resultTypes: ['violations'], ...options });
      return found.violations.map((one: { id: string; nodes: { html: string }[] }) =>
        [one.id, ...one.nodes.map(({ html }) => html)].join(' '),
      );
    };
    const asShown = await run({});
    // The attribute selects the colours of the console.
    const scheme = 'data-mantine-color-scheme';
    const { documentElement } = document;
    const before = documentElement.getAttribute(scheme) ?? 'light';
    documentElement.setAttribute(scheme, before === 'dark' ? 'light' : 'dark');
    const inOtherColours = await run({ runOnly: ['color-contrast', 'link-in-text-block'] });
    documentElement.setAttribute(scheme, before);
    return [...asShown, ...inOtherColours];
  };
  const all = await axeInTurn(page, () => page.evaluate(inspect));
  return all.map((violation: string) => `“${title}”: ${violation}`);
}

/** A page or dialog that was closed, or a page that opened another one, can no longer be inspected. */
const whenGone = (error: unknown) => {
  if (/context was destroyed|has been closed|No elements found for include/.test(String(error))) return [];
  throw error;
};

/** Checks that no dialog of the page focuses its Close button when it opens, and inspects each dialog with axe. */
export async function watchDialogs(page: Page): Promise<void> {
  const pending: Promise<string[]>[] = [];
  errors.set(page, pending);
  await page.exposeFunction('dialogOpened', (title: string, focusesClose: boolean) => {
    if (focusesClose) pending.push(Promise.resolve([`“${title}” focuses Close when it opens`]));
    const inspection = violationsIn(page, title).catch(whenGone);
    // The error is reported by `dialogErrors`.
    inspection.catch(() => {});
    pending.push(inspection);
  });
  await page.addInitScript(() => {
    const seen = new WeakSet<Element>();
    document.addEventListener('focusin', ({ target }) => {
      const element = target as Element;
      const dialog = element.closest('[role=dialog]');
      if (!dialog || seen.has(dialog)) return;
      seen.add(dialog);
      const isClose = element.matches('.mantine-Modal-close, .mantine-Drawer-close');
      Reflect.get(window, 'dialogOpened')(dialog.querySelector('h2')?.textContent ?? '', isClose);
    });
  });
}

export async function dialogErrors(page: Page): Promise<string[]> {
  return (await Promise.all(errors.get(page) ?? [])).flat();
}
