import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { type ErrorCode, Problem, type ProblemExtras } from './errors.ts';
import { locations } from './locations.ts';

export type IsolatedLimits = {
  seconds: number;
  heapMegabytes: number;
  /** WebAssembly memory is not part of the heap. */
  wasmMegabytes: number;
  /** The only folder in which the program can create, read and write files. */
  folder: string;
  /** Additional files that the program may read. */
  files: readonly string[];
};

/**
 * Our own code and the packages it loads, wherever npm has installed them. These paths must not
 * include anything in `DATA_DIR`, which contains the keys.
 */
const code = [
  ...locations.code,
  ...(createRequire(import.meta.url).resolve.paths('any') ?? []).filter((path) =>
    path.endsWith(`${sep}node_modules`),
  ),
];

/** A program's result. An error other than a `Problem` keeps the fields that the log and the error mapper use. */
export type IsolatedResult =
  | { answer: unknown }
  | { problem: { code: ErrorCode; detail: string; extras: ProblemExtras } }
  | { error: { message: string; stack: string; code?: string; errno?: number } };

/** Thrown if the program returned nothing, because it crashed or exceeded a limit. */
export class IsolationFailure extends Error {
  readonly reason: 'time' | 'crash';

  constructor(reason: IsolationFailure['reason'], detail: string) {
    super(detail);
    this.name = 'IsolationFailure';
    this.reason = reason;
  }
}

const keptOutput = 4_096;

/**
 * Runs a program on untrusted input in a separate process. In a worker thread, some allocations
 * beyond `resourceLimits`, such as sorting an array, would end the whole process. The
 * program has exited when this returns, so its files can be removed.
 */
export async function runIsolated(program: URL, input: unknown, limits: IsolatedLimits): Promise<unknown> {
  const child = fork(program, {
    // The environment contains neither our secrets nor NODE_OPTIONS.
    env: {},
    execArgv: flagsFor(limits),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-keptOutput);
  });
  let received: IsolatedResult | null = null;
  child.once('message', (message: IsolatedResult) => {
    received = message;
  });
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, limits.seconds * 1_000);
  try {
    const ended = new Promise<string>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    child.send(input as object, () => {});
    const how = await ended;
    if (isLate) throw new IsolationFailure('time', `no result within ${limits.seconds} s`);
    return resultIn(received, `${how}: ${output}`);
  } finally {
    clearTimeout(deadline);
  }
}

function flagsFor(limits: IsolatedLimits): string[] {
  // Node treats the path as a file, because the folder does not exist yet.
  const own = [limits.folder, join(limits.folder, '*')];
  return [
    `--max-old-space-size=${limits.heapMegabytes}`,
    `--wasm-max-mem-pages=${limits.wasmMegabytes * 16}`,
    '--permission',
    ...[...code, ...limits.files, ...own].map((path) => `--allow-fs-read=${path}`),
    ...own.map((path) => `--allow-fs-write=${path}`),
    '--disable-warning=ExperimentalWarning',
  ];
}

function resultIn(received: IsolatedResult | null, how: string): unknown {
  if (received === null) throw new IsolationFailure('crash', how);
  if ('answer' in received) return received.answer;
  if ('problem' in received) {
    const { code, detail, extras } = received.problem;
    throw new Problem(code, detail, extras);
  }
  const { message, ...details } = received.error;
  throw Object.assign(new Error(message), details);
}
