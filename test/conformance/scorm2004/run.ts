// Runs ADL's test scripts for SCORM 2004 4th edition with the real player in Chromium, and prints the
// differences. Names select individual scripts. With `--if-present`, it is not an error if the scripts are missing,
// as they are in a plain checkout.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { ensureBuilt } from '../../../scripts/build.ts';
import { chromiumPath } from '../../../server/test/support/chromium.ts';
import { startService } from '../../../server/test/support/service.ts';
import { runSeries } from './perform.ts';
import { groupOf, groups, missingScripts, readScripts, type Script, seriesOf } from './scripts.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'if-present': { type: 'boolean' }, parallel: { type: 'string' } },
});

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

const missing = missingScripts();
if (missing && values['if-present']) {
  console.log(missing);
  process.exit(0);
}
if (missing) fail(missing);
if (!existsSync(chromiumPath))
  fail(`The scripts need Chromium, and ${chromiumPath} does not exist. Install it, or set CHROMIUM.`);

const all = readScripts();
const scripts = positionals.length > 0 ? all.filter(({ name }) => positionals.includes(name)) : all;
if (scripts.length === 0) fail(`No script is called ${positionals.join(' or ')}.`);

await ensureBuilt();
// The folder for all temporary files of the service and the packages. It is removed at the end.
const scratch = mkdtempSync(join(tmpdir(), 'lectern-conformance-'));
process.env.TMPDIR = scratch;
const service = await startService({ env: { RATE_LIMIT: '100000' } });
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
});

const differences = new Map<string, string | null>();
const waiting = [...scripts];
const started = performance.now();

async function worker(): Promise<void> {
  for (let script = waiting.shift(); script; script = waiting.shift()) {
    const differs = await runSeries(service, browser, seriesOf(script, all)).catch((error) => String(error));
    differences.set(script.name, differs);
    if (positionals.length > 0) console.log(`${script.name}: ${differs ?? 'passed'}`);
  }
}
// Scripts mostly wait for pages, so more scripts run concurrently than there are processors.
const parallel = Number(values.parallel ?? availableParallelism() * 2);
await Promise.all(Array.from({ length: parallel }, worker));
await browser.close();
// The real player claims only what the data supports, so the service must not find any unsupported claims.
const claimed = await service.ctx.db
  .selectFrom('run_time_commit')
  .select(['tenant_id', 'enroll_id', 'unit_id', 'claimed'])
  .where('tenant_id', '=', 'test')
  .where('claimed', 'is not', null)
  .execute();
await service.close();
rmSync(scratch, { recursive: true, force: true });

const passed = (some: Script[]) => some.filter(({ name }) => differences.get(name) === null).length;
const failed = scripts.filter(({ name }) => differences.get(name) !== null);
console.log('');
for (const title of new Set(groups.map(([, title]) => title))) {
  const own = scripts.filter((script) => groupOf(script) === title);
  if (own.length > 0) console.log(`${title.padEnd(36)} ${String(passed(own)).padStart(3)} of ${own.length}`);
}
const seconds = Math.round((performance.now() - started) / 1_000);
console.log(
  `${'All'.padEnd(36)} ${String(passed(scripts)).padStart(3)} of ${scripts.length}   in ${seconds} s`,
);
if (failed.length > 0) console.log('\nFirst differences:');
for (const { name } of failed) console.log(`${name.padEnd(8)} ${differences.get(name)}`);
for (const { unit_id, claimed: claim } of claimed)
  console.log(`Unsupported claim in ${unit_id}: ${JSON.stringify(claim)}`);
process.exit(failed.length + claimed.length > 0 ? 1 : 0);
