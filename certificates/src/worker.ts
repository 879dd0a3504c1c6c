import { parentPort } from 'node:worker_threads';
import { drawBadge } from './badge.ts';
import { renderCertificate } from './render.ts';
import type { DrawTask, DrawTaskResult } from './types.ts';

/** The entry of the thread that draws certificates. */
parentPort?.on('message', async ({ id, ...task }: DrawTask) => {
  const post = (result: DrawTaskResult, moved: ArrayBuffer[] = []) => parentPort?.postMessage(result, moved);
  try {
    const drawn = 'badge' in task ? drawBadge(task.badge) : await renderCertificate(task.certificate);
    // A buffer is a part of Node's pool, which would be copied as a whole for each file. This copy is moved.
    const file = new Uint8Array(drawn);
    post({ id, file }, [file.buffer]);
  } catch (error) {
    post({ id, error: error instanceof Error ? error : new Error(String(error)) });
  }
});
