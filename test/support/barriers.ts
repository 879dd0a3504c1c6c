import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Finding = { id: string; nodes: { html: string }[] };

/** What axe finds on the player's own page; the course in its frame is its author's. */
export async function findings(page: Page, isCovered = false): Promise<string[]> {
  await page.evaluate(axe);
  // What a drawer covers is no page of its own: it has neither a heading nor a main part.
  const off = { enabled: !isCovered };
  const rules = { 'landmark-one-main': off, 'page-has-heading-one': off };
  return page.evaluate(async (rules) => {
    const violations: Finding[] = await Reflect.get(window, 'axe')
      .run({ exclude: [['iframe']] }, { iframes: false, rules })
      .then((results: { violations: Finding[] }) => results.violations);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, rules);
}
