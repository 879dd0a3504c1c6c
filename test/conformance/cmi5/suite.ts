import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { chromiumPath } from '../../../server/test/support/chromium.ts';

export type Outcome = { passed: number; failures: { title: string; message: string }[]; seconds: number };

type Test = { status: string; fullName: string; failureMessages: string[] };
type Report = {
  wasInterrupted: boolean;
  testResults: { assertionResults: Test[]; message: string; name: string }[];
};

const firstLine = (message: string) => stripVTControlCharacters(message).trim().split('\n')[0] ?? '';

/** All tests in a file that could not be loaded count as one failure. */
function failuresIn({ testResults }: Report): Outcome['failures'] {
  return testResults.flatMap(({ assertionResults, message, name }) => {
    if (assertionResults.length === 0) return [{ title: name, message: firstLine(message) }];
    return assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => ({
        title: fullName,
        message: firstLine(failureMessages[0] ?? ''),
      }));
  });
}

/**
 * Runs the suite with its own version of Jest, one file after the other. The suite writes its files to
 * `folder`. Chromium runs without its sandbox, because the sandbox does not work for root.
 */
export async function runSuite(
  suite: string,
  { env, folder, grep }: { env: Record<string, string>; folder: string; grep: string | undefined },
): Promise<Outcome> {
  const browser = join(folder, 'browser.json');
  const report = join(folder, 'report.json');
  const launch = { executablePath: chromiumPath, headless: true, args: ['--no-sandbox'] };
  await writeFile(browser, JSON.stringify({ launch }));
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [
      join(suite, 'node_modules/jest/bin/jest.js'),
      ...['--runInBand', '--forceExit', '--testTimeout=60000', '--json', `--outputFile=${report}`],
      ...(grep === undefined ? [] : ['--testNamePattern', grep]),
    ],
    {
      cwd: suite,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        ...env,
        CATAPULT_LMS: join(import.meta.dirname, 'lms.cjs'),
        JEST_PUPPETEER_CONFIG: browser,
        JEST_JUNIT_OUTPUT_DIR: folder,
      },
    },
  );
  let output = '';
  child.stderr.on('data', (part: Buffer) => {
    output += part;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  // Jest writes its report last, and exits with 1 if tests failed.
  const text = await readFile(report, 'utf8').catch(() => '');
  const read = text === '' ? null : (JSON.parse(text) as Report);
  if (read === null || read.wasInterrupted || signal !== null || (code !== 0 && code !== 1))
    throw new Error(`The suite's process ended early, with ${signal ?? `exit code ${code}`}.\n${output}`);
  const passed = read.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed').length;
  return { passed, failures: failuresIn(read), seconds: Math.round((performance.now() - started) / 1000) };
}
