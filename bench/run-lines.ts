// Lists the lines of the server that one warm request runs, by V8's coverage:
//   node scripts/run.js ../bench/run-lines [--files]
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startService } from '../server/test/support/service.ts';
import { expectStatus, newCourse, newTenant } from '../server/test/support/tenant.ts';

const { values } = parseArgs({ options: { files: { type: 'boolean', default: false } } });

/** What protects against load, misuse and failures instead of enrolling. */
const protective =
  /\/(load|limits?|retries|queues?|budgets?|guards?)[/.-]|(limit|queue|guard|retry|overload|idempotency|deadline|throttle|connections|request-admission|request-slot)[^/]*\.ts$/;

const source = new URL('../server/src/', import.meta.url);
const service = await startService();
const tenant = await newTenant(service);
const course = await newCourse(service);
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

type Range = { startOffset: number; endOffset: number; count: number };

/** The numbers of the lines that ran. Of ranges that contain each other, the inner one counts. */
function linesOf(text: string, functions: { ranges: Range[] }[]): number[] {
  const ran = new Uint8Array(text.length);
  const ranges = functions.flatMap(({ ranges }) => ranges);
  for (const { startOffset, endOffset, count } of ranges.sort(
    (a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
  ))
    ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  let at = 0;
  return text.split('\n').flatMap((line, number) => {
    const first = at + line.search(/\S/);
    at += line.length + 1;
    return /^\s*($|\/\/|\/?\*|[)}\];,]+$)/.test(line) || ran[first] !== 1 ? [] : [number];
  });
}

async function measured(work: () => Promise<unknown>): Promise<Map<string, number[]>> {
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const files = new Map<string, number[]>();
  for (const { url, functions } of result) {
    const ran = functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0);
    if (!url.startsWith(source.href) || ran.length === 0) continue;
    files.set(
      relative(fileURLToPath(source), fileURLToPath(url)),
      linesOf(readFileSync(new URL(url), 'utf8'), functions),
    );
  }
  return files;
}

const users = await Promise.all(Array.from({ length: 25 }, () => tenant.user()));
const enrol = async (user: string) =>
  expectStatus(await tenant.api('POST', `/enrol/${user}/${course}`, {}), 201);
for (const user of users.slice(5)) await enrol(user);
const rounds: Map<string, number[]>[] = [];
for (const user of users.slice(0, 5)) rounds.push(await measured(() => enrol(user)));
// Jobs run in between: what not every request ran is not part of it.
const [first = new Map(), ...others] = rounds;
let [lines, guarding] = [0, 0];
let count = 0;
for (const [file, ran] of [...first].sort(([a], [b]) => a.localeCompare(b))) {
  const always = ran.filter((line: number) => others.every((round) => round.get(file)?.includes(line)));
  if (always.length === 0) continue;
  count++;
  lines += always.length;
  if (protective.test(`/${file}`)) guarding += always.length;
  if (values.files)
    console.log(`${always.length}\t${protective.test(`/${file}`) ? 'protective' : ''}\t${file}`);
}
console.log(`POST /enrol: ${lines} lines in ${count} files, ${guarding} of them protective.`);
await service.close();
