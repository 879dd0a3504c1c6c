import type { BrowserContext, Locator } from 'playwright-core';
import { endingOf, type Plan, type Result } from './page.ts';

/** The page of a delivered content object. It waits for a list of calls to make. */
export type Arrival = {
  activity: string;
  answer: (plan: Plan | null) => void;
  ending: ReturnType<typeof endingOf>;
};

/** If the player shows only its own pages for this long, it will not deliver anything else. */
const idleLimit = 4_000;
const arrivalLimit = 45_000;
/** The longest visit has 3,499 calls. */
const playLimit = 120_000;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Uses the player's buttons as a learner does, and receives the reports of the content objects. */
export type Learner = Awaited<ReturnType<typeof openLearner>>;

export async function openLearner(context: BrowserContext) {
  const arrivals: Arrival[] = [];
  let played: (results: Result[]) => void = () => {};
  let terminated: (returned: string) => void = () => {};
  await context.exposeBinding('conformanceArrived', (_source, activity: string, path: string) => {
    const { promise, resolve } = Promise.withResolvers<Plan | null>();
    arrivals.push({ activity, answer: resolve, ending: endingOf(path) });
    return promise;
  });
  await context.exposeBinding('conformancePlayed', (_source, results: Result[]) => played(results));
  await context.exposeBinding('conformanceTerminated', (_source, returned: string) => terminated(returned));
  const page = await context.newPage();
  page.on('dialog', (dialog) => void dialog.accept().catch(() => {}));

  const hasEnded = () => page.locator('#stage .seal').isVisible();
  const showsOwnPage = async () =>
    (await page.locator('#stage .page').isVisible()) || (await page.locator('#notice').isVisible());

  /** The next content object; null if the player stops at a page of its own. */
  async function nextArrival(): Promise<Arrival | null> {
    const end = Date.now() + arrivalLimit;
    let idleFor = 0;
    for (let last = Date.now(); Date.now() < end; await pause(25)) {
      const found = arrivals.shift();
      if (found) return found;
      const now = Date.now();
      idleFor = (await showsOwnPage()) ? idleFor + now - last : 0;
      if (idleFor > idleLimit) return null;
      last = now;
    }
    return null;
  }

  async function isTrue(check: () => Promise<boolean>, expected = true, limit = 3_000): Promise<boolean> {
    for (const end = Date.now() + limit; ; await pause(50)) {
      if ((await check()) === expected) return true;
      if (Date.now() > end) return false;
    }
  }

  const entry = (title: string): Locator =>
    page
      .locator('.unit')
      .filter({ has: page.getByText(title, { exact: true }) })
      .first();
  const isEnabled = async (button: Locator) =>
    (await button.isVisible()) && (await button.getAttribute('aria-disabled')) !== 'true';

  const buttons: Record<string, Locator> = {
    continue: page.locator('#next-button'),
    previous: page.locator('#previous-button'),
  };

  /** The answer to a script's question about the screen, such as `continue.enabled` or `toc.visible@Activity 2`. */
  async function isSo(question: string): Promise<boolean> {
    const [asked = '', title] = question.split('@');
    const [what = '', property] = asked.split('.');
    const button = buttons[what];
    if (button) return (await isEnabled(button)) === (property === 'enabled');
    if (what === 'click') return true;
    if (title !== undefined)
      return property === 'visible' ? entry(title).isVisible() : isEnabled(entry(title));
    const others = page.locator('.unit:not([aria-current]):not([aria-disabled=true])');
    return (await others.count()) > 0;
  }

  async function press(button: Locator): Promise<boolean> {
    if (!(await isTrue(() => isEnabled(button)))) return false;
    await button.click();
    return true;
  }

  return {
    arrival: nextArrival,
    launch: (url: string) => page.goto(url),
    /** Waits until the question has the expected answer, because the buttons are updated with a delay. */
    expectAnswer: (question: string, expected: boolean) => isTrue(() => isSo(question), expected),
    press: (name: 'continue' | 'previous') => press(buttons[name] as Locator),
    choose: (title: string) => press(entry(title)),
    ended: (limit: number) => isTrue(hasEnded, true, limit),
    async leave(): Promise<boolean> {
      if (await hasEnded()) return true;
      await page.locator('#exit-button').click();
      return isTrue(hasEnded, true, arrivalLimit);
    },
    /** Ends the attempt if the player offers this. The other choice, Exit, suspends the attempt. */
    async endAttempt(): Promise<boolean> {
      if (!(await press(page.locator('#end-button')))) return false;
      await page.locator('dialog .button.primary').click();
      return isTrue(hasEnded, true, arrivalLimit);
    },
    /** Sends a content object the calls to make, and waits for their results and the end of its session. */
    async play({ answer }: Arrival, plan: Plan): Promise<{ results: Result[]; terminated: string } | null> {
      const results = new Promise<Result[]>((resolve) => {
        played = resolve;
      });
      const end = new Promise<string>((resolve) => {
        terminated = resolve;
      });
      answer(plan);
      const whole = Promise.all([results, end]).then(([results, terminated]) => ({ results, terminated }));
      return Promise.race([whole, pause(playLimit).then(() => null)]);
    },
  };
}
