import type { BrowserContext, Page } from 'playwright-core';

/** The last requests of a journey's pages. */
const requests = new WeakMap<BrowserContext, string[]>();
const open = new Set<BrowserContext>();
const maxLines = 30;

/** Records the requests of this browser's pages, so that a failed journey shows what happened. */
export function keepJournal(context: BrowserContext): void {
  const lines: string[] = [];
  const began = performance.now();
  const note = (method: string, url: string, what: string | number) => {
    const { pathname, search } = new URL(url);
    if (/\.(js|css|woff2?|png|svg)$/.test(pathname)) return;
    lines.push(
      `${Math.round(performance.now() - began)} ms: ${method} ${(pathname + search).slice(0, 120)} ${what}`,
    );
    if (lines.length > maxLines) lines.shift();
  };
  context.on('response', (response) => note(response.request().method(), response.url(), response.status()));
  context.on('requestfailed', (request) =>
    note(request.method(), request.url(), request.failure()?.errorText ?? 'failed'),
  );
  context.once('close', () => open.delete(context));
  requests.set(context, lines);
  open.add(context);
}

async function describe(page: Page): Promise<string[]> {
  const shown = await page
    .locator('body')
    .ariaSnapshot({ timeout: 5_000 })
    .catch((reason) => `could not be read: ${reason}`);
  return [page.url(), ...shown.split('\n').slice(0, 60)];
}

/** The requests and contents of the open pages, line by line. */
export async function readJournals(): Promise<string[]> {
  const journals = [...open].map(async (context) => [
    ...(requests.get(context) ?? []),
    ...(await Promise.all(context.pages().map(describe))).flat(),
  ]);
  return (await Promise.all(journals)).flat();
}

/** Closes the pages that a failed journey left open. */
export async function closeRemainingPages(): Promise<void> {
  await Promise.all([...open].map((context) => context.close()));
}
