import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { contentOf, newContext, openPage } from '../../server/test/support/browser.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { untilMatching } from '../../server/test/support/until.ts';
import { packScript } from './course-packages.ts';
import { attack, victimScript } from './hostile-scripts.ts';

type Stage = { service: TestService; ours: TestTenant; theirs: TestTenant };

async function openStage(contentUrl?: string): Promise<Stage> {
  const service = await startService(contentUrl ? { env: { CONTENT_URL: contentUrl } } : {});
  const victim = await packScript('Victim', victimScript);
  const hostile = await packScript('Hostile', "parent.API.LMSInitialize('')");
  for (const [courseId, zip] of [
    ['victim', victim],
    ['hostile', hostile],
  ] as const) {
    expectStatus(await service.importPackage(courseId, zip), 201);
    expectStatus(await service.api('PUT', `/course/${courseId}/option/standard`, {}), 201);
  }
  return { service, ours: await newTenant(service), theirs: await newTenant(service) };
}

type Link = (stage: Stage) => Promise<string>;

const launchOf =
  (whose: 'ours' | 'theirs', courseId: string): Link =>
  async (stage) => {
    const made = await stage[whose].api('POST', `/enrol/${await stage[whose].user()}/${courseId}`);
    expectStatus(made, 201);
    return made.body.LaunchURL;
  };

const preview: Link = async ({ service }) => {
  const made = await service.api('POST', '/course/victim/preview');
  expectStatus(made, 201);
  return made.body.PreviewURL;
};

/** The frame in which the course's own code runs. */
async function open(context: BrowserContext, address: string): Promise<{ page: Page; course: Frame }> {
  const page = await openPage(context);
  await page.goto(address);
  await contentOf(page).locator('h1').waitFor();
  const course = page.frames().find((frame) => frame.url().includes('/content/'));
  assert.ok(course);
  return { page, course };
}

/** A learner whose last commit has not reached the service, so the commit is in the journal with its session. */
async function openVictim(context: BrowserContext, address: string) {
  const { page, course } = await open(context, address);
  await course.locator('#kept').waitFor();
  await page.route('**/commit', (route) => route.abort());
  await course.evaluate(() => {
    const api = Reflect.get(parent, 'API');
    api.LMSSetValue('cmi.core.lesson_status', 'incomplete');
    api.LMSCommit('');
  });
  await untilMatching(
    () => page.evaluate(() => Object.keys(localStorage).join()),
    (keys) => keys.includes('lectern.journal/'),
  );
  return { page, course };
}

type Found = Record<string, string>;

/** Runs the attack. `ways` lists the techniques that found the victim's session. */
async function attackFrom(
  course: Frame,
  victim: { course: Frame },
): Promise<{ found: Found; ways: string[] }> {
  const file = victim.course.url();
  const [, token = ''] = /\/play\/([^/]+)\//.exec(file) ?? [];
  const domain = new URL(file).hostname.replace(/^[^.]+\./, '');
  const found: Found = await course.evaluate(attack, { file, domain });
  return { found, ways: Object.keys(found).filter((way) => found[way]?.includes(token)) };
}

/**
 * Under `*.localhost`, each name is a separate site. Under `*.courses.localhost`, all names are one site, as
 * under an ordinary domain.
 */
const wildcards = ['http://*.localhost', 'http://*.courses.localhost'];
const attackers: [string, Link][] = [
  ["another tenant's course", launchOf('theirs', 'hostile')],
  ['another course of the same tenant', launchOf('ours', 'hostile')],
  ['the same course of another tenant', launchOf('theirs', 'victim')],
  ['a preview of the same course', preview],
];

const stages = new Map<string | undefined, Stage>();
before(async () => {
  for (const contentUrl of [...wildcards, undefined]) stages.set(contentUrl, await openStage(contentUrl));
});
after(async () => {
  for (const { service } of stages.values()) await service.close();
});

function stageOf(contentUrl?: string): Stage {
  const stage = stages.get(contentUrl);
  assert.ok(stage);
  return stage;
}

for (const contentUrl of wildcards) {
  for (const [who, link] of contentUrl === 'http://*.localhost' ? attackers.slice(0, 1) : attackers)
    test(`At ${contentUrl} ${who} can neither read a course's data nor report results for it`, async () => {
      const [stage, context] = [stageOf(contentUrl), await newContext()];
      const attacker = await open(context, await link(stage));
      const victim = await openVictim(context, await launchOf('ours', 'victim')(stage));
      const { found, ways } = await attackFrom(attacker.course, victim);
      assert.deepEqual(ways, [], JSON.stringify(found));
      const { window: popup, frame, domain, fetched, worker, reported, atOwnHost } = found;
      assert.deepEqual(
        { popup, frame, domain, fetched, worker, reported, atOwnHost },
        {
          popup: 'SecurityError',
          frame: 'SecurityError',
          domain: 'SecurityError',
          fetched: 'TypeError',
          worker: 'SecurityError',
          reported: '',
          atOwnHost: '421',
        },
      );
      await context.close();
    });
}

test("Without a * in CONTENT_URL, the same attack finds another tenant's session and reports a pass, as documented", async () => {
  const [stage, context] = [stageOf(), await newContext()];
  const attacker = await open(context, await launchOf('theirs', 'hostile')(stage));
  const victim = await openVictim(context, await launchOf('ours', 'victim')(stage));
  const { found, ways } = await attackFrom(attacker.course, victim);
  const readable = [
    'localStorage',
    'indexedDB',
    'caches',
    'cookies',
    'broadcast',
    'window',
    'frame',
    'reported',
  ];
  assert.deepEqual(ways, readable, JSON.stringify(found));
  const { Items } = (await stage.ours.api('GET', '/enrolment?CourseID=victim&Status=completed')).body;
  assert.equal(Items.length, 1);
  await context.close();
});

/**
 * Returns the response to the victim's page after the attacker has set `count` cookies on the parent domain.
 */
async function withPlantedCookies(contentUrl: string, count: number) {
  const [stage, context] = [stageOf(contentUrl), await newContext()];
  const attacker = await open(context, await launchOf('theirs', 'hostile')(stage));
  const { course } = await open(context, await launchOf('ours', 'victim')(stage));
  await attacker.course.evaluate((count) => {
    const domain = location.hostname.replace(/^[^.]+\./, '');
    for (let number = 0; number < count; number++)
      // biome-ignore lint/suspicious/noDocumentCookie: old courses know no other way
      document.cookie = `planted-${number}=${'x'.repeat(2_000)}; path=/; domain=${domain}`;
  }, count);
  const planted = (await course.evaluate(() => document.cookie)).includes('planted-');
  const status = await course.evaluate(
    async () => (await fetch(location.href, { cache: 'no-store' })).status,
  );
  await context.close();
  return { planted, status };
}

test('Under one domain, a course can set any number of cookies for another course; under a public suffix, it cannot', async () => {
  const [oneSite, apart] = ['http://*.courses.localhost', 'http://*.localhost'];
  assert.deepEqual(await withPlantedCookies(oneSite, 1), { planted: true, status: 200 });
  assert.deepEqual(await withPlantedCookies(oneSite, 40), { planted: true, status: 431 });
  assert.deepEqual(await withPlantedCookies(apart, 40), { planted: false, status: 200 });
});
