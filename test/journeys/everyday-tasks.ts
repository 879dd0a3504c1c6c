import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { workImports } from '../../server/src/domain/imports/work.ts';
import { removeUntouched } from '../../server/src/domain/privacy/erase.ts';
import { closeConsole, consoleOf } from '../../server/test/support/console.ts';
import { startService, type TestService } from '../../server/test/support/service.ts';
import { expectStatus, newTenant, type TestTenant } from '../../server/test/support/tenant.ts';
import { packCourse } from './course-packages.ts';
import { pdfOf } from './media-files.ts';

type Role = 'button' | 'checkbox' | 'link' | 'menuitem' | 'option' | 'radio' | 'tab';

/**
 * What a hand does, and what the eye waits for. A click, a key and a field that has to be clicked first count as one;
 * a choice from a list and a file from a folder count as two, because they open first. Typing and pointing are free.
 */
export type Step =
  | readonly [Role, string | RegExp]
  | readonly ['point' | 'type' | 'press', string]
  | readonly ['fill' | 'choose' | 'file', string, string]
  | readonly ['see', string | RegExp];

/** `clicks` is what the task takes at most. */
export type Task = { name: string; clicks: number; who?: 'operator'; steps: readonly Step[] };

type Files = Readonly<Record<string, string>>;

/** The search, with the text typed. */
export const search = (text: string) =>
  [
    ['button', /^Search/],
    ['type', text],
  ] as const satisfies readonly Step[];

/** Date fields have no role of their own. */
function fieldOf(page: Page, name: string) {
  const [textbox, combobox] = (['textbox', 'combobox'] as const).map((role) =>
    page.getByRole(role, { name, exact: true }),
  ) as [Locator, Locator];
  return textbox
    .or(combobox)
    .or(page.getByLabel(name, { exact: true }).and(page.locator('[type=date]')))
    .last();
}

/** Takes the step and returns its clicks. */
async function take(page: Page, step: Step, files: Files): Promise<number> {
  const [kind, name, value = ''] = step;
  switch (kind) {
    case 'see':
      // Undoing an import of 500 people takes half a minute on two idle cores.
      await page.getByText(name).locator('visible=true').first().waitFor({ timeout: 180_000 });
      return 0;
    case 'point':
      await page.getByRole('link', { name, exact: true }).first().hover();
      return 0;
    case 'type':
      await page.waitForFunction(() => document.activeElement?.matches('input, textarea'));
      await page.keyboard.type(name as string);
      return 0;
    case 'press':
      await page.keyboard.press(name as string);
      return 1;
    case 'fill': {
      const field = fieldOf(page, name as string);
      // A dialog takes the focus a moment after it opens.
      await page.waitForFunction(() => {
        const dialog = document.querySelector('[aria-modal=true]');
        return dialog === null || dialog.contains(document.activeElement);
      });
      const isFocused = await field.evaluate((field) => field === document.activeElement);
      await field.fill(value);
      return isFocused ? 0 : 1;
    }
    case 'choose':
      await page.getByLabel(name, { exact: true }).last().selectOption(value);
      return 2;
    case 'file': {
      const choosing = page.waitForEvent('filechooser');
      await page
        .getByRole('button', { name: name as string })
        .last()
        .click();
      await (await choosing).setFiles(files[value] ?? value);
      return 2;
    }
    default: {
      const places = page.getByRole(kind, { name, exact: true });
      await (kind === 'option' ? places.first() : places.last()).click();
      return 1;
    }
  }
}

