import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type {
  BadgeInput,
  CertificateInput,
  DrawTask,
  DrawTaskResult,
} from '../../../../certificates/src/types.ts';
import { locations } from '../../lib/locations.ts';

type Waiting = { resolve: (file: Buffer) => void; reject: (error: Error) => void };
type Thread = { worker: Worker; waiting: Map<number, Waiting>; last: number; idle?: NodeJS.Timeout };

const idleMilliseconds = 60_000;
/**
 * Each PDF leaves 2 MB of garbage. In the main thread, the heap grew by 150 MB until it was collected. The largest texts
 * in Chinese, Japanese and Korean fit into this heap; fonts and HarfBuzz lie outside of it.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 };

let open: Thread | null = null;

function openThread(): Thread {
  const worker = new Worker(join(locations.certificates, 'worker.js'), {
    ...{ execArgv: [], env: {}, resourceLimits },
  });
  const thread: Thread = { worker, waiting: new Map(), last: 0 };
  const end = (error: Error) => {
    if (open === thread) open = null;
    clearTimeout(thread.idle);
    for (const { reject } of thread.waiting.values()) reject(error);
    thread.waiting.clear();
  };
  worker.on('message', (result: DrawTaskResult) => {
    const waiting = thread.waiting.get(result.id);
    thread.waiting.delete(result.id);
    if (thread.waiting.size === 0) rest(thread);
    if ('error' in result) waiting?.reject(result.error);
    else waiting?.resolve(bufferOf(result.file));
  });
  worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', () => end(new Error('The thread that draws certificates has ended.')));
  return thread;
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, byteLength);

/** The thread gives its memory back after a minute without work, and does not keep the process running. */
function rest(thread: Thread): void {
  thread.worker.unref();
  thread.idle = setTimeout(() => {
    if (open === thread) open = null;
    void thread.worker.terminate();
  }, idleMilliseconds).unref();
}

/** Draws a certificate as a PDF, or a badge, in a thread of its own, which loads the fonts and the PDF library. */
export function draw(task: { certificate: CertificateInput } | { badge: BadgeInput }): Promise<Buffer> {
  open ??= openThread();
  const thread = open;
  clearTimeout(thread.idle);
  thread.worker.ref();
  const id = ++thread.last;
  return new Promise((resolve, reject) => {
    thread.waiting.set(id, { resolve, reject });
    thread.worker.postMessage({ id, ...task } satisfies DrawTask);
  });
}
