import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CrowdedConsole, startCrowdedConsole } from './crowded-console.ts';
import { lists, tooShort, visit } from './page-checks.ts';

// The pages of every-page.test.ts in the other languages. Their texts are longer, so a heading may have a second line.

const minRows = 12;

let crowded: CrowdedConsole;

before(async () => {
  crowded = await startCrowdedConsole();
});

after(() => crowded?.close());

test('All pages are accessible and fit a phone in German, for an administrator', async () => {
  const who = { tenant: crowded.tenant, LoginID: crowded.administrator };
  const rows = await visit(crowded, who, null, { locale: 'de-DE' });
  assert.deepEqual(Object.keys(rows).sort(), lists.toSorted());
  assert.deepEqual(tooShort(rows, minRows), []);
});

test('All pages are accessible and fit a phone in French, for the operator', async () => {
  const rows = await visit(crowded, 'operator', crowded.tenant.TenantID, { locale: 'fr-FR' });
  assert.deepEqual(Object.keys(rows).sort(), [...lists, 'tenants'].toSorted());
  assert.deepEqual(tooShort(rows, minRows), []);
});
