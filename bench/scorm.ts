// Measures one SCORM 2004 request with all predictions in courses with 1,000 activities, in Node.js and in Chromium:
//   npm run bench:scorm
import { join } from 'node:path';
import { build } from 'vite';
import { largeCourses, medianRequest } from '../scorm/test-support/large-courses.ts';
import { closeBrowser, newContext } from '../server/test/support/browser.ts';

const entry = join(import.meta.dirname, '../scorm/test-support/large-courses.ts');
/** The first round is not counted, because it compiles the code. */
const rounds = 4;

/** Builds the code that the player uses, in the same way. */
async function builtCode(): Promise<string> {
  const lib = { entry, formats: ['iife' as const], name: 'bench' };
  // Leaves out the manifest readers, which the test helpers import.
  const rolldownOptions = { treeshake: { moduleSideEffects: false } };
  const [built] = [
    await build({ configFile: false, logLevel: 'error', build: { write: false, lib, rolldownOptions } }),
  ].flat();
  if (!built || !('output' in built)) throw new Error('Vite built nothing.');
  return built.output[0].code;
}

const inNode = () =>
  Object.fromEntries(
    Object.entries(largeCourses).map(([shape, course]) => [
      shape,
      medianRequest(course, () => performance.now()),
    ]),
  );

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof newContext>>['newPage']>>;

const inChromium = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(`Object.fromEntries(Object.entries(bench.largeCourses).map(([shape, course]) =>
    [shape, bench.medianRequest(course, () => performance.now())]))`);

const page = await (await newContext()).newPage();
await page.addScriptTag({ content: await builtCode() });
const seen: [Record<string, number>, Record<string, number>][] = [];
for (let round = 0; round < rounds; round++) seen.push([inNode(), await inChromium(page)]);
await closeBrowser();

const middle = (values: number[]) =>
  (values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0).toFixed(2);
console.table(
  Object.keys(largeCourses).map((shape) => {
    const counted = seen.slice(1);
    return {
      activities: shape,
      'Node.js, ms': middle(counted.map(([node]) => node[shape] ?? 0)),
      'Chromium, ms': middle(counted.map(([, chromium]) => chromium[shape] ?? 0)),
    };
  }),
);