/** Does the task as an experienced person would, from the overview. */
export async function carryOut(
  page: Page,
  steps: readonly Step[],
  files: Files = {},
): Promise<{ clicks: number; seconds: number }> {
  const start = performance.now();
  let clicks = 0;
  for (const step of steps)
    try {
      clicks += await take(page, step, files);
    } catch (cause) {
      throw new Error(`The step ${step.map(String).join(' ')} failed`, { cause });
    }
  return { clicks, seconds: (performance.now() - start) / 1_000 };
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** 400 people in a warehouse, smaller groups, and a person for each task. */
const people = [
  ...Object.entries({ Warehouse: 400, Sales: 12, Drivers: 8 }).flatMap(([GroupName, count]) =>
    Array.from({ length: count }, (_, at) => ({
      LoginID: `${GroupName.toLowerCase()}-${at}`,
      FirstName: `P${at}`,
      LastName: GroupName,
      GroupName,
    })),
  ),
  ...[
    ...['Eva Expired', 'Fay Failed', 'Gil Gone', 'Hal Help', 'Ian Idle', 'Jo Jump', 'Kay Known', 'Mia Move'],
    ...['Ned New', 'Pia Pass', 'Ray Reset', 'Sue Start'],
  ].map((name) => {
    const [FirstName = '', LastName = ''] = name.split(' ');
    return { LoginID: name.toLowerCase().replace(' ', '.'), FirstName, LastName, GroupName: 'Office' };
  }),
];

async function fill(service: TestService, tenant: TestTenant): Promise<void> {
  for (const [id, Title] of Object.entries({ ladders: 'Working on ladders', fire: 'Fire safety' }))
    expectStatus(await service.api('PUT', `/course/${id}`, { Title, URL: 'https://web.example/' }), 201);
  expectStatus(await service.importPackage('phishing', await packCourse('phishing')), 201);
  expectStatus(await service.api('PUT', '/course/phishing', { Title: 'Spot the phish' }), 200);
  for (const id of ['ladders', 'fire', 'phishing'])
    expectStatus(await service.api('PUT', `/course/${id}/option/month`, { Duration: 'P30D' }), 201);
  const rows = people.map((person) => JSON.stringify(person)).join('\n');
  const ndjson = { 'content-type': 'application/x-ndjson' };
  expectStatus(await tenant.api('POST', '/user/bulk', rows, ndjson), 200);
  const enrol = async (loginId: string, course: string, change: object = {}) => {
    const made = await tenant.api('POST', `/enrol/${loginId}/${course}/month`);
    expectStatus(made, 201);
    expectStatus(await tenant.api('PUT', `/enrolment/${loginId}/${made.body.EnrollID}`, change), 200);
  };
  await enrol('eva.expired', 'ladders', { ExpiresAt: inDays(-1) });
  const Override = { Completion: 'completed', Success: 'failed', Score: 20, Reason: 'Practical test' };
  await enrol('fay.failed', 'phishing', { Override });
  for (const name of ['gil.gone', 'hal.help', 'pia.pass', 'ray.reset', 'sue.start'])
    await enrol(name, 'fire');
  for (let at = 0; at < 8; at++) await enrol(`drivers-${at}`, 'ladders', { ExpiresAt: inDays(4) });
  const keys = { CourseIDs: ['fire'], DurationIDs: ['month'], Quantity: 2 };
  expectStatus(await tenant.api('POST', '/enrolment/key', keys), 201);
}

/** A test for each task, in one company, one after the other. */
export function testTasks(tasks: readonly Task[]): void {
  let service: TestService;
  let tenant: TestTenant;
  let administrator: string;
  let folder: string;
  let working: NodeJS.Timeout;

  before(async () => {
    service = await startService();
    // Does the job's work, because the service of the tests runs no jobs.
    working = setInterval(() => void workImports(service.ctx, removeUntouched).catch(() => {}), 100);
    tenant = await newTenant(service);
    await fill(service, tenant);
    administrator = await tenant.user({ FirstName: 'Ada', LastName: 'Admin', IsAdmin: true });
    folder = await mkdtemp(join(tmpdir(), 'tasks-'));
    await copyFile(await packCourse('phishing'), join(folder, 'awareness.zip'));
    await writeFile(join(folder, 'handbook.pdf'), pdfOf(['Handbook', 'Rules']));
  });

  after(async () => {
    clearInterval(working);
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const { name, clicks, steps, who } of tasks)
    test(`${name}: ${clicks} clicks`, async (t) => {
      const files = {
        people: join(import.meta.dirname, 'files/messy-staff.csv'),
        course: join(folder, 'awareness.zip'),
        document: join(folder, 'handbook.pdf'),
      };
      const user = who === 'operator' ? who : { tenant, LoginID: administrator };
      const page = await consoleOf(service, user);
      await page.waitForLoadState('networkidle');
      const taken = await carryOut(page, steps, files);
      t.diagnostic(`${taken.seconds.toFixed(1)} s`);
      assert.equal(taken.clicks, clicks);
      await closeConsole(page);
    });
}
