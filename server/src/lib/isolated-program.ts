import { setPriority } from 'node:os';
import { Problem } from './errors.ts';
import type { IsolatedResult } from './isolated.ts';

/** A lower priority than the service's, so that API callers do not wait. */
const priority = 5;

/** The main function of a program for `runIsolated`: receives one input and returns one result. */
export function serveOnce<Input>(work: (input: Input) => Promise<unknown>): void {
  setPriority(priority);
  // A terminal sends Ctrl-C to all processes, but a service that is shutting down waits for its imports.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.once('disconnect', () => process.exit());
  process.once('message', async (input: Input) => {
    const answer = await work(input).then((answer): IsolatedResult => ({ answer }), failed);
    process.send?.(answer, () => process.exit());
  });
}

function failed(error: unknown): IsolatedResult {
  if (error instanceof Problem) {
    const { code, message: detail, extras } = error;
    return { problem: { code, detail, extras } };
  }
  if (!(error instanceof Error)) return { error: { message: String(error), stack: '' } };
  const { message, stack = '' } = error;
  const code = 'code' in error ? { code: String(error.code) } : {};
  const errno = 'errno' in error ? { errno: Number(error.errno) } : {};
  return { error: { message, stack, ...code, ...errno } };
}
