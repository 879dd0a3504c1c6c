import { parentPort, workerData } from 'node:worker_threads';
import { type Backend, type BackendOptions, startBackend } from './backend.ts';

export type WorkerTask = Omit<BackendOptions, 'onCrash'>;
export type FromWorker = Uint8Array | { ready: true } | { ended: string } | { dumped: Uint8Array };
export type ToWorker = Uint8Array<ArrayBuffer> | 'dump' | 'close';

const port = parentPort;
if (!port) throw new Error('This file must run in a worker thread.');

const post = (message: FromWorker): void => port.postMessage(message);
const end = (reason: string): never => {
  post({ ended: reason });
  process.exit(1);
};

async function serve(task: WorkerTask): Promise<void> {
  const backend = await startBackend({ ...task, onCrash: end });
  port?.on('message', (message: ToWorker) => {
    receive(backend, message).catch((error: unknown) => end(String(error)));
  });
  post({ ready: true });
}

async function receive(backend: Backend, message: ToWorker): Promise<void> {
  if (message === 'close') {
    await backend.close();
    port?.close();
  } else if (message === 'dump') {
    post({ dumped: await backend.dump() });
  } else {
    const answer = await backend.handleMessages(message);
    if (answer.length > 0) port?.postMessage(answer, [answer.buffer]);
  }
}

serve(workerData).catch((error: unknown) => end(error instanceof Error ? error.message : String(error)));
