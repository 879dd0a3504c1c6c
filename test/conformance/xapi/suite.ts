import { fork } from 'node:child_process';
import { join } from 'node:path';

export type Outcome = { passed: number; failures: { title: string; message: string }[]; seconds: number };

/** A message from the suite's process. */
type Message = { action: string; payload?: unknown };

type Options = {
  endpoint: string;
  user: string;
  password: string;
  version: string;
  grep: string | undefined;
};

/**
 * Starts the process that the suite's command line uses, and counts the tests that it reports. A process that ends
 * before the suite counts as a failed test.
 */
export function runSuite(suite: string, options: Options): Promise<Outcome> {
  const { endpoint, user, password, version, grep } = options;
  const started = performance.now();
  const outcome: Outcome = { passed: 0, failures: [], seconds: 0 };
  const child = fork(join(suite, 'bin/lrs-test.js'), ['--debug'], {
    cwd: suite,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const settings = {
    xapiVersion: version,
    endpoint,
    basicAuth: true,
    authUser: user,
    authPass: password,
    ...(grep === undefined ? {} : { grep }),
  };
  let isComplete = false;
  child.on('message', ({ action, payload }: Message) => {
    if (action === 'ready') child.send({ action: 'runTests', payload: settings });
    if (action === 'test pass') outcome.passed += 1;
    if (action === 'test fail') outcome.failures.push(payload as Outcome['failures'][number]);
    if (action === 'end') isComplete = true;
  });
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      if (!isComplete) {
        const message = `The suite's process ended early, with ${signal ?? `exit code ${code}`}.`;
        outcome.failures.push({ title: 'The whole suite', message });
      }
      const seconds = Math.round((performance.now() - started) / 1000);
      resolve({ ...outcome, seconds });
    });
  });
}
