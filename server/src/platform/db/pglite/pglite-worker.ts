import { parentPort, workerData } from 'node:worker_threads';
import { type Backend, type BackendOptions, startBackend } from './backend.ts';

export type WorkerTask = Omit<BackendOptions, 'onEnd'>;
export type FromWorker = Uint8Array | { ready: true } | { ended: string } | { dumped: Uint8Array };
export type ToWorker = Uint8Array<ArrayBuffer> | 'dump' | 'close';

const port = parentPort;
if (!port) throw new Error('This file is a worker.');

const tell = (message: FromWorker): void => port.postMessage(message);
const end = (reason: string): never => {
  tell({ ended: reason });
  process.exit(1);
};

async function serve(task: WorkerTask): Promise<void> {
  const backend = await startBackend({ ...task, onEnd: end });
  port?.on('message', (message: ToWorker) => {
    receive(backend, message).catch((error: unknown) => end(String(error)));
  });
  tell({ ready: true });
}

async function receive(backend: Backend, message: ToWorker): Promise<void> {
  if (message === 'close') {
    await backend.close();
    port?.close();
  } else if (message === 'dump') {
    tell({ dumped: await backend.dump() });
  } else {
    const answer = await backend.answer(message);
    if (answer.length > 0) port?.postMessage(answer, [answer.buffer]);
  }
}

serve(workerData).catch((error: unknown) => end(error instanceof Error ? error.message : String(error)));
