import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from '../../server/test/support/chromium.ts';
import { play } from '../../server/test/support/player.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { openClientSite } from './client-site.ts';
import { packSilent } from './course-packages.ts';

type Client = Awaited<ReturnType<typeof openClientSite>>;

export type LastMoment = {
  event: 'unload' | 'onunload' | 'pagehide' | 'visibilitychange';
  ending: 'close' | 'navigate' | 'exit';
  /** Whether another site frames the player. */
  framed: boolean;
  bytes: number;
  /** The header of the page that frames the player. */
  policy?: string;
  /** Whether the browser has no workers that outlive their pages, like Firefox and Safari. */
  isWithoutWorkers?: boolean;
};

/** The driver's switches for Chromium's features change how frames store data and how pages close. */
function launchUnchanged(): Promise<Browser> {
  const args = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--remote-debugging-pipe'],
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync', 'about:blank'],
  ];
  return chromium.launch({ executablePath: chromiumPath, ignoreDefaultArgs: true, args });
}

/** A service with the course `silent`, a client's site, and a browser. */
export async function openStage() {
  const service = await startService();
  const client = await openClientSite();
  const browser = await launchUnchanged();
  await service.importPackage('silent', await packSilent());
  const close = async () => {
    await browser.close();
    await client.close();
    await service.close();
  };
  return { service, client, browser, close };
}

/** Answers as a course might store them, with a random part for each question. */
function answersOf(bytes: number): string {
  let text = '';
  for (let n = 1; text.length < bytes; n++) text += `q${n}:${Math.random().toString(36).slice(2, 12)};`;
  return text.slice(0, bytes);
}

/**
 * Reports a result in the last event of a course's page whose earlier data has not been sent either. All of the data is new
 * each time. Returns whether both the result and the data arrived.
 */
export async function arrives(
  { service, client, browser }: { service: TestService; client: Client; browser: Browser },
  { event, ending, framed, bytes, policy, isWithoutWorkers }: LastMoment,
): Promise<boolean> {
  const { LaunchURL, read } = await service.enrol('silent');
  const context = await browser.newContext();
  if (isWithoutWorkers) await context.addInitScript(() => Reflect.deleteProperty(window, 'SharedWorker'));
  const page = await context.newPage();
  await page.goto(
    framed ? client.framed(LaunchURL, policy ? { 'permissions-policy': policy } : {}) : LaunchURL,
  );
  const player = framed ? page.frameLocator('#course') : page;
  const content = player.frameLocator('#stage iframe');
  await content.getByRole('heading', { name: 'Silent' }).click();
  const [early, late] = [answersOf(bytes), answersOf(bytes)];
  await content.locator('body').evaluate(
    (_, given) => {
      const api = Reflect.get(window.parent, 'API');
      const report = () => {
        if (given.event === 'visibilitychange' && !document.hidden) return;
        api.LMSSetValue('cmi.suspend_data', given.late);
        api.LMSSetValue('cmi.core.lesson_status', 'passed');
        api.LMSFinish('');
      };
      const target = given.event === 'visibilitychange' ? document : window;
      if (given.event === 'onunload') window.onunload = report;
      else target.addEventListener(given.event, report);
      api.LMSSetValue('cmi.suspend_data', given.early);
    },
    { event, early, late },
  );
  if (ending === 'close') await page.close({ runBeforeUnload: true });
  else if (ending === 'exit') await player.locator('#exit-button').click();
  else await page.goto(client.returnURL);
  const passed = await untilMatching(
    async () => (await read()).Success,
    (success) => success === 'passed',
    10,
  ).catch(() => null);
  await context.close();
  if (passed === null) return false;
  const { session } = await play(service, LaunchURL);
  return Object.values(session.Data)[0]?.['cmi.suspend_data'] === late;
}
